/**
 * Decides when the next call from a number may begin, over all campaigns, direct calls and processes. The moment is
 * stored in the account's database, and is read and advanced under the budget's lock, by the database's clock.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { callsPerSecond, groupOf, type NumberPace, spacingSeconds } from "../../domain/NumberPace.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"

export type PacedNumber = Pick<PhoneNumber, "id" | "carrier" | "carrier_config" | "min_seconds_between_calls">

const FreeIn = Schema.Struct({ milliseconds: Schema.Finite })

export const numberPaceOf = Effect.fnUntraced(function* (number: PacedNumber) {
  const calls_per_second = callsPerSecond(number)
  if (calls_per_second === null) return { calls_per_second, free: Infinity, free_in_ms: 0 } satisfies NumberPace
  const sql = yield* SqlClient.SqlClient
  const pace = yield* Rows.first(FreeIn)(sql`
    select (extract(epoch from free_at - clock_timestamp()) * 1000)::float8 as milliseconds
    from number_paces where phone_number_id = ${number.id}`)
  return paceAt(calls_per_second, pace?.milliseconds)
})

/** The pace of a number whose next call may begin in `milliseconds`; undefined if it has never been paced. */
export const paceAt = (calls_per_second: number, milliseconds: number | null | undefined): NumberPace => {
  const free_in_ms = Math.max(0, Math.ceil(milliseconds ?? 0))
  return { calls_per_second, free: free_in_ms === 0 ? groupOf(calls_per_second) : 0, free_in_ms }
}

/**
 * Records that `calls` calls from each number were just written: the next may begin after their spacing, or at its
 * previous moment if that is later.
 */
export const recordCallsFrom = Effect.fnUntraced(function* (
  numbers: ReadonlyArray<PacedNumber & { readonly calls: number }>,
) {
  const paced = numbers.flatMap(({ calls, ...number }) => {
    const rate = callsPerSecond(number)
    return rate === null || calls === 0 ? [] : [{ id: number.id, seconds: spacingSeconds(rate, calls) }]
  })
  if (paced.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into number_paces (phone_number_id, free_at)
    select id, clock_timestamp() + make_interval(secs => seconds)
    from jsonb_to_recordset(${json(paced)}::jsonb) as p(id uuid, seconds float8)
    on conflict (phone_number_id) do update set free_at = greatest(number_paces.free_at, excluded.free_at)`
})

/** Reserves the next moment for one call; the following reader gets the moment after it. */
export const reserve = Effect.fnUntraced(function* (number: PacedNumber) {
  const rate = callsPerSecond(number)
  if (rate === null) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update number_paces set free_at = greatest(free_at, clock_timestamp()) + make_interval(secs => ${spacingSeconds(rate, 1)})
    where phone_number_id = ${number.id}`
})

/** Milliseconds until the reserved moment of a call: the previous call may have begun late. */
export const tooEarlyBy = Effect.fnUntraced(function* (number: PacedNumber) {
  const rate = callsPerSecond(number)
  if (rate === null) return 0
  const sql = yield* SqlClient.SqlClient
  const spacing = spacingSeconds(rate, 1)
  const last = yield* Rows.first(FreeIn)(sql`
    select (extract(epoch from max(started_at) - clock_timestamp()) * 1000 + ${spacing * 1_000})::float8 as milliseconds
    from calls where phone_number_id = ${number.id} and started_at > clock_timestamp() - make_interval(secs => ${spacing})
    having count(*) > 0`)
  return Math.max(0, Math.ceil(last?.milliseconds ?? 0))
})
