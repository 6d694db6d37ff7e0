/** The erasure of a person and of a call, over HTTP, with the account's whole database read afterwards. */
import { assert, it } from "@effect/vitest"
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import * as Invariants from "../../src/cli/Invariants.ts"
import { openAccount } from "../support/AccountTables.ts"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { receiver } from "../support/Receiver.ts"
import { speak, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const directory = `parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const recordings = mkdtempSync(join(tmpdir(), "parley-erasure-"))
const platform = new URL(inject("postgres"))
platform.pathname = `/${directory}`

const person = "+14155550199"
const other = "+14155550101"
const digits = "4155550199"
const nothing = {
  calls: 0,
  transcripts: 0,
  recordings: 0,
  recordings_elsewhere: 0,
  contacts: 0,
  decisions: 0,
  events: 0,
  webhook_answers: 0,
  idempotent_answers: 0,
  consents: 0,
  do_not_call: false,
}
const pathOf = (number: string) => `/api/v1/people/${encodeURIComponent(number)}` as const

it.layer(
  TestServer.layerWith({
    DATABASE_URL: platform.href,
    PARLEY_RECORDINGS_DIR: recordings,
    PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1",
  }),
  { excludeTestServices: true, timeout: "120 seconds" },
)("the erasure of a person", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("leaves no trace of the number in any table or file, and the counts of campaigns as they were", async (own, owner) => {
    const database = await openAccount(directory, owner.account)
    const csv = `phone_number,first_name\n${person},Zacharias\n${other},Ada\n`
    const { id } = made(await own.upload(csv))
    await own.operate(id, "start")
    const before = await own.ended(id)
    const call = (await own.contacts(id))[0]!.last_call_id!
    const direct = made(await owner.post("/api/v1/calls", { ...own.line, to: `${person.slice(0, -2)}01` }))
    const file = join(recordings, database.id, call.slice(-2), `${call}.wav`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, "sound")
    await database.query("insert into recordings (id, call_id, host) values ($1, $1, $2)", [call, hostname()])
    // The lab's 99 asks never to be called again.
    await until(async () => made(await owner.get("/api/v1/suppressions")).total === 1)
    made(await owner.post("/api/v1/suppressions", { phone_number: person, reason: "Zacharias wrote a letter" }))
    const agreed = { phone_number: person, basis: "express" as const, at: "2026-01-01T00:00:00Z" }
    made(await owner.post("/api/v1/consents", { consents: [{ ...agreed, text: "Zacharias said yes" }] }))
    await own.upload(csv)
    assert.include(await database.tablesWith(digits), "calls")

    const erased = made(await owner.delete(pathOf(person)))
    assert.include(erased, { calls: 1, transcripts: 1, recordings: 1, contacts: 2, consents: 2, do_not_call: true })
    assert.isAtLeast(erased.events, 3)
    assert.deepStrictEqual(await database.tablesWith(digits), [])
    assert.deepStrictEqual(await database.tablesWith("Zacharias"), [])
    assert.isFalse(existsSync(file))
    assert.strictEqual((await owner.get(`/api/v1/calls/${call}`)).status, 404)
    assert.strictEqual((await owner.get(`/api/v1/calls/${direct.id}`)).status, 200)

    for (const { query, says } of Invariants.all) assert.deepStrictEqual(await database.query(query), [], says)
    const after = await own.get(id)
    assert.deepStrictEqual(after.counts, before.counts)
    const [anonymous, ada] = await own.contacts(id)
    assert.deepInclude(anonymous, { phone_number: null, custom_fields: {}, last_call_id: null, outcome: "answered" })
    assert.deepInclude(ada, { phone_number: other, custom_fields: { first_name: "Ada" } })
    const results = String((await owner.get(`/api/v1/campaigns/${id}/results.csv`)).body)
    assert.lengthOf(results.trim().split("\n"), 3)
    const events = made(await owner.get("/api/v1/events?limit=1000"))
    assert.notInclude(JSON.stringify(events), digits)
    assert.strictEqual((await owner.get(`/api/v1/campaigns/${id}/decisions.csv`)).status, 200)
    assert.deepStrictEqual(made(await owner.delete(pathOf("+1 (415) 555-0199"))), { ...nothing, do_not_call: true })
    await database.close()
  })

  test("finds the person by a further number too, and erases the calls to the others with the contact", async (own, owner) => {
    const database = await openAccount(directory, owner.account)
    const list = `phone_number,mobile\n+14155552701,${person}\n`
    const { id } = made(await own.upload(list, { additional_number_columns: '["mobile"]' }))
    await own.operate(id, "start")
    await own.ended(id)
    assert.include(made(await owner.delete(pathOf(person))), { calls: 1, contacts: 1, do_not_call: false })
    assert.deepStrictEqual(await database.tablesWith(digits), [])
    assert.deepStrictEqual(await database.tablesWith("4155552701"), [])
    for (const { query, says } of Invariants.all) assert.deepStrictEqual(await database.query(query), [], says)
    await database.close()
  })

  test("keeps the number from being dialled by a call, a new campaign or a preflight, until it is taken off the list", async (own, owner) => {
    made(await owner.post("/api/v1/suppressions", { phone_number: other }))
    assert.isTrue(made(await owner.delete(pathOf(other))).do_not_call)
    assert.strictEqual(made(await owner.get("/api/v1/suppressions")).total, 0)
    const place = () => owner.post("/api/v1/calls", { ...own.line, to: other })
    refused(await place(), 409, "do_not_call")
    const { id } = await own.draft([other, "+14155550102"])
    const forecast = made(await owner.post(`/api/v1/campaigns/${id}/preflight`, {}))
    assert.strictEqual(forecast.skipped.do_not_call, 1)
    await own.operate(id, "start")
    await own.ended(id)
    const [skipped] = await own.contacts(id)
    assert.deepInclude(skipped, { status: "skipped", skip_reason: "do_not_call", attempts: 0 })
    const detail = made(await owner.get(`/api/v1/campaigns/${id}/contacts/${skipped!.id}`))
    assert.deepInclude(detail.decisions[0]?.record.suppression, { source: "api", reason: null, phone_number: other })
    const entry = `/api/v1/suppressions/${encodeURIComponent(other)}`
    assert.strictEqual((await owner.delete(entry)).status, 204)
    assert.strictEqual((await owner.delete(entry)).status, 404)
    assert.strictEqual((await place()).status, 201)
  })

  test("skips contacts that still wait, which ends their campaign, and leaves drafts readable", async (own, owner) => {
    const inThreeDays = new Date(Date.now() + 3 * 86_400_000)
    const day = inThreeDays.toLocaleDateString("en", { weekday: "short", timeZone: "UTC" }).toLowerCase()
    const window = { days: [day], start: "09:00", end: "20:00", time_zone: "UTC" }
    const later = { calling_window: JSON.stringify(window) }
    const { id } = await own.running([person], later)
    const draft = made(await own.upload(`phone_number,first_name\n${person},\n${other},Ada\n`))
    const erased = made(await owner.delete(pathOf(person)))
    assert.include(erased, { calls: 0, contacts: 2, do_not_call: false })
    const ended = await own.get(id)
    assert.include(ended, { status: "completed", end_reason: "finished" })
    assert.deepInclude((await own.contacts(id))[0], { status: "skipped", skip_reason: "erased" })
    const read = await own.get(draft.id)
    assert.deepInclude(read.counts, { total: 2, pending: 1, skipped: 1 })
    assert.notInclude(JSON.stringify(read), digits)
    made(await owner.post(`/api/v1/campaigns/${draft.id}/preflight`, {}))
    await own.operate(draft.id, "start")
    assert.deepInclude((await own.ended(draft.id)).counts, { completed: 1, skipped: 1 })
  })

  test("is refused during a call of the person", async (own, owner) => {
    // Rings for half a second of real time.
    const busy = "+14155550175"
    const call = made(await owner.post("/api/v1/calls", { ...own.line, to: busy }))
    const refusal = refused(await owner.delete(pathOf(busy)), 409, "invalid_state")
    assert.include(["queued", "ringing"], (refusal as { state?: string }).state)
    refused(await owner.delete(`/api/v1/calls/${call.id}`), 409, "invalid_state")
    await until(async () => made(await owner.get(`/api/v1/calls/${call.id}`)).ended_at !== null)
    assert.strictEqual(made(await owner.delete(pathOf(busy))).calls, 1)
  })

  test("may run while the campaign dials: every person is erased in the end, and every promise kept", async (own, owner) => {
    const database = await openAccount(directory, owner.account)
    const numbers = numbersOf("01", 60)
    const { id } = await own.running(numbers, { max_concurrent_calls: "20" })
    const erase = async (number: string): Promise<void> => {
      for (let status = 409; status === 409;) {
        ;({ status } = await owner.delete(pathOf(number)))
        assert.include([200, 409], status)
      }
    }
    await Promise.all(numbers.map(erase))
    const { counts } = await own.ended(id)
    assert.deepInclude(counts, { total: 60, pending: 0, in_progress: 0 })
    assert.strictEqual(counts.completed + counts.skipped, 60)
    for (const number of numbers) await erase(number)
    assert.deepStrictEqual(await database.tablesWith("+1415510"), [])
    for (const { query, says } of Invariants.all) assert.deepStrictEqual(await database.query(query), [], says)
    await database.close()
  })

  test("removes what webhooks' servers answered, and delivers the events of others", async (own, owner) => {
    const customer = await receiver()
    customer.answer("/hook", (response, { body }) => response.writeHead(200).end(body))
    const webhook = made(await owner.post("/api/v1/webhooks", { url: customer.at("/hook"), events: ["call.ended"] }))
    for (const to of [person, other]) made(await owner.post("/api/v1/calls", { ...own.line, to }))
    const deliveries = async () => made(await owner.get(`/api/v1/webhooks/${webhook.id}/deliveries`)).items
    await until(async () => (await deliveries()).filter(({ status }) => status === "succeeded").length === 2)
    assert.include(JSON.stringify(await deliveries()), digits)
    assert.strictEqual(made(await owner.delete(pathOf(person))).webhook_answers, 1)
    const left = JSON.stringify(await deliveries())
    assert.notInclude(left, digits)
    assert.include(left, other)
    customer.close()
  })

  test("reaches no other account, asks for write, and knows only numbers", async (own, owner, { url }) => {
    const call = made(await owner.post("/api/v1/calls", { ...own.line, to: person }))
    await until(async () => made(await owner.get(`/api/v1/calls/${call.id}`)).ended_at !== null)
    const stranger = await speak(url).ownerOf("stranger")
    assert.deepStrictEqual(made(await stranger.delete(pathOf(person))), nothing)
    refused(await stranger.delete(`/api/v1/calls/${call.id}`), 404, "not_found")
    const { key } = made(await owner.post("/api/v1/api-keys", { name: "reader", scopes: ["read", "dial"] }))
    refused(await owner.delete(pathOf(person), { token: key }), 403, "missing_scope")
    refused(await owner.delete(`/api/v1/calls/${call.id}`, { token: key }), 403, "missing_scope")
    for (const odd of ["nobody", "+1", "%25", "+1415555019900000000", "' or true --"]) {
      refused(await owner.delete(pathOf(odd)), 404, "not_found")
    }
    assert.strictEqual((await owner.get(`/api/v1/calls/${call.id}`)).status, 200)
    assert.strictEqual((await owner.delete(`/api/v1/calls/${call.id}`)).status, 204)
    refused(await owner.delete(`/api/v1/calls/${call.id}`), 404, "not_found")
    refused(await owner.delete("/api/v1/calls/none"), 404, "not_found")
  })

  test("keeps its promise over many calls and an answer stored for a key", async (own, owner) => {
    const database = await openAccount(directory, owner.account)
    const headers = { "idempotency-key": "once" }
    made(await owner.post("/api/v1/suppressions", { phone_number: person }, { headers }))
    await owner.delete(`/api/v1/suppressions/${encodeURIComponent(person)}`)
    const call = made(await owner.post("/api/v1/calls", { ...own.line, to: person }, { headers }))
    await until(async () => made(await owner.get(`/api/v1/calls/${call.id}`)).ended_at !== null)
    await database.query(
      `insert into calls (id, direction, status, outcome, agent_id, agent_name, from_number, node_id, started_at, ended_at)
       select gen_random_uuid(), 'inbound', 'completed', 'answered', agent_id, agent_name, $1, node_id, now(), now()
       from calls, generate_series(1, 250)`,
      [person],
    )
    const erased = made(await owner.delete(pathOf(person)))
    assert.include(erased, { calls: 251, idempotent_answers: 2 })
    assert.deepStrictEqual(await database.tablesWith(digits), [])
    await database.close()
  })

  test("over the router needs no transaction around it: no sound is deleted whose call a rollback would keep", async (own, owner) => {
    const database = await openAccount(directory, owner.account)
    // As if the database failed when the answer to the request was to be stored.
    await database.query(
      `create function fail_answer() returns trigger language plpgsql as $$ begin raise 'full'; end $$`,
    )
    await database.query(
      "create trigger fail_answer before insert on idempotency for each row execute function fail_answer()",
    )
    const headers = { "idempotency-key": "once" }
    for (const erasure of ["calls.remove", "people.erase"] as const) {
      const { id } = made(await owner.post("/api/v1/calls", { ...own.line, to: other }))
      await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).ended_at !== null)
      const file = join(recordings, database.id, id.slice(-2), `${id}.wav`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, "sound")
      await database.query("insert into recordings (id, call_id, host) values ($1, $1, $2)", [id, hostname()])
      const input = erasure === "calls.remove" ? { id } : { phone_number: other }
      await owner.post(`/trpc/${erasure}`, input, { headers })
      assert.strictEqual(existsSync(file), (await owner.get(`/api/v1/calls/${id}`)).status === 200, erasure)
    }
    await database.close()
  })
})
