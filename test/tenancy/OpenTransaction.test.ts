import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Offload from "../../src/offload/Offload.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as TestTenancy from "../support/TestTenancy.ts"
import { jobOf, spin } from "../offload/Jobs.ts"

it.layer(Layer.fresh(TestTenancy.layer), { excludeTestServices: true })("a transaction", (it) => {
  it.effect("stays open while its fiber waits for a worker", () =>
    Effect.gen(function* () {
      const entry = yield* TestTenancy.newAccount("waits")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // The job is ended after two seconds; the server gives a transaction less.
        const waiting = Effect.gen(function* () {
          yield* sql`set local idle_in_transaction_session_timeout = 1800`
          const [before] = yield* sql`select txid_current()::text as id`
          const overrun = yield* Effect.flip(Offload.run(jobOf(spin), null))
          assert.strictEqual(overrun._tag, "Overrun")
          const [after] = yield* sql`select txid_current()::text as id`
          assert.deepStrictEqual(after, before)
        })
        yield* transaction(waiting).pipe(Effect.provideService(CurrentTenant, entry))
      }).pipe(TestTenancy.within(entry))
    }),
  )

  it.effect("stays open while the server makes an account's database", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const { maintenance } = yield* DatabaseServer
      const isLocked = yield* Deferred.make<void>()
      // Longer than the transaction may be idle, and two renewals.
      const lock = maintenance`lock table pg_database in share mode`.pipe(
        Effect.andThen(Deferred.succeed(isLocked, undefined)),
        Effect.andThen(Effect.sleep("2500 millis")),
      )
      const locking = yield* Effect.forkChild(maintenance.withTransaction(lock))
      yield* Deferred.await(isLocked)
      yield* platform.withTransaction(
        Effect.gen(function* () {
          yield* platform`set local idle_in_transaction_session_timeout = 1800`
          const [before] = yield* platform`select txid_current()::text as id`
          yield* TestTenancy.newAccount("made-slowly")
          const [after] = yield* platform`select txid_current()::text as id`
          assert.deepStrictEqual(after, before)
        }),
      )
      yield* Fiber.join(locking)
    }),
  )
})
