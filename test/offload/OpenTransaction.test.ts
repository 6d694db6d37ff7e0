import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Offload from "../../src/offload/Offload.ts"
import { CurrentTenant } from "../../src/tenancy/CurrentTenant.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import * as TestTenancy from "../support/TestTenancy.ts"
import { jobOf, spin } from "./Jobs.ts"

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
})
