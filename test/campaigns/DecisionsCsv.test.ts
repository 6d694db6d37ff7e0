/** The export of decisions: other readers see the same rows, no spreadsheet a formula, and the event loop goes on. */
import { assert, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import spectrum from "csv-spectrum"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { promisify } from "node:util"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as DecisionsCsv from "../../src/campaigns/DecisionsCsv.ts"
import { guardFormulas } from "../../src/domain/FormulaGuard.ts"
import { json } from "../../src/tenancy/Json.ts"
import type { ReadPage } from "../../src/tenancy/Pages.ts"
import { assertNoFormula, cell } from "../support/Cells.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { longestTick, mostMs } from "../support/LongestTick.ts"
import { readByPython } from "../support/PythonCsv.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const numberOf = (position: number) => `+1415555${String(position).padStart(4, "0")}`
const suppressed = (reason: string) => ({ source: "api", reason, call_id: null, created_at: "" })

/** Reads a page in the test's own account. */
const readPage = Effect.map(
  Effect.context<SqlClient.SqlClient>(),
  (services): ReadPage =>
    (query) =>
      Effect.provideContext(query, services),
)

/** A campaign with a contact for each record, left out because of it. */
const campaignOf = Effect.fnUntraced(function* (records: ReadonlyArray<object>) {
  const sql = yield* SqlClient.SqlClient
  const { agent_id, phone_number_id } = yield* CallsRoom.equip
  const id = uuidv7()
  yield* Campaigns.reserve(id)
  const report = json({ rows: 1, accepted: 1, duplicates: 0, invalid: 0, errors: [] })
  yield* sql`update campaigns set ${sql.update({ name: "c", import: report, agent_id, phone_number_id })} where id = ${id}`
  for (const [at, record] of records.entries()) {
    const contact_id = uuidv7()
    const contact = { id: contact_id, position: at + 1, phone_number: numberOf(at), custom_fields: json({}) }
    yield* sql`insert into contacts ${sql.insert({ ...contact, campaign_id: id })}`
    yield* sql`
      insert into decisions (contact_id, reason, first_at, last_at, record)
      values (${contact_id}, 'do_not_call', clock_timestamp(), clock_timestamp(), ${json(record)})`
  }
  return yield* Campaigns.find(id)
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("decisions.csv", (it) => {
  const test = <E>(name: string, body: Effect.Effect<void, E, SqlClient.SqlClient>) =>
    it.effect(name, () =>
      Effect.flatMap(
        newAccount(`d${crypto.randomUUID().slice(0, 8)}`, { ...CallsRoom.wide, concurrent_max: 5_000 }),
        (account) => within(account)(body),
      ),
    )

  test(
    "carries whatever text its cells have to the readers of Node and Python, and no line begins a formula",
    Effect.gen(function* () {
      const cases = yield* Effect.promise(() => promisify(spectrum)())
      const known = cases.flatMap(({ json: text }) => {
        const objects: unknown = JSON.parse(text.toString("utf8"))
        return [objects].flat().flatMap((object) => Object.values(object as Record<string, string>))
      })
      assert.isAbove(known.length, 50)
      const texts = [...known, ...fc.sample(cell, 300)]
      const campaign = yield* campaignOf(
        texts.map((text) => ({ agent: { name: text, revision: 1 }, suppression: suppressed(text) })),
      )
      const exported = yield* Stream.mkString(Stream.decodeText(DecisionsCsv.stream(campaign, yield* readPage)))
      const byNode: ReadonlyArray<ReadonlyArray<string>> = parse(exported, { record_delimiter: "\r\n" })
      const [byPython] = yield* Effect.promise(() => readByPython([exported]))
      assert.deepStrictEqual(byPython, byNode)
      const [header = [], ...rows] = byNode
      const columns = ["phone_number", "agent", "suppression_reason"].map((name) => header.indexOf(name))
      assert.deepStrictEqual(
        rows.map((row) => columns.map((at) => row[at])),
        texts.map((text, at) => [numberOf(at), guardFormulas(text), guardFormulas(text)]),
      )
      assertNoFormula(rows.flatMap(([, ...cells]) => cells))
    }),
  )

  test(
    "holds the event loop no longer than other work may wait, with the longest texts",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reason = '"'.repeat(1_000)
      const campaign = yield* campaignOf(Array.from({ length: 400 }, () => ({ suppression: suppressed(reason) })))
      const record = uuidv7()
      yield* sql`insert into dial_records (id, record) values (${record}, ${json({ of: 11, suppression: suppressed(reason) })})`
      for (let attempt = 1; attempt <= 11; attempt++) {
        yield* sql`
          insert into calls (id, direction, status, agent_id, agent_name, variables, node_id, started_at, campaign_id,
            contact_id, attempt_number, dial_record_id)
          select gen_random_uuid(), 'outbound', 'ringing', ${campaign.agent_id}, 'a', '{}', ${uuidv7()}::uuid,
            clock_timestamp(), campaign_id, id, ${attempt}, ${record}::uuid
          from contacts where campaign_id = ${campaign.id}`
        yield* sql`
          update calls set status = 'failed', outcome = 'unknown', ended_at = started_at
          where campaign_id = ${campaign.id} and ended_at is null`
      }
      let rows = 0
      const services = yield* Effect.context<SqlClient.SqlClient>()
      const read = yield* readPage
      const worst = yield* Effect.promise(() =>
        longestTick(async () => {
          const exported = Stream.mkString(Stream.decodeText(DecisionsCsv.stream(campaign, read)))
          rows = (await Effect.runPromiseWith(services)(exported)).split("\r\n").length - 2
        }),
      )
      assert.strictEqual(rows, 400 * 12)
      assert.isBelow(worst, mostMs)
    }),
  )
})
