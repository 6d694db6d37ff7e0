/**
 * Refuses a pool with a number that the account does not have, or with a number of another carrier. The numbers of a
 * campaign that has ended may be deleted or get another carrier; its copy leaves them out.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Carrier } from "../domain/PhoneNumber.ts"
import { invalid, UnknownReference } from "../domain/Refusals.ts"
import { uuids } from "../tenancy/Columns.ts"
import * as Rows from "../tenancy/Rows.ts"

interface Pooled {
  readonly phone_number_id: string
  readonly caller_numbers: ReadonlyArray<string>
}

/** All numbers that the campaign dials from. */
export const numbersOf = ({ caller_numbers, phone_number_id }: Pooled): ReadonlyArray<string> => [
  phone_number_id,
  ...caller_numbers,
]

/** Returns the further numbers that a pool may have now, in their order. They are locked as by `checkPool`. */
export const stillUsable = Effect.fn("CallerNumberCheck.stillUsable")(function* (pooled: Pooled) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select id from phone_numbers where id = any(${uuids(pooled.caller_numbers)})
      and carrier = coalesce((select carrier from phone_numbers where id = ${pooled.phone_number_id}), carrier)
    order by id for key share`
  const usable = new Set(rows.map(({ id }) => id))
  return pooled.caller_numbers.filter((id) => usable.has(id))
})

const Row = Schema.Struct({ id: Schema.String, number: Schema.String, carrier: Carrier })

/** The numbers are locked, so that they cannot be deleted until the transaction ends. */
export const checkPool = Effect.fn("CallerNumberCheck.checkPool")(function* (pooled: Pooled) {
  const { caller_numbers, phone_number_id } = pooled
  if (caller_numbers.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Rows.all(Row)(sql`
    select id, number, carrier from phone_numbers where id = any(${[...numbersOf(pooled)]}::uuid[])
    order by id for key share`).pipe(Effect.orDie)
  const known = new Map(rows.map((row) => [row.id, row]))
  const numberAt = (id: string) => known.get(id.toLowerCase())
  const unknown = caller_numbers.flatMap((id, index) =>
    numberAt(id) === undefined
      ? [{ pointer: `/caller_numbers/${index}`, detail: `refers to an unknown phone number of this account: ${id}` }]
      : [],
  )
  if (unknown.length > 0) return yield* new UnknownReference({ errors: unknown })
  const main = numberAt(phone_number_id)
  const index = caller_numbers.findIndex((id) => numberAt(id)?.carrier !== main?.carrier)
  const other = numberAt(caller_numbers[index] ?? "")
  if (main === undefined || other === undefined) return
  return yield* invalid(
    `/caller_numbers/${index}`,
    `must have the carrier of phone_number_id: ${other.number} is a number of ${other.carrier}, and ${main.number} of ${main.carrier}`,
  )
})
