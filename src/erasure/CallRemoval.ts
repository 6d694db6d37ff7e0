/** Deletes calls with everything that an account's database stores because of them. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CallStatus } from "../domain/Call.ts"
import { InvalidState } from "../domain/Refusals.ts"
import { lockForDeletion } from "../campaigns/receipts/ReceiptLock.ts"
import * as Rows from "../tenancy/Rows.ts"

/** Calls to delete, and what was found about them before the budget was locked. */
export interface FoundCalls {
  readonly ids: ReadonlyArray<string>
  /** The numbers of the events whose subjects are these calls, and the contacts that are erased with them. */
  readonly seqs: ReadonlyArray<number>
}

/** The ids of these calls and of the calls that were placed to hand them over, which are about the same person. */
export const withTransfers = Effect.fn("CallRemoval.withTransfers")(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id from calls where id = any(${[...ids]}::uuid[]) or transfer_of = any(${[...ids]}::uuid[])`
  return rows.map(({ id }) => id)
})

/**
 * The numbers of the events about these calls or contacts. It reads every event that is kept, so it runs before a lock
 * is taken.
 */
export const findEvents = Effect.fn("CallRemoval.findEvents")(function* (subjects: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly seq: number }>`
    select (b.first_seq + s.at - 1)::float8 as seq
    from event_batches b cross join lateral unnest(b.subject_ids) with ordinality as s(id, at)
      join unnest(${[...subjects]}::uuid[]) as wanted(id) on wanted.id = s.id`
  return rows.map(({ seq }) => seq)
})

/** What was deleted. */
export interface Gone {
  readonly calls: number
  readonly transcripts: number
  readonly recordings: ReadonlyArray<string>
  readonly records: number
  readonly webhook_answers: number
}

const Live = Schema.Struct({ status: CallStatus })

/**
 * Deletes the calls in the caller's transaction. Fails if one of them has not ended. Unless the calls' campaigns have
 * ended, the transaction must hold the budget's lock. The caller deletes the sound of the returned recordings after the
 * commit.
 */
export const remove = Effect.fn("CallRemoval.remove")(function* ({ ids, seqs }: FoundCalls) {
  const sql = yield* SqlClient.SqlClient
  const chosen = sql`any(${[...ids]}::uuid[])`
  const live = yield* Rows.first(Live)(sql`select status from calls where id = ${chosen} and ended_at is null limit 1`)
  if (live !== undefined) {
    return yield* new InvalidState({
      state: live.status,
      detail: "The call is in progress. Hang up, or wait for its end, then repeat the request.",
    })
  }
  yield* lockForDeletion
  yield* sql`update receipts set nonce = null where call_id = ${chosen} and nonce is not null`
  for (const table of ["suppressions", "subject_suppressions"]) {
    yield* sql`update ${sql(table)} set call_id = null where call_id = ${chosen}`
  }
  yield* sql`update consents set call_id = null where kind = 'revocation' and call_id = ${chosen}`
  yield* sql`
    update contacts k set deleted_calls = k.deleted_calls + c.count,
      last_call_id = case when k.last_call_id = ${chosen} then null else k.last_call_id end
    from (select contact_id, count(*) from calls where id = ${chosen} and contact_id is not null group by contact_id) c
    where k.id = c.contact_id`
  const recordings = yield* sql<{ readonly id: string }>`select id from recordings where call_id = ${chosen}`
  // Calls that began in one dial pass may share a record, which goes with the last of them.
  const records = yield* sql`
    with gone as (
      select distinct dial_record_id, campaign_id, started_at from calls
      where id = ${chosen} and dial_record_id is not null)
    delete from dial_records d using gone g where d.id = g.dial_record_id and not exists (
      select from calls c where c.campaign_id = g.campaign_id and c.started_at = g.started_at
        and c.dial_record_id = d.id and not c.id = ${chosen})
    returning d.id`
  const deleted = yield* sql<{ readonly had_words: boolean }>`
    delete from calls where id = ${chosen} returning transcript <> '[]' as had_words`
  const answers = yield* sql`
    update webhook_deliveries d set response_excerpt = null
    from webhooks w where d.webhook_id = w.id and d.seq = any(${[...seqs]}::bigint[]) and d.response_excerpt is not null
    returning d.id`
  return {
    calls: deleted.length,
    transcripts: deleted.filter(({ had_words }) => had_words).length,
    recordings: recordings.map(({ id }) => id),
    records: records.length,
    webhook_answers: answers.length,
  } satisfies Gone
})

/**
 * Deletes the answers that were stored for requests about these calls, and returns their number. It reads all answers
 * of the last day, so it runs without a lock.
 */
export const removeAnswers = Effect.fn("CallRemoval.removeAnswers")(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`
    delete from idempotency
    where lower(substring(scope from ${inPath})) = any(${[...ids]}::text[])
      or lower(substring(headers ->> 'location' from ${inPath})) = any(${[...ids]}::text[])
    returning key`
  return removed.length
})

/** The id of a call in the path of a request. */
const inPath = "/api/v1/calls/([0-9A-Fa-f-]{36})"
