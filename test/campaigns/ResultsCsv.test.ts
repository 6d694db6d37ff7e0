/** The export of results, for what calls may record. */
import { InstallationPrices } from "../../src/catalog/PriceFile.ts"
import { prices } from "../support/Spending.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as ListHeader from "../../src/campaigns/lists/ListHeader.ts"
import * as ResultsCsv from "../../src/campaigns/ResultsCsv.ts"
import { json } from "../../src/tenancy/Json.ts"
import type { ReadPage } from "../../src/tenancy/Pages.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

/** A campaign whose calls recorded these results. */
const campaignOf = Effect.fnUntraced(function* (results: ReadonlyArray<object>) {
  const sql = yield* SqlClient.SqlClient
  const { agent_id, phone_number_id } = yield* CallsRoom.equip
  const campaign_id = uuidv7()
  yield* Campaigns.reserve(campaign_id)
  const report = json({ rows: 1, accepted: 1, duplicates: 0, invalid: 0, errors: [] })
  yield* sql`update campaigns set ${sql.update({ name: "c", import: report, agent_id, phone_number_id })}
    where id = ${campaign_id}`
  for (const [at, result] of results.entries()) {
    const [contact_id, call_id] = [uuidv7(), uuidv7()]
    const contact = { id: contact_id, position: at + 1, phone_number: `+1415555010${at}`, custom_fields: json({}) }
    yield* sql`insert into contacts ${sql.insert({ ...contact, campaign_id })}`
    const numbers = { phone_number_id, to_number: contact.phone_number, from_number: "+14155550100" }
    yield* sql`
      insert into calls ${sql.insert({
        id: call_id,
        direction: "outbound",
        status: "completed",
        agent_id,
        agent_name: "a",
        campaign_id,
        contact_id,
        attempt_number: 1,
        node_id: uuidv7(),
        started_at: new Date(),
        ended_at: new Date(),
        outcome: "answered",
        end_reason: "caller_hung_up",
        result: json(result),
        ...numbers,
      })}`
    yield* sql`update contacts set last_call_id = ${call_id} where id = ${contact_id}`
  }
  return yield* Campaigns.find(campaign_id)
})

/** The lines of the export. */
const exported = Effect.fnUntraced(function* (campaign: Campaigns.CampaignRow) {
  const services = yield* Effect.context<SqlClient.SqlClient>()
  const readPage: ReadPage = (query) => Effect.provideContext(query, services)
  const csv = yield* ResultsCsv.stream(campaign, {}, readPage)
  return (yield* csv.pipe(Stream.decodeText, Stream.mkString)).split("\r\n")
})

it.layer(CallsRoom.layer(), { timeout: "120 seconds", excludeTestServices: true })("results.csv", (it) => {
  it.effect("has a field that is named as a member of every object", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(`r${crypto.randomUUID().slice(0, 8)}`, CallsRoom.wide)
      const rows = yield* campaignOf([{ constructor: "Miller & Sons" }, { day: "monday" }]).pipe(
        Effect.flatMap(exported),
        within(account),
      )
      const lines = rows.map((line) => line.split(",").slice(6, 8).join())
      assert.deepStrictEqual(lines, ["constructor,day", "Miller & Sons,", ",monday", ""])
    }),
  )

  it.effect("has no two columns of one name, so that it can be imported as a list", () =>
    Effect.gen(function* () {
      const account = yield* newAccount(`r${crypto.randomUUID().slice(0, 8)}`, CallsRoom.wide)
      const [header = "", row = ""] = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const result = { phone_number: "+1", status: "done", day: "monday", "": "nameless", city: "Bonn" }
        const { id } = yield* campaignOf([result])
        const columns = ["status", "list_status", "day", "outcome", "currency"]
        yield* sql`update campaigns set columns = ${columns}::text[] where id = ${id}`
        const fields = Object.fromEntries(columns.map((name) => [name, `of the list: ${name}`]))
        yield* sql`update contacts set custom_fields = ${json(fields)} where campaign_id = ${id}`
        const first = { amount: 0.03, currency: "USD", parts: { telephony: 0.02, brain: 0.01 } }
        const second = { amount: 0.02, currency: "USD", parts: { telephony: 0.02 }, not_priced: ["voice", "brain"] }
        yield* sql`update calls set cost = ${json(first)}`
        yield* sql`
          insert into calls
          select (jsonb_populate_record(c, ${json({ id: uuidv7(), attempt_number: 2, cost: second })}::jsonb)).* from calls c`
        return yield* Effect.flatMap(Campaigns.find(id), exported)
      }).pipe(Effect.provideService(InstallationPrices, prices), within(account))
      const names = header.split(",")
      assert.deepStrictEqual(ListHeader.namesOf({ cells: names, fault: null, line: 1 }), names)
      const named = Object.fromEntries(row.split(",").map((cell, at) => [names[at], cell]))
      assert.deepInclude(named, { phone_number: "+14155550100", status: "pending", outcome: "" })
      assert.deepInclude(named, {
        list_status_2: "of the list: status",
        list_status: "of the list: list_status",
        day: "of the list: day",
        list_outcome: "of the list: outcome",
        currency: "of the list: currency",
      })
      // What both calls to the contact cost together.
      assert.deepInclude(named, { cost: "0.05", call_currency: "USD", cost_telephony: "0.04", cost_brain: "0.01" })
      assert.deepInclude(named, { cost_recogniser: "", cost_voice: "", not_priced: "brain voice" })
      assert.deepInclude(named, { result_day: "monday", result_status: "done", result_: "nameless", city: "Bonn" })
      assert.deepStrictEqual(names.slice(0, 10), [
        ...["phone_number", "status", "outcome", "attempts", "last_called_at", "duration_seconds"],
        ...["list_status_2", "list_status", "day", "list_outcome"],
      ])
    }),
  )
})
