/** Who owns a call: a process that stalled and finds its calls taken over neither dials nor ends them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { v7 as uuidv7 } from "uuid"
import { Calls } from "../../../src/calls/Calls.ts"
import * as CallLog from "../../../src/calls/ledger/CallLog.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { CurrentTenant } from "../../../src/tenancy/CurrentTenant.ts"
import { PlatformDatabase } from "../../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"
import { until } from "../../support/Until.ts"

const log = join(mkdtempSync(join(tmpdir(), "parley-lab-")), "lab.jsonl")
const invites = () => (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").filter((line) => line !== "")

/** The row says that another process has it, one that lives: else the next sweep would take it back. */
const takenOver = Effect.fnUntraced(function* (id: string) {
  const [platform, sql] = [yield* PlatformDatabase, yield* SqlClient.SqlClient]
  const other = uuidv7()
  yield* platform`insert into nodes (id, seen_at) values (${other}, now() + interval '1 hour')`
  yield* sql`update calls set node_id = ${other} where id = ${id}`
})

it.layer(CallsRoom.layer({ env: { LAB_LOG: log } }), { timeout: "120 seconds", excludeTestServices: true })(
  "a call that another process has taken over",
  (it) => {
    it.effect("is not dialled by the process that intended it", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("taken")
        yield* Effect.gen(function* () {
          const calls = yield* Calls
          const { intentTo } = yield* CallsRoom.equip
          const intended = yield* calls.intend([intentTo("+14155552001")])
          yield* Effect.forEach(intended, ({ id }) => takenOver(id))
          // It stood still for longer than anybody waits.
          const before = new Date(Date.now() - 20_000)
          yield* calls.conduct(
            yield* CurrentTenant,
            intended.map((call) => ({ ...call, started_at: before })),
          )
          yield* CallsRoom.idle
          assert.deepStrictEqual(invites(), [])
        }).pipe(within(account))
      }),
    )

    it.effect("is not ended by a report of the process that owned it", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("reported")
        yield* Effect.gen(function* () {
          const calls = yield* Calls
          const sql = yield* SqlClient.SqlClient
          const { intentTo } = yield* CallsRoom.equip
          const [call] = yield* calls.intend([intentTo("+14155552002")])
          if (call === undefined) return assert.fail("no call")
          const [{ node_id } = { node_id: "" }] = yield* sql<{ node_id: string }>`select node_id from calls`
          yield* takenOver(call.id)
          const end = { outcome: "busy", end_reason: "not_answered" } as const
          const report = { call, end, ended_at: new Date(), record: new CallRecord() }
          assert.deepStrictEqual(yield* CallLog.end(node_id, [report]), [])
        }).pipe(within(account))
      }),
    )
  },
)

/** Silent lines in real time: no party hangs up on its own. */
const slowLog = join(mkdtempSync(join(tmpdir(), "parley-lab-")), "lab.jsonl")
const slow = { LAB_LOG: slowLog, LAB_SPEED: "1" }

it.layer(CallsRoom.layer({ env: slow }), { timeout: "120 seconds", excludeTestServices: true })(
  "a talk that another process has taken over",
  (it) => {
    it.effect("is released by the process that owned it, which writes nothing about it", () =>
      Effect.gen(function* () {
        const account = yield* newAccount("talking")
        yield* Effect.gen(function* () {
          const calls = yield* Calls
          const { intentTo } = yield* CallsRoom.equip
          const intended = yield* calls.intend([intentTo("+14155552065")])
          yield* calls.conduct(yield* CurrentTenant, intended)
          const said = () => (existsSync(slowLog) ? readFileSync(slowLog, "utf8") : "")
          yield* Effect.promise(() => until(() => said().includes('"answer"')))
          yield* Effect.forEach(intended, ({ id }) => takenOver(id))
          yield* CallsRoom.idle
          assert.include(said(), '"end"')
          const [row] = yield* CallsRoom.rows
          assert.deepInclude(row, { outcome: null, end_reason: null })
          assert.strictEqual(yield* CallsRoom.inUse, 1)
        }).pipe(within(account))
      }),
    )
  },
)
