/** Connections that many fibers share: what they keep in memory, and what happens to interrupted statements. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Option } from "effect"
import { SqlClient } from "effect/sql"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** Each sends its next statement as soon as one is answered, so that the other statements are on their way. */
const readers = 16
const statementsEach = 100

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("a pool that is never idle", (it) => {
  it.effect("lets go of the rows of statements that have been answered", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("steady")
      const answers: Array<WeakRef<object>> = []
      const read = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let count = 0; count < statementsEach; count++) {
          const [row] = yield* sql<object>`select repeat('a', 1000) as text from pg_sleep(0.001)`
          if (row !== undefined) answers.push(new WeakRef(row))
          if (answers.length === readers * statementsEach - readers) collectGarbage()
        }
      })
      yield* Effect.all(
        Array.from({ length: readers }, () => read),
        { concurrency: "unbounded" },
      ).pipe(within(account))
      assert.strictEqual(answers.length, readers * statementsEach)
      const kept = answers.filter((answer) => answer.deref() !== undefined).length
      // Four connections, each with as many as it takes before it has to be idle, and as it takes at a time.
      assert.isAtMost(kept, 4 * (64 + 32))
    }),
  )

  it.effect("says that a transaction in which a statement failed was not committed", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("aborted")
      const failed = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(Effect.ignore(sql`select 1 / 0`)).pipe(Effect.flip)
      }).pipe(within(account))
      assert.strictEqual(failed.reason.message, "COMMIT rolled back an aborted transaction")
    }),
  )

  it.effect("begins a transaction although another statement was given up as it was submitted", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("given-up")
      const answers = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // In the turn in which the answer arrives, before the next statement is dispatched.
        yield* sql`select pg_sleep(0.02)`
        const givenUp = yield* Effect.forkDetach(sql`select 1`, { startImmediately: true })
        const transaction = yield* Effect.forkDetach(sql.withTransaction(sql`select 2 as two`), {
          startImmediately: true,
        })
        givenUp.interruptUnsafe()
        return yield* Fiber.join(transaction)
      }).pipe(within(account))
      assert.deepStrictEqual(answers, [{ two: 2 }])
    }),
  )

  it.effect("answers the statements after one that waits for a locked row", () =>
    Effect.gen(function* () {
      const account = yield* newAccount("waits")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const isWaiting = Effect.map(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          (rows) => rows.length > 0,
        )
        const held = yield* Latch.make()
        const free = yield* Latch.make()
        const holder = sql`select from budget for update`.pipe(
          Effect.andThen(held.open),
          Effect.andThen(free.await),
          sql.withTransaction,
        )
        const holding = yield* Effect.forkChild(holder)
        yield* held.await
        const waiting = yield* Effect.forkChild(sql`update budget set in_use = in_use`)
        // The first of these may be behind it.
        yield* Effect.repeat(Effect.timeoutOption(isWaiting, "300 millis"), { until: Option.getOrElse(() => false) })
        assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
        assert.deepStrictEqual(yield* sql.withTransaction(sql`select 2 as two`), [{ two: 2 }])
        assert.isUndefined(waiting.pollUnsafe())
        yield* free.open
        yield* Fiber.join(holding)
        yield* Fiber.join(waiting)
      }).pipe(within(account))
    }),
  )
})
