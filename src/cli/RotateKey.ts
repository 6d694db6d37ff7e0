/** `parley rotate-key`: seals with a new encryption key what the previous one sealed, while Parley runs. */
import { Console, Effect, Result, Schema } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { ownersPool } from "../tenancy/DatabaseServer.ts"
import { DatabaseServers, sealedAs } from "../tenancy/DatabaseServers.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as Installation from "./Installation.ts"
import { asJson, isDryRun, printJson, Refused } from "./Output.ts"
import * as SealedAnswers from "./SealedAnswers.ts"

const Keyed = Schema.toType(
  Schema.Struct({
    id: Schema.String,
    slug: Schema.String,
    server: Schema.NullOr(Schema.String),
    database: Schema.String,
    has_database: Schema.Boolean,
    data_key: Schema.Uint8Array,
  }),
)

const Process = Schema.Struct({ id: Schema.String, encryption_keys: Schema.NullOr(Schema.Array(Schema.String)) })

const mostPasses = 5

/** Accounts whose database is processed at the same time, each over one connection. */
const atOnce = 4

/** The running processes: their last heartbeat is at most 15 seconds old, and they have not shut down. */
const running = Effect.flatMap(PlatformDatabase, (platform) =>
  Rows.all(Process)(platform`
    select id, encryption_keys from nodes where seen_at > clock_timestamp() - interval '15 seconds' order by id`),
)

/** Ids of the running processes that cannot open what the new key seals. */
const strangers = Effect.gen(function* () {
  const [own = ""] = (yield* MasterKey).fingerprints
  return (yield* running).flatMap(({ encryption_keys, id }) => (encryption_keys?.includes(own) === true ? [] : [id]))
})

/** Ids of the running processes that still seal with another key. */
const laggards = Effect.gen(function* () {
  const [own] = (yield* MasterKey).fingerprints
  return (yield* running).flatMap(({ encryption_keys, id }) => (encryption_keys?.[0] === own ? [] : [id]))
})

interface Rotated {
  readonly keys: number
  readonly answers: number
  /** Slugs of accounts whose data key neither key opens. */
  readonly unreadable: ReadonlyArray<string>
  /** Slugs of accounts on a registered server that does not answer. */
  readonly unreached: ReadonlyArray<string>
}
const nothing: Rotated = { keys: 0, answers: 0, unreadable: [], unreached: [] }

const resealIn = Effect.fnUntraced(function* (row: typeof Keyed.Type, isDryRun: boolean) {
  const url = yield* DatabaseServers.use(({ urlOf }) => urlOf(row))
  const pool = ownersPool({ url, name: `parley:rotate:${row.database}`, maxConnections: 1 })
  return yield* Effect.provide(SealedAnswers.reseal(row.id, isDryRun), pool, { local: true })
})

const rotateOne = Effect.fnUntraced(function* (row: typeof Keyed.Type, isDryRun: boolean) {
  const platform = yield* PlatformDatabase
  const master = yield* MasterKey
  const rewrapped = Result.try(() => master.rewrap(row.id, row.data_key))
  // Neither key opens it: the account is unavailable already, and stays so.
  if (Result.isFailure(rewrapped)) return { ...nothing, unreadable: [row.slug] }
  const resealed = yield* (row.has_database ? resealIn(row, isDryRun) : Effect.succeed(0)).pipe(
    Effect.catchTag("SqlError", (error) => (row.server === null ? error : Effect.undefined)),
  )
  // The server does not answer: the next run seals the account's key and its answers.
  if (resealed === undefined) return { ...nothing, unreached: [row.slug] }
  if (rewrapped.success !== undefined && !isDryRun) {
    const write = platform`
      update accounts set data_key = ${rewrapped.success} where id = ${row.id} and data_key = ${row.data_key}
      returning id`
    const fields = { action: "account.rotate_key", account: row.slug, object_id: row.slug } as const
    yield* write.pipe(
      Effect.tap((changed) => (changed.length === 0 ? Effect.void : AuditTrail.writeToPlatform(platform, fields))),
      transaction,
      Effect.provideService(SqlClient.SqlClient, platform),
    )
  }
  return { ...nothing, keys: rewrapped.success === undefined ? 0 : 1, answers: resealed }
})

const Sealed = Schema.toType(Schema.Struct({ name: Schema.String, url: Schema.Uint8Array }))

/** Seals the URLs of registered servers. */
const rotateServers = Effect.fnUntraced(function* (isDryRun: boolean) {
  const platform = yield* PlatformDatabase
  const master = yield* MasterKey
  const unreadable: Array<string> = []
  let urls = 0
  for (const { name, url } of yield* Rows.all(Sealed)(platform`select name, url from database_servers`)) {
    const rewrapped = Result.try(() => master.rewrap(sealedAs(name), url))
    if (Result.isFailure(rewrapped)) unreadable.push(name)
    else if (rewrapped.success !== undefined) {
      urls++
      if (isDryRun) continue
      yield* platform`update database_servers set url = ${rewrapped.success} where name = ${name} and url = ${url}`
    }
  }
  return { urls, unreadable }
})

/** Seals everything once. Accounts that are being created have no row yet; the next pass finds them. */
const pass = Effect.fnUntraced(function* (isDryRun: boolean) {
  const platform = yield* PlatformDatabase
  const rows = yield* Rows.all(Keyed)(platform`
    select a.id, a.slug, a.server, a.database, a.data_key,
      a.server is not null or d.oid is not null as has_database
    from accounts a left join pg_database d on d.datname = a.database order by a.id`)
  const done = yield* Effect.forEach(rows, (row) => rotateOne(row, isDryRun), { concurrency: atOnce })
  const ofPlatform = yield* SealedAnswers.reseal("platform", isDryRun).pipe(
    Effect.provideService(SqlClient.SqlClient, platform),
  )
  const ofServers = yield* rotateServers(isDryRun)
  const keys = done.reduce((sum, each) => sum + each.keys, 0)
  const answers = done.reduce((sum, each) => sum + each.answers, ofPlatform)
  const { unreadable, urls } = ofServers
  return {
    keys,
    urls,
    answers,
    unreadable: [...done.flatMap((each) => each.unreadable), ...unreadable.map((name) => `server ${name}`)],
    unreached: done.flatMap((each) => each.unreached),
    isNew: keys + urls + answers > 0,
  }
})

type Pass = Effect.Success<ReturnType<typeof pass>>

/**
 * Runs `pass`, and repeats it until it finds nothing left, `mostPasses` times at most: a process may meanwhile commit
 * what it sealed with the previous key. `laggards` finds a process that goes on doing so.
 */
const passes = Effect.gen(function* () {
  let found: Pass = yield* pass(false)
  for (let again = 0; again < mostPasses && found.isNew; again++) {
    const next: Pass = yield* pass(false)
    const [keys, urls, answers] = [found.keys + next.keys, found.urls + next.urls, found.answers + next.answers]
    found = { ...next, keys, urls, answers }
  }
  return found
})

export const rotateKey = Command.make(
  "rotate-key",
  { asJson, isDryRun },
  Effect.fnUntraced(function* ({ asJson, isDryRun }) {
    const unprepared = yield* strangers
    if (unprepared.length > 0) {
      return yield* new Refused({
        why: `Running processes do not know this PARLEY_ENCRYPTION_KEY, and would lose their accounts: ${unprepared.join(", ")}. Restart each with both keys first. Nothing was changed.`,
      })
    }
    const [moving] = yield* (yield* PlatformDatabase)`select from account_moves limit 1`
    if (moving !== undefined) {
      return yield* new Refused({
        why: "An account is being moved to another server, and what it stored cannot be sealed now. Finish or abandon the move first (`parley accounts list`). Nothing was changed.",
      })
    }
    // Also read before the passes: a process may seal something with another key and leave, and the passes may miss
    // that.
    const before = yield* laggards
    const { answers, isNew, keys, unreached, unreadable, urls } = yield* isDryRun ? pass(true) : passes
    const lagging = [...new Set([...before, ...(yield* laggards)])]
    const isNeeded = isNew || lagging.length > 0 || unreadable.length > 0 || unreached.length > 0
    if (asJson) {
      const processes = { processes_with_another_key: lagging, previous_key_is_needed: isNeeded }
      yield* printJson({ keys, urls, answers, unreadable, unreached, ...processes })
    } else {
      const verb = isDryRun ? "Would seal" : "Sealed"
      yield* Console.log(
        `${verb} with PARLEY_ENCRYPTION_KEY: data keys ${keys}, URLs of servers ${urls}, stored answers ${answers}.`,
      )
    }
    if (isDryRun) return
    if (unreadable.length > 0) {
      return yield* new Refused({
        why: `Neither key opens the data keys of these accounts, or the URLs of these servers: ${unreadable.join(", ")}. Do not throw the previous key away before this is explained.`,
      })
    }
    if (unreached.length > 0) {
      return yield* new Refused({
        why: `The servers of these accounts do not answer: ${unreached.join(", ")}. Run the command again once they do, and keep the previous key until then.`,
      })
    }
    if (lagging.length > 0) {
      return yield* new Refused({
        why: `Keep the previous key for now: running processes still seal with another one: ${lagging.join(", ")}. Restart each with the new key as PARLEY_ENCRYPTION_KEY, then run this command again.`,
      })
    }
    if (isNew) return yield* new Refused({ why: "Keep the previous key for now, and run this command again." })
    if (asJson) return
    yield* Console.log(
      "The previous key is needed no more, except for backups from before. Remove PARLEY_ENCRYPTION_KEY_SECOND at the next restart.",
    )
  }),
).pipe(
  Command.withDescription(
    "Seals the data keys of all accounts, the URLs of registered servers, and the stored answers to requests with an Idempotency-Key, with PARLEY_ENCRYPTION_KEY; PARLEY_ENCRYPTION_KEY_SECOND has the previous key. Parley may run meanwhile. Can be killed and run again. Says when the previous key may be thrown away.",
  ),
  Command.provide(Installation.layer),
)
