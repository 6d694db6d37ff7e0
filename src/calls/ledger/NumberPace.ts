/**
 * When the next call from a number may begin, over all campaigns, direct calls and processes: one moment in the
 * account's database, read and moved on while its budget is locked, by the database's clock.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { callsPerSecond, groupOf, type NumberPace, spacingSeconds } from "../../domain/NumberPace.ts"
import type { PhoneNumber } from "../../domain/PhoneNumber.ts"
import * as Rows from "../../tenancy/Rows.ts"

type PacedNumber = Pick<PhoneNumber, "id" | "carrier" | "carrier_config">

const FreeIn = Schema.Struct({ milliseconds: Schema.Finite })

export const numberPaceOf = Effect.fnUntraced(function* (number: PacedNumber) {
  const calls_per_second = callsPerSecond(number)
  if (calls_per_second === null) return { calls_per_second, free: Infinity, free_in_ms: 0 } satisfies NumberPace
  const sql = yield* SqlClient.SqlClient
  const pace = yield* Rows.first(FreeIn)(sql`
    select (extract(epoch from free_at - clock_timestamp()) * 1000)::float8 as milliseconds
    from number_paces where phone_number_id = ${number.id}`)
  const free_in_ms = Math.max(0, Math.ceil(pace?.milliseconds ?? 0))
  return { calls_per_second, free: free_in_ms === 0 ? groupOf(calls_per_second) : 0, free_in_ms } satisfies NumberPace
})

/** So many calls from it have just been written: the next may begin after their spacing, or when it was to anyway. */
export const recordCallsFrom = Effect.fnUntraced(function* (number: PacedNumber, calls: number) {
  const rate = callsPerSecond(number)
  if (rate === null || calls === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into number_paces (phone_number_id, free_at)
    values (${number.id}, clock_timestamp() + make_interval(secs => ${spacingSeconds(rate, calls)}))
    on conflict (phone_number_id) do update set free_at = greatest(number_paces.free_at, excluded.free_at)`
})

/** Takes the next moment for one call that begins then; who looks meanwhile finds the one after it. */
export const reserve = Effect.fnUntraced(function* (number: PacedNumber) {
  const rate = callsPerSecond(number)
  if (rate === null) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update number_paces set free_at = greatest(free_at, clock_timestamp()) + make_interval(secs => ${spacingSeconds(rate, 1)})
    where phone_number_id = ${number.id}`
})

/**
 * Milliseconds by which a call that has reserved its moment is still too early: whoever had the moment before it may
 * have come late.
 */
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
