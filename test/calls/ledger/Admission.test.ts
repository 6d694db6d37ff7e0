/** The cost caps in the database: the calendar day of the account's zone, on days of 23 and 25 hours too (I9). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { admit } from "../../../src/calls/ledger/Admission.ts"
import { transaction } from "../../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const hours = 3_600_000
const dayMs = 24 * hours

/** A POSIX zone counts days without the 29th of February. */
const julian = (day: Date): number => {
  const common = Date.UTC(2027, day.getUTCMonth(), day.getUTCDate())
  return Math.round((common - Date.UTC(2027, 0, 1)) / dayMs) + 1
}

/** `AAA-5` is five hours east of Greenwich. */
const offset = (east: number) => (east >= 0 ? `-${east}` : `+${-east}`)

/**
 * A zone in which it is about noon now, and the clocks change today at `change`: PostgreSQL takes such rules in the place
 * of a name, so that the test need not wait for March.
 */
const zoneOfToday = (change: "forwards" | "backwards" | "none") => {
  const now = new Date()
  const east = 12 - now.getUTCHours()
  const local = new Date(now.getTime() + east * hours)
  const midnight = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate())
  const today = julian(local)
  const far = ((today + 182) % 365) + 1
  if (change === "forwards") {
    const zone = `AAA${offset(east)}BBB${offset(east + 1)},J${today}/2,J${far}/3`
    return { zone, ends: new Date(midnight - east * hours + 23 * hours) }
  }
  if (change === "backwards") {
    const zone = `AAA${offset(east - 1)}BBB${offset(east)},J${far}/2,J${today}/3`
    return { zone, ends: new Date(midnight - east * hours + 25 * hours) }
  }
  return { zone: `AAA${offset(east)}`, ends: new Date(midnight - east * hours + 24 * hours) }
}

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("the day of a cap", (it) => {
  for (const [change, length] of [
    ["forwards", 23],
    ["backwards", 25],
    ["none", 24],
  ] as const) {
    it.effect(`of ${length} hours ends at its own midnight, and counts every call of it`, () =>
      Effect.gen(function* () {
        const account = yield* newAccount(`d${length}`, { ...CallsRoom.wide, calls_per_day: 2 })
        const { zone, ends } = zoneOfToday(change)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`update budget set time_zone = ${zone}`
          const [day] = yield* sql<{ length: number }>`
            select (extract(epoch from (date + 1)::timestamp at time zone ${zone} - date::timestamp at time zone ${zone})
              / 3600)::int as length
            from (select (clock_timestamp() at time zone ${zone})::date as date) today`
          assert.strictEqual(day?.length, length)

          const { intentTo } = yield* CallsRoom.equip
          const numbers = ["+14155551001", "+14155551002", "+14155551003"]
          assert.strictEqual((yield* CallsRoom.intended(numbers.map(intentTo))).length, 2)
          const refused = yield* transaction(admit(1))
          assert.deepInclude(refused, { admitted: 0, stopped_by: "daily_cap" })
          assert.deepStrictEqual(refused.usage.daily_cap, { used: 2, limit: 2, resets_at: ends })

          // The next day begins with nothing, and calls of the day before do not count on it.
          yield* sql`update budget set day = day - 1`
          assert.strictEqual((yield* transaction(admit(1))).usage.daily_cap.used, 0)
          const [next] = yield* CallsRoom.intended([intentTo("+14155551004")])
          assert.isDefined(next)
          assert.strictEqual((yield* transaction(admit(1))).usage.daily_cap.used, 1)
        }).pipe(within(account))
      }),
    )
  }

  it.effect("the minute slides: a call's place is free again when the call began 60 seconds ago (I9)", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("minute", { ...CallsRoom.wide, calls_per_minute: 2 })
      yield* Effect.gen(function* () {
        const { intentTo } = yield* CallsRoom.equip
        const [first] = yield* CallsRoom.intended([intentTo("+14155551001")])
        yield* CallsRoom.intended([intentTo("+14155551002"), intentTo("+14155551003")])
        const { per_minute_cap } = (yield* transaction(admit(1))).usage
        assert.deepInclude(per_minute_cap, { used: 2, limit: 2 })
        assert.strictEqual(per_minute_cap.resets_at.getTime(), (first?.started_at.getTime() ?? 0) + 60_000)
        const turnBack = (seconds: number) => CallsRoom.begunEarlier([first?.id ?? ""], seconds)
        yield* turnBack(30)
        assert.strictEqual((yield* transaction(admit(1))).admitted, 0)
        yield* turnBack(30)
        assert.strictEqual((yield* transaction(admit(5))).admitted, 1)
      }).pipe(within(account))
    }),
  )
})
