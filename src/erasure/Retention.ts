/**
 * Deletes what is older than an account keeps it, and the answers stored for an Idempotency-Key after 24 hours. It
 * works in small transactions with pauses, and without the budget's lock, so no dial pass waits for it. The contacts
 * that it writes belong to campaigns that have ended, which no dial pass reads.
 */
import { Config, Context, Effect, Exit, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as ReceiptSealer from "../campaigns/receipts/ReceiptSealer.ts"
import { answerDays } from "../domain/BestTimeOfDay.ts"
import * as EventLog from "../events/EventLog.ts"
import { RecordingSweep } from "../recording/RecordingSweep.ts"
import * as Sweeps from "../telemetry/Sweeps.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CallRemoval from "./CallRemoval.ts"
import * as ContactErasure from "./ContactErasure.ts"
import * as RetentionMetrics from "./RetentionMetrics.ts"

const sweepEvery = "1 hour"
/** The first process that reaches an account sweeps its rows; the others skip the account for this long. */
const sweptAgainAfter = "50 minutes"
/** The number of accounts that are swept at the same time. Each opens a database. */
const accountsAtOnce = 2
/**
 * The time limit for one account, so that it does not delay the others. The next sweep continues where this one
 * stopped.
 */
const accountLimit = "5 minutes"
/** Rows per transaction: it takes some ten milliseconds, and leaves little to write for the checkpoints. */
const rowsAtOnce = 200
const pause = "20 millis"

const EventDays = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_650 })),
  "PARLEY_EVENT_RETENTION_DAYS",
).pipe(Config.withDefault(30))

const AuditDays = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 3_650 })),
  "PARLEY_AUDIT_RETENTION_DAYS",
).pipe(Config.withDefault(365))

const ConsentDays = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 36_500 })),
  "PARLEY_CONSENT_RETENTION_DAYS",
).pipe(Config.withDefault(1_827))

export class Retention extends Context.Service<
  Retention,
  {
    /** Sweeps one account: its recordings, and its rows unless they were swept in the last 50 minutes. */
    readonly sweep: (account: AccountEntry) => Effect.Effect<void>
    /**
     * Sweeps what belongs to the platform: its stored answers, its audit log, and the recordings of deleted accounts.
     */
    readonly sweepPlatform: Effect.Effect<void>
  }
>()("erasure/Retention") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const auditDays = yield* AuditDays
      const consentDays = yield* ConsentDays
      const eventDays = yield* EventDays
      const platform = yield* PlatformDatabase
      const recordings = yield* RecordingSweep
      const tenants = yield* TenantDatabases

      const sweepRows = Effect.fnUntraced(function* (entry: AccountEntry) {
        if (!(yield* claim)) return
        const { audit_days, call_days, event_days, transcript_days } = entry.account
        yield* deleteAnswers
        yield* AuditTrail.prune(audit_days ?? auditDays)
        yield* pruneConsents(consentDays)
        yield* pruneNumberDays
        yield* prunePartDays
        yield* EventLog.prune(event_days ?? eventDays)
        if (transcript_days !== null) yield* deleteWords(transcript_days)
        if (call_days !== null) {
          yield* deleteCalls(call_days, (ids) => recordings.deleteSound(entry, ids))
          yield* eraseContacts(call_days)
        }
        // A process that died may have left decisions unsealed.
        yield* ReceiptSealer.seal()
        yield* pruneReceipts
      })

      return {
        sweep: Effect.fn("Retention.sweep")(function* (entry: AccountEntry) {
          yield* RetentionMetrics.count("recordings", yield* recordings.sweep(entry))
          const context = yield* Effect.orDie(tenants.open(entry))
          yield* Effect.orDie(sweepRows(entry)).pipe(Effect.provideContext(context))
        }, Effect.scoped),
        sweepPlatform: Effect.andThen(
          recordings.sweepDeleted,
          Effect.andThen(deleteAnswers, AuditTrail.prunePlatform(auditDays)).pipe(
            Effect.provideService(SqlClient.SqlClient, platform),
            Effect.orDie,
          ),
        ),
      }
    }),
  )

  /** Sweeps the accounts of this cell and the platform at once and then every hour. */
  static readonly layerHourly = Layer.effectDiscard(
    Effect.gen(function* () {
      const { sweep, sweepPlatform } = yield* Retention
      const directory = yield* AccountDirectory
      const sweepOne = Effect.fnUntraced(function* (entry: AccountEntry) {
        const exit = yield* Effect.exit(Effect.timeout(sweep(entry), accountLimit))
        if (Exit.isSuccess(exit)) return
        yield* RetentionMetrics.countFailure
        yield* Effect.annotateLogs(Effect.logWarning("deleting old data failed", exit.cause), {
          account: entry.account.slug,
        })
      })
      const sweepAll = Effect.gen(function* () {
        yield* Effect.forEach(yield* directory.allServed, sweepOne, { concurrency: accountsAtOnce, discard: true })
        yield* RetentionMetrics.finish
        // Last, because a failure of it ends this sweep.
        yield* sweepPlatform
      })
      yield* sweepAll.pipe(
        Sweeps.measure("retention"),
        Effect.catchCause((cause) => Effect.logWarning("deleting old data failed", cause)),
        Effect.repeat(Schedule.spaced(sweepEvery)),
        Effect.forkScoped,
      )
    }),
  )
}

/** Claims the account's rows. Returns whether this process is to sweep them now. */
const claim = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const claimed = yield* sql`
    update retention set swept_at = clock_timestamp()
    where swept_at < clock_timestamp() - ${sweptAgainAfter}::interval returning swept_at`
  return claimed.length > 0
})

/** Runs steps with a pause after each until one returns false. */
const whileMore = <E, R>(step: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.tap(step, Effect.sleep(pause)), { while: (more) => more })

const deleteAnswers = whileMore(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const deleted = yield* sql`
      delete from idempotency where (scope, key) in (
        select scope, key from idempotency where created_at < now() - interval '24 hours'
        order by created_at limit ${rowsAtOnce})
      returning 1`
    yield* RetentionMetrics.count("idempotent_answers", deleted.length)
    return deleted.length === rowsAtOnce
  }),
)

const pruneConsents = (days: number) =>
  whileMore(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly count: number }>`select prune_consents(${days}, ${rowsAtOnce}) as count`
      const count = row?.count ?? 0
      yield* RetentionMetrics.count("consents", count)
      return count === rowsAtOnce
    }),
  )

const pruneReceipts = whileMore(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`select prune_receipts(${rowsAtOnce}) as count`
    const count = row?.count ?? 0
    yield* RetentionMetrics.count("seals", count)
    return count === rowsAtOnce
  }),
)

/** Counts of calls by number are shown for 30 days, in the account's time zone. */
const pruneNumberDays = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`delete from number_days where day < current_date - 35`,
)

/** Counts of calls by part of the day decide on retries for `answerDays`. */
const prunePartDays = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`delete from part_days where day < current_date - ${answerDays + 5}::int`,
)

/** A place in the order of calls. Its time is a text, since a `Date` has no microseconds. */
interface Cursor {
  readonly started_at: string
  readonly id: string
}
const first: Cursor = { started_at: "-infinity", id: "00000000-0000-0000-0000-000000000000" }

/** The next calls that began more than this many days ago. */
const callsAfter = Effect.fnUntraced(function* (after: Cursor, days: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Cursor & { readonly is_over: boolean }>`
    select c.started_at::text, c.id,
      c.ended_at is not null and (c.campaign_id is null or k.ended_at is not null) as is_over
    from calls c left join campaigns k on k.id = c.campaign_id
    where (c.started_at, c.id) > (${after.started_at}::timestamptz, ${after.id}::uuid)
      and c.started_at < now() - make_interval(days => ${days})
    order by c.started_at, c.id limit ${rowsAtOnce}`
})

/**
 * Deletes what was said in calls, including the words in tools' arguments and results. The calls' results and timings
 * remain.
 */
const deleteWords = Effect.fn("Retention.deleteWords")(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  const [mark] = yield* sql<{ readonly words_until: string }>`select words_until::text from retention`
  let after: Cursor = { ...first, started_at: mark?.words_until ?? first.started_at }
  const step = Effect.gen(function* () {
    const calls = yield* callsAfter(after, days)
    const last = calls.at(-1)
    if (last === undefined) return false
    const ids = calls.map(({ id }) => id)
    const cleared = yield* sql`
      update calls set transcript = '[]', tool_invocations = '[]'
      where id = any(${ids}::uuid[]) and (transcript <> '[]' or tool_invocations <> '[]') returning 1`
    yield* sql`delete from tool_requests where call_id = any(${ids}::uuid[])`
    yield* sql`update carrier_calls set words = '[]' where call_id = any(${ids}::uuid[]) and words <> '[]'`
    // A live call gets its words at its end, so the mark stays before it.
    yield* sql`
      update retention set words_until = least(${last.started_at}::timestamptz,
        (select min(c.started_at) from live_calls l join calls c on c.id = l.call_id))`
    yield* RetentionMetrics.count("words", cleared.length)
    after = last
    return calls.length === rowsAtOnce
  })
  yield* whileMore(transaction(step))
  // Of all these calls, because people may write a note on a call whose words are already deleted.
  yield* sql`
    delete from call_notes n using calls c
    where c.id = n.call_id and c.started_at < now() - make_interval(days => ${days})`
})

/**
 * Deletes calls that have ended. Calls of a campaign are kept until the campaign ends, because its dialler reads the
 * contacts.
 */
const deleteCalls = Effect.fn("Retention.deleteCalls")(function* (
  days: number,
  deleteSound: (ids: ReadonlyArray<string>) => Effect.Effect<number>,
) {
  let after = first
  const step = Effect.gen(function* () {
    const calls = yield* callsAfter(after, days)
    const ids = calls.flatMap(({ id, is_over }) => (is_over ? [id] : []))
    const removed = yield* Effect.orDie(CallRemoval.remove({ ids, seqs: [] }))
    after = calls.at(-1) ?? after
    return { removed, more: calls.length === rowsAtOnce }
  })
  yield* whileMore(
    Effect.gen(function* () {
      const { more, removed } = yield* transaction(step)
      yield* RetentionMetrics.count("calls", removed.calls)
      yield* RetentionMetrics.count("recordings", yield* deleteSound(removed.recordings))
      return more
    }),
  )
})

const Ended = Schema.Struct({ id: Schema.String, total: Schema.Int })

/**
 * Removes the numbers and fields of contacts whose campaign ended more than this many days ago. The rows and counts
 * remain.
 */
const eraseContacts = Effect.fn("Retention.eraseContacts")(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  const ended = yield* Rows.all(Ended)(sql`
    select k.id, p.total from campaigns k join campaign_progress p on p.campaign_id = k.id
    where k.ended_at < now() - make_interval(days => ${days}) and not k.contacts_erased order by k.ended_at`)
  for (const { id, total } of ended) {
    let after = 0
    const step = Effect.gen(function* () {
      const contacts = yield* sql<{ readonly id: string }>`
        select id from contacts
        where campaign_id = ${id} and position > ${after} and position <= ${after + rowsAtOnce} and phone_number <> ''`
      const erased = yield* ContactErasure.erase(contacts.map((contact) => contact.id))
      after += rowsAtOnce
      if (after >= total) yield* sql`update campaigns set contacts_erased = true where id = ${id}`
      yield* RetentionMetrics.count("contacts", erased.contacts)
      return after < total
    })
    yield* whileMore(transaction(step))
  }
})
