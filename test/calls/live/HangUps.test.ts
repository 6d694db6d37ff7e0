import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Calls } from "../../../src/calls/Calls.ts"
import { CurrentTenant } from "../../../src/tenancy/CurrentTenant.ts"
import { PlatformDatabase } from "../../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

/** In real time, so that the phone rings for longer than the request takes. */
it.layer(CallsRoom.layer({ env: { LAB_SPEED: "1" } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a request to hang up",
  (it) => {
    it.effect("ends the call even if it is read before the process begins to conduct the call", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("early")
        yield* Effect.gen(function* () {
          const calls = yield* Calls
          const [platform, sql] = [yield* PlatformDatabase, yield* SqlClient.SqlClient]
          const { intentTo } = yield* CallsRoom.equip
          const intended = yield* CallsRoom.intended([intentTo("+14155550175")])
          const [row] = yield* sql<{ id: string; node_id: string }>`select id, node_id from calls`
          yield* platform`insert into hang_ups (call_id, node_id) values (${row?.id ?? ""}, ${row?.node_id ?? ""})`
          yield* Effect.repeat(platform`select from hang_ups`, { until: (requests) => requests.length === 0 })
          yield* calls.conduct(yield* CurrentTenant, intended)
          yield* CallsRoom.idle.pipe(Effect.timeoutOption("5 seconds"))
          const [ended] = yield* CallsRoom.rows
          assert.include({ ...ended }, { status: "failed", outcome: "no_answer", end_reason: "hung_up" })
        }).pipe(within(account))
      }),
    )
  },
)
