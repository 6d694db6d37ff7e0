/**
 * Writes the results of attempts: each delivery is finished, retried later or given up, and its webhook may be
 * disabled.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { givenUpAfterHours } from "../domain/DeliveryRetry.ts"
import { booleans, integers, uuids } from "../tenancy/Columns.ts"
import { json } from "../tenancy/Json.ts"
import { transaction } from "../tenancy/Transaction.ts"
import type { Claim } from "./Deliveries.ts"

/** The number of latest attempts that a delivery's log keeps. */
const loggedAttempts = 20

/** The result of one attempt. */
export interface DeliveryResult {
  readonly claim: Claim
  /**
   * `gone` ends the delivery and disables its webhook. `unsendable` ends the delivery without an attempt at the
   * endpoint. `released` does not count as an attempt.
   */
  readonly verdict: "succeeded" | "failed" | "gone" | "unsendable" | "released"
  readonly status_code: number | null
  readonly error: string | null
  readonly duration_ms: number
  readonly excerpt: string | null
  /** Milliseconds until the next attempt, if there is one (`retryDelayMs`). */
  readonly delay_ms: number
}

/** Writes results. Each is written only while its claim is the delivery's last one. */
export const record = Effect.fn("DeliveryResults.record")(function* (results: ReadonlyArray<DeliveryResult>) {
  const attempted = results.filter(({ verdict }) => verdict !== "released")
  yield* writeAttempts(attempted)
  yield* releaseUnattempted(results.filter(({ verdict }) => verdict === "released"))
  yield* markFailing(attempted.filter(({ verdict }) => verdict !== "unsendable"))
  yield* disableGone(results.filter(({ verdict }) => verdict === "gone"))
}, transaction)

/** Ends each delivery or schedules its next attempt, and adds the attempt to its log. */
const writeAttempts = Effect.fnUntraced(function* (results: ReadonlyArray<DeliveryResult>) {
  if (results.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const rows = results.map(({ claim: { attempts, id, series_attempts }, ...result }) => ({
    id,
    attempts,
    series_attempts,
    ...result,
  }))
  yield* sql`
    with attempted as (
      select r.*, d.series_attempts <> r.series_attempts as is_redelivered,
        d.series_began_at + make_interval(hours => ${givenUpAfterHours}) as series_ends_at
      from jsonb_to_recordset(${json(rows)}::jsonb) as r(
        id uuid, attempts int, series_attempts int, verdict text, status_code int, error text, duration_ms int,
        excerpt text, delay_ms int)
      join webhook_deliveries d on d.id = r.id
    ), decided as (
      -- A failed delivery is retried (pending) for 24 hours after the first attempt of its series, and once at their end.
      select *,
        case
          -- A redelivery was requested during the attempt, and is due at once.
          when is_redelivered then 'pending'
          when verdict = 'succeeded' then 'succeeded'
          when verdict in ('gone', 'unsendable') or series_ends_at <= clock_timestamp() then 'failed'
          else 'pending' end as next_status,
        case when is_redelivered then clock_timestamp()
          else least(clock_timestamp() + make_interval(secs => delay_ms / 1000.0),
                     greatest(clock_timestamp(), series_ends_at)) end as retry_at
      from attempted
    )
    update webhook_deliveries d set
      status = r.next_status, next_attempt_at = case when r.next_status = 'pending' then r.retry_at end,
      last_status_code = r.status_code, last_error = r.error, last_duration_ms = r.duration_ms,
      response_excerpt = r.excerpt,
      attempt_log = (
        select jsonb_agg(entry order by at) from (
          select entry, at from jsonb_array_elements(d.attempt_log || jsonb_build_object(
            'number', d.attempts, 'at', d.last_attempt_at, 'status_code', r.status_code, 'error', r.error,
            'duration_ms', r.duration_ms)) with ordinality as log(entry, at)
          order by at desc limit ${loggedAttempts}) last_ones)
    from decided r where d.id = r.id and d.attempts = r.attempts`
})

/** Takes back the claims of attempts that never began: their deliveries are due again at once. */
const releaseUnattempted = Effect.fnUntraced(function* (results: ReadonlyArray<DeliveryResult>) {
  if (results.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update webhook_deliveries d set attempts = d.attempts - 1, series_attempts = greatest(0, d.series_attempts - 1),
      next_attempt_at = clock_timestamp()
    from unnest(${uuids(results.map(({ claim }) => claim.id))}, ${integers(results.map(({ claim }) => claim.attempts))})
      as r(id, attempts)
    where d.id = r.id and d.attempts = r.attempts and d.status = 'pending'`
})

/**
 * Marks endpoints as failing or working. A failing one gets one attempt at a time. A single success among the results
 * shows that an endpoint works.
 */
const markFailing = Effect.fnUntraced(function* (results: ReadonlyArray<DeliveryResult>) {
  if (results.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const failing = new Map<string, boolean>()
  for (const { claim, verdict } of results) {
    failing.set(claim.webhook_id, verdict !== "succeeded" && (failing.get(claim.webhook_id) ?? true))
  }
  yield* sql`
    update webhooks w set failing = r.failing
    from unnest(${uuids([...failing.keys()])}, ${booleans([...failing.values()])}) as r(id, failing)
    where w.id = r.id and w.failing <> r.failing`
})

/** Disables webhooks whose endpoint answered 410: it wants no more events. */
const disableGone = Effect.fnUntraced(function* (results: ReadonlyArray<DeliveryResult>) {
  if (results.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update webhooks set enabled = false, disabled_reason = 'gone', revision = revision + 1, updated_at = now()
    where id = any(${uuids(results.map(({ claim }) => claim.webhook_id))}) and enabled`
})
