/** Extractions as rows: one process at a time has one, and a process that lost its lease writes nothing. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { CallId } from "../../../src/domain/Call.ts"
import * as ExtractionRows from "../../../src/calls/extraction/ExtractionRows.ts"
import { makeDisposition } from "../../../src/domain/CallDisposition.ts"
import { AfterCall } from "../../../src/calls/ledger/AfterCall.ts"
import { CurrentTenant } from "../../../src/tenancy/CurrentTenant.ts"
import { json, orderedJson } from "../../../src/tenancy/Json.ts"
import { rosa } from "../../support/Kit.ts"
import * as TestTenancy from "../../support/TestTenancy.ts"

const outcome_schema = { type: "object", properties: { suits: { type: "boolean" }, day: { type: "string" } } }
const transcript = [
  { role: "caller", text: "Yes, Friday.", at: "2026-11-27T10:00:00.000Z", started_ms: 1_000, ended_ms: 2_000 },
]

/** An ended call that owes an extraction. */
const owed = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const [agent_id, id] = [uuidv7(), uuidv7()]
  const agent = { id: agent_id, name: `agent-${agent_id}`, ...rosa, voice: json(rosa.voice), model: json(rosa.model) }
  yield* sql`insert into agents ${sql.insert({ ...agent, outcome_schema: orderedJson(outcome_schema) })}`
  yield* sql`
    insert into calls (id, direction, status, outcome, agent_id, agent_name, agent_version, variables, node_id, started_at,
                       ended_at, transcript, result, cost)
    values (${id}, 'web', 'completed', 'answered', ${agent_id}, 'a', 1, '{}', ${uuidv7()}, now(), now(),
            ${json(transcript)}, ${json({ callback: { at: "2027-01-01T00:00:00Z" } })}, '{}')`
  yield* sql`insert into extractions (call_id) values (${id})`
  return CallId.make(id)
})

const taken = Effect.gen(function* () {
  const found = yield* ExtractionRows.take()
  return found ?? (yield* Effect.die("none is due"))
})
const conclude = Effect.fnUntraced(function* (
  own: ExtractionRows.Owed,
  conclusion: ExtractionRows.Conclusion,
  cost: number,
) {
  const { account } = yield* CurrentTenant
  return yield* ExtractionRows.conclude(own, conclusion, cost, { account: account.slug, after: yield* AfterCall })
}, Effect.provide(AfterCall.layerNone))
const done: ExtractionRows.Conclusion = {
  state: "done",
  values: { suits: true },
  disposition: null,
  fields: [
    { name: "suits", entry: 0 },
    { name: "day", entry: null },
  ],
}
const rowOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    state: string
    result: unknown
    cost: { amount?: number }
    fields: ReadonlyArray<unknown>
  }>`
    select x.state, c.result, c.cost, result_fields(c.result, x.fields, c.transcript) as fields
    from extractions x join calls c on c.id = x.call_id where c.id = ${id}`
  return row
})

it.layer(TestTenancy.layer, { timeout: "120 seconds", excludeTestServices: true })("an extraction", (it) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient | CurrentTenant>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const account = yield* TestTenancy.newAccount(`x${uuidv7().slice(-8)}`)
        yield* body.pipe(TestTenancy.within(account))
      }),
    )

  test(
    "is taken by one process, with the schema and the model of the version that conducted the call",
    Effect.gen(function* () {
      const id = yield* owed()
      const [first, second] = yield* Effect.all([ExtractionRows.take(), ExtractionRows.take()], { concurrency: 2 })
      assert.strictEqual([first, second].filter((one) => one !== undefined).length, 1)
      const own = first ?? second
      assert.deepInclude(own, {
        call_id: id,
        attempts: 1,
        outcome_schema,
        model: rosa.model,
        prompts: ["You are Rosa."],
      })
      const next = yield* ExtractionRows.nextDue()
      assert.isTrue(next !== null && next > 170_000 && next <= 180_000, String(next))
    }),
  )
  test(
    "keeps what the agent recorded, and shows which values were read from which entries",
    Effect.gen(function* () {
      const id = yield* owed()
      const own = yield* taken
      assert.isTrue(yield* conclude(own, { ...done, values: { suits: true, callback: "never" } }, 0.25))
      const row = yield* rowOf(id)
      const callback = { at: "2027-01-01T00:00:00Z" }
      assert.deepStrictEqual(row?.result, { suits: true, callback })
      assert.strictEqual(row?.cost.amount, 0.25)
      const { at, started_ms, text } = transcript[0]!
      assert.deepStrictEqual(row?.fields, [
        { name: "suits", value: true, source: "extracted", quote: { text, role: "caller", at, started_ms, index: 0 } },
        { name: "day", value: null, source: null, quote: null },
        { name: "callback", value: callback, source: "agent", quote: null },
      ])
      assert.isNull(yield* ExtractionRows.nextDue())
    }),
  )
  test(
    "quotes only the beginning of a long utterance, even if many fields were read from it",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* owed()
      const long = [{ ...transcript[0], text: "Yes. ".repeat(1_000) }]
      yield* sql`update calls set transcript = ${json(long)} where id = ${id}`
      assert.isTrue(yield* conclude(yield* taken, done, 0))
      const quotes = (yield* rowOf(id))?.fields as ReadonlyArray<{ readonly quote: { readonly text: string } | null }>
      assert.strictEqual(quotes[0]?.quote?.text, "Yes. ".repeat(100))
    }),
  )
  test(
    "is not written by a process whose lease has expired and was taken by another",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* owed()
      const late = yield* taken
      yield* sql`update extractions set due_at = now()`
      const own = yield* taken
      assert.strictEqual(own.attempts, 2)
      assert.isFalse(yield* conclude(late, done, 0.25))
      yield* ExtractionRows.release(late)
      assert.deepInclude(yield* rowOf(id), { state: "pending", cost: {} })
      assert.isTrue(yield* conclude(own, done, 0))
      assert.isFalse(yield* conclude(own, { state: "failed", reason: "no_model" }, 0))
      const [events] = yield* sql<{ count: number }>`
        select count(*)::int from event_batches where type = 'call.extracted'`
      assert.strictEqual(events?.count, 1)
    }),
  )
  test(
    "sets the disposition, but does not replace one that a person has set",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const chosen = (source: "extracted" | "person") =>
        makeDisposition({ key: "interested", label: "Wants an offer" }, { source, by: null, at: new Date() })
      const [first, second] = [yield* owed(), yield* owed()]
      yield* sql`update calls set disposition = ${json(chosen("person"))} where id = ${second}`
      for (const _ of [first, second]) {
        assert.isTrue(yield* conclude(yield* taken, { ...done, disposition: chosen("extracted") }, 0))
      }
      const sources = yield* sql`select id, disposition ->> 'source' as source from calls`
      assert.sameDeepMembers(
        [...sources],
        [
          { id: first, source: "extracted" },
          { id: second, source: "person" },
        ],
      )
    }),
  )
  test(
    "is due again at once when its process stops",
    Effect.gen(function* () {
      yield* owed()
      yield* ExtractionRows.release(yield* taken)
      assert.strictEqual((yield* taken).attempts, 1)
    }),
  )
  test(
    "is taken without a schema if the agent was deleted in the meantime",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* owed()
      yield* sql`delete from agents`
      assert.deepInclude(yield* taken, { outcome_schema: null, model: null, prompts: [] })
    }),
  )
})
