/** When the next call from a number may begin, as the account's database has it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as NumberPace from "../../../src/calls/ledger/NumberPace.ts"
import { transaction } from "../../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("the pace of a number", (it) => {
  it.effect("lets the next call begin after the spacing; a reservation moves that moment on", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("paced", CallsRoom.wide)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { intentTo, phone_number_id } = yield* CallsRoom.equip
        const pace = { carrier_config: { calls_per_second: 0.01 }, min_seconds_between_calls: null }
        const number = { id: phone_number_id, carrier: "lab", ...pace } as const
        const look = transaction(NumberPace.numberPaceOf(number))
        assert.deepInclude(yield* look, { free: 1, free_in_ms: 0 })
        const [call] = yield* CallsRoom.intended([intentTo("+14155551001")])
        yield* NumberPace.recordCallsFrom([{ ...number, calls: 1 }])
        const after = yield* look
        assert.strictEqual(after.free, 0)
        assert.isTrue(after.free_in_ms > 40_000 && after.free_in_ms <= 100_000, `${after.free_in_ms}`)
        yield* NumberPace.reserve(number)
        const { free_in_ms } = yield* look
        assert.isTrue(free_in_ms > 140_000 && free_in_ms <= 200_000, `${free_in_ms}`)

        // The call before may have begun late: then the reserved moment is too early.
        assert.isAbove(yield* NumberPace.tooEarlyBy(number), 40_000)
        yield* sql`update calls set started_at = started_at - interval '100 seconds' where id = ${call?.id ?? ""}`
        assert.strictEqual(yield* NumberPace.tooEarlyBy(number), 0)
        yield* sql`update number_paces set free_at = free_at - interval '200 seconds'`
        assert.deepInclude(yield* look, { free: 1, free_in_ms: 0 })
      }).pipe(within(account))
    }),
  )

  it.effect("has no limit without a setting: every call may begin at once, and nothing is written", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("unpaced", CallsRoom.wide)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { phone_number_id } = yield* CallsRoom.equip
        const number: NumberPace.PacedNumber = {
          id: phone_number_id,
          carrier: "lab",
          carrier_config: {},
          min_seconds_between_calls: null,
        }
        yield* NumberPace.recordCallsFrom([{ ...number, calls: 5 }])
        assert.deepInclude(yield* NumberPace.numberPaceOf(number), { calls_per_second: null, free: Infinity })
        assert.strictEqual(yield* NumberPace.tooEarlyBy(number), 0)
        assert.deepStrictEqual(yield* sql`select * from number_paces`, [])
      }).pipe(within(account))
    }),
  )
})
