/** The rows of tools' requests: which process may note one, whose result counts, and how a call gets it. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as CallLog from "../../../src/calls/ledger/CallLog.ts"
import * as ToolRequestRows from "../../../src/calls/requests/ToolRequestRows.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

/** A live call that `node` conducts, and a request of it. */
const called = Effect.fnUntraced(function* (node: string) {
  const { agent_id } = yield* CallsRoom.equip
  const visitor = { phone_number_id: null, to_number: null, from_number: null }
  const agent = { agent_id, agent_name: "Rosa", agent_version: 1 }
  const { id: call_id } = yield* CallLog.arrive(node, { direction: "web", variables: {}, ...agent, ...visitor })
  const request = { id: uuidv7(), call_id, tool_name: "book", arguments: { day: "Monday" }, is_repeatable: true }
  return { call_id, request }
})

const answered = (result: string) => ({ arguments: { day: "Monday" }, result, duration_ms: 5 })

const invocations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly results: ReadonlyArray<unknown> }>`
    select jsonb_path_query_array(tool_invocations, '$[*].result') as results from calls`
  return row?.results
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("a request of a tool", (it) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    it.effect(name, () =>
      Effect.flatMap(newAccount(`a-${uuidv7()}`, CallsRoom.wide), (account) => within(account)(Effect.orDie(body))),
    )

  test(
    "is stored by the process that conducts the call, and by no other",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [uuidv7(), uuidv7()]
      const { call_id, request } = yield* called(one)
      assert.isFalse(yield* ToolRequestRows.begin(two, request))
      assert.isTrue(yield* ToolRequestRows.begin(one, request))
      yield* sql`update calls set node_id = ${two} where id = ${call_id}`
      assert.isFalse(yield* ToolRequestRows.begin(one, { ...request, id: uuidv7() }))
      assert.strictEqual((yield* ToolRequestRows.findOf(call_id)).length, 1)
    }),
  )

  test(
    "has the result of its last attempt, and is taken by one process at a time",
    Effect.gen(function* () {
      const [one, two] = [uuidv7(), uuidv7()]
      const { call_id, request } = yield* called(one)
      yield* ToolRequestRows.begin(one, request)
      const [open] = yield* ToolRequestRows.findOpen
      assert.isDefined(open)
      if (open === undefined) return
      assert.isTrue(yield* ToolRequestRows.take(two, open))
      assert.isFalse(yield* ToolRequestRows.take(uuidv7(), open))
      yield* ToolRequestRows.answer(request.id, 1, answered("of the first"))
      yield* ToolRequestRows.answer(request.id, 2, answered("of the second"))
      const [row] = yield* ToolRequestRows.findOf(call_id)
      assert.deepStrictEqual(row?.answer, { result: "of the second" })
    }),
  )

  test(
    "is added to its call once, when the call has ended",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const node = uuidv7()
      const { request } = yield* called(node)
      yield* ToolRequestRows.begin(node, request)
      yield* ToolRequestRows.answer(request.id, 1, answered("booked"))
      yield* ToolRequestRows.deliver
      assert.deepStrictEqual(yield* invocations, [])
      yield* sql`update calls set status = 'completed', outcome = 'answered', ended_at = clock_timestamp()`
      yield* ToolRequestRows.deliver
      yield* ToolRequestRows.deliver
      assert.deepStrictEqual(yield* invocations, ["booked"])
      assert.isFalse(yield* ToolRequestRows.hasAny)
    }),
  )
})
