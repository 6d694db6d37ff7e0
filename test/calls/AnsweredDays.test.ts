/** Calls that a person answered, and those of them in which no agent spoke in time. */
import { assert, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../../src/calls/Calls.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

/** Fast enough for a test, and slow enough that 2 s of phone time are more than a busy machine is late. */
const room = CallsRoom.layer({ env: { LAB_SPEED: "5" } })

const days = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select answered, abandoned from answered_days order by day`
})

const called = Effect.fnUntraced(function* (numbers: ReadonlyArray<string>, first_message: string) {
  const { intentTo } = yield* CallsRoom.equipWith({ first_message, silence_timeout_seconds: 9 })
  const calls = yield* Calls
  yield* calls.conduct(yield* CurrentTenant, yield* CallsRoom.intended(numbers.map(intentTo)))
  yield* CallsRoom.quiet
})

it.layer(room, { timeout: "60 seconds", excludeTestServices: true })("answered calls", (it) => {
  it.effect("are counted by day, and so are those of them that heard no word within two seconds", () =>
    Effect.gen(function* () {
      const speaks = yield* newAccount("speaks", CallsRoom.wide)
      const silent = yield* newAccount("silent", CallsRoom.wide)
      // One who waits for the agent to begin, one who hangs up at once, a machine, one who is busy.
      const numbers = ["+14155550165", "+14155550160", "+14155550180", "+14155550170"]
      yield* Effect.all(
        [
          called(numbers, "Hello, this is Rosa.").pipe(within(speaks)),
          // Without a greeting of its own the agent waits for the person, who waits for the agent.
          called(numbers, "").pipe(within(silent)),
        ],
        { concurrency: 2 },
      )
      assert.deepStrictEqual(yield* days.pipe(within(speaks)), [{ answered: 2, abandoned: 0 }])
      assert.deepStrictEqual(yield* days.pipe(within(silent)), [{ answered: 2, abandoned: 1 }])
      const shares = (yield* Metric.snapshot).flatMap((metric) =>
        metric.id === "parley_calls_abandoned_share_highest" && metric.type === "Gauge" ? [metric.state.value] : [],
      )
      assert.deepStrictEqual(shares, [0.5])
    }),
  )
})
