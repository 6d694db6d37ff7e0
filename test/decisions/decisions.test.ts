/** Why a number was dialled, put off or left out: on the contact, and for a whole campaign (decisions §1, §2 Contact). */
import { assert, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { Effect } from "effect"
import type { dialledBecause } from "../../src/domain/DialRecord.ts"
import type { Suppression } from "../../src/domain/Suppression.ts"
import { wide } from "../support/Callers.ts"
import { type Campaigner, campaigner, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { type Client, sideBySide, TestServer } from "../support/TestServer.ts"

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const utcMidnight = (ahead: number) => Math.floor(Date.now() / 86_400_000 + ahead) * 86_400_000
const anyTime = { days: [...dayNames], start: "00:00", end: "24:00", time_zone: "contact" }
/** The same for all tests, also when midnight passes between them. */
const dayAfterTomorrow = new Date(utcMidnight(2))
const inTwoDays = { ...anyTime, days: [dayNames[dayAfterTomorrow.getUTCDay()]], time_zone: "UTC" }

type Decision = ReturnType<typeof dialledBecause>

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("dial decisions", (it) => {
  const test = (
    name: string,
    body: (own: Campaigner, owner: Client, admin: Client, account: string) => Promise<void>,
  ) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => {
          const account = `/api/admin/accounts/d${crypto.randomUUID().slice(0, 8)}` as const
          const owner = await server.ownerOf(account.slice(20), wide)
          await body(await campaigner(owner), owner, await server.admin(), account)
        }),
      ),
    )
  const detail = async (owner: Client, id: string, at = 0) => {
    const { items } = made(await owner.get(`/api/v1/campaigns/${id}/contacts`))
    return made(await owner.get(`/api/v1/campaigns/${id}/contacts/${items[at]!.id}`))
  }
  const exported = async (owner: Client, id: string): Promise<ReadonlyArray<Record<string, string>>> =>
    parse(made(await owner.get(`/api/v1/campaigns/${id}/decisions.csv`)), { columns: true })

  test("each attempt says why it was made: rule, slots, caps, window with its clocks, list, agent", async (own, owner) => {
    const { id } = await own.running(numbersOf("93", 1), {
      retries_per_contact: "1",
      retry_delay_seconds: "1",
      calling_window: JSON.stringify(anyTime),
    })
    await own.ended(id)
    const { attempt_log, decisions } = await detail(owner, id)
    assert.deepStrictEqual(decisions, [])
    const [first, second] = attempt_log.map(({ decision }) => decision as unknown as Decision)
    assert.deepInclude(first, {
      rule: "first_attempt",
      attempt: 1,
      of: 2,
      waited_for: null,
      do_not_call: false,
      slots: { used: 0, limit: 1 },
      retry_delay_seconds: 1,
    })
    assert.deepStrictEqual(first!.caps.concurrent_cap, { used: 0, limit: wide.concurrent_max })
    assert.deepStrictEqual(first!.caps.daily_cap, { used: 0, limit: wide.calls_per_day })
    assert.deepStrictEqual(first!.window!.zones, ["America/Los_Angeles"])
    const clock = new Date(first!.decided_at).toLocaleString("sv-SE", { timeZone: "America/Los_Angeles" })
    assert.deepStrictEqual(first!.window!.local_times, { "America/Los_Angeles": clock.replace(" ", "T") })
    const { body: agent, headers } = await owner.get(`/api/agents/${own.line.agent_id}`)
    const revision = Number(headers.get("etag")?.replaceAll('"', ""))
    assert.deepStrictEqual(first!.agent, { id: agent.id, name: agent.name, revision })
    assert.strictEqual(first!.agent_version, agent.version)
    assert.deepInclude(second, { rule: "retry", attempt: 2, waited_for: "retry_delay" })
    assert.deepStrictEqual(second!.caps.per_minute_cap, { used: 1, limit: wide.calls_per_minute })
    assert.isAtLeast(Date.parse(second!.decided_at), Date.parse(second!.due_at!))
  })

  test("an agent that was changed is another revision in the next decision", async (own, owner) => {
    const changed = await owner.put(`/api/agents/${own.line.agent_id}`, { description: "changed" })
    const { id } = await own.running(numbersOf("01", 1))
    await own.ended(id)
    const [attempt] = (await detail(owner, id)).attempt_log
    const { agent } = attempt!.decision as unknown as Decision
    assert.strictEqual(`"${agent.revision}"`, changed.headers.get("etag"))
  })

  test("one that is put off says until when, by which clock, and how often: one line, however often", async (own, owner, admin, account) => {
    made(await admin.put(account, { calling_window: inTwoDays }))
    const { id } = await own.running(numbersOf("01", 1))
    const until = dayAfterTomorrow.toISOString()
    await own.until(id, ({ waiting_for }) => waiting_for === "calling_window")
    const once = (await detail(owner, id)).decisions
    assert.deepInclude(once[0], { decision: "put_off", reason: "calling_window", count: 1, until })
    assert.deepNestedPropertyVal(once[0]!.record, "window.zones", ["UTC"])
    assert.nestedPropertyVal(once[0]!.record, "window.local_times.UTC", once[0]!.last_at.slice(0, 19))
    // Looked at anew under a new window of the account, and put off again.
    made(await admin.put(account, { calling_window: { ...inTwoDays, end: "23:00" } }))
    let again = once
    while (again[0]!.count === 1) again = (await detail(owner, id)).decisions
    assert.strictEqual(again.length, 1)
    assert.deepInclude(again[0], { count: 2, first_at: once[0]!.first_at, until })
    assert.nestedPropertyVal(again[0]!.record, "window.end", "23:00")
    await own.operate(id, "stop")
  })

  test("one that is skipped names the entry of the do-not-call list, or says that its zone is unknown", async (own, owner) => {
    const [listed = ""] = numbersOf("01", 1)
    const entry = made(await owner.post("/api/v1/suppressions", { phone_number: listed, reason: "asked by letter" }))
    const { id } = made(
      await own.upload(`phone_number,time_zone\n${listed},UTC\n+14155550101,Mars/Olympus\n`, {
        calling_window: JSON.stringify(anyTime),
      }),
    )
    await own.operate(id, "start")
    await own.ended(id)
    const [onTheList, lost] = [await detail(owner, id), await detail(owner, id, 1)]
    assert.deepInclude(onTheList, { status: "skipped", skip_reason: "do_not_call", attempt_log: [] })
    assert.deepInclude(onTheList.decisions[0], { decision: "skipped", reason: "do_not_call", until: null })
    assert.deepStrictEqual(onTheList.decisions[0]!.record, { suppression: entry })
    assert.deepInclude(lost.decisions[0], { decision: "skipped", reason: "outside_window", count: 1, until: null })
    assert.deepNestedPropertyVal(lost.decisions[0]!.record, "window.zones", [])
  })

  test("a number that asked not to be called says in which call", async (own, owner) => {
    const [asks = ""] = numbersOf("99", 1)
    await own.ended((await own.running([asks])).id)
    const [entry] = made(await owner.get("/api/v1/suppressions")).items
    const call = made(await owner.get(`/api/v1/calls/${entry!.call_id}`))
    assert.deepInclude(entry, { phone_number: asks, source: "call" })
    assert.strictEqual(call.to, asks)
    const again = await own.running([asks])
    await own.ended(again.id)
    const [refused] = (await detail(owner, again.id)).decisions
    const { suppression } = refused!.record as unknown as { readonly suppression: typeof Suppression.Encoded }
    assert.deepInclude(suppression, { source: "call", call_id: entry!.call_id })
    const [line] = await exported(owner, again.id)
    assert.deepInclude(line, { decision: "skipped", rule: "do_not_call", suppression_call_id: entry!.call_id! })
  })

  test("a campaign's decisions come as CSV in file order, a line each, harmless to spreadsheets", async (own, owner) => {
    const evil = "=HYPERLINK(1)"
    const [dialled = "", listed = ""] = numbersOf("70", 2)
    made(await owner.post("/api/v1/suppressions", { phone_number: listed, reason: evil }))
    made(await owner.put(`/api/agents/${own.line.agent_id}`, { name: "@agent" }))
    const subject = "=dues, 2026"
    const retries = { retries_per_contact: "1", retry_delay_seconds: "0" }
    const { id } = await own.running([dialled, listed], { ...retries, subject })
    await own.ended(id)
    const text = made(await owner.get(`/api/v1/campaigns/${id}/decisions.csv`)) as unknown as string
    for (const cell of (parse(text) as Array<Array<string>>).slice(1).flatMap(([, ...others]) => others)) {
      assert.notMatch(cell, /^[=+\-@\t\r]/)
    }
    const lines = await exported(owner, id)
    assert.deepStrictEqual(
      lines.map(({ attempt, decision, phone_number, rule }) => [phone_number, decision, rule, attempt]),
      [
        [dialled, "dialled", "first_attempt", "1 of 2"],
        [dialled, "dialled", "retry", "2 of 2"],
        [listed, "skipped", "do_not_call", ""],
      ],
    )
    assert.deepInclude(lines[0], { outcome: "busy", agent: "'@agent", slots: "0 of 1", times: "1" })
    assert.strictEqual(lines[2]?.suppression_reason, `'${evil}`)
    // The last column, and only for a campaign with a subject.
    assert.match(text, /^phone_number,.*,suppressed_at,subject\r\n/u)
    assert.isTrue(lines.every((line) => line["subject"] === `'${subject}`))
  })

  test("an export is as long as the list, and empty but for its header where nothing was decided", async (own, owner) => {
    const draft = await own.draft(numbersOf("01", 3))
    const header = String(made(await owner.get(`/api/v1/campaigns/${draft.id}/decisions.csv`)))
    assert.match(header, /^phone_number,[^\n]*,suppressed_at\r\n$/u)
    const { id } = await own.running(numbersOf("01", 450), { calling_window: JSON.stringify(inTwoDays) })
    await own.until(id, ({ waiting_for }) => waiting_for === "calling_window")
    const lines = await exported(owner, id)
    assert.deepStrictEqual(
      lines.map(({ position }) => Number(position)),
      Array.from({ length: 450 }, (_, at) => at + 1),
    )
    assert.isTrue(lines.every(({ decision, rule }) => decision === "put_off" && rule === "calling_window"))
    await own.operate(id, "stop")
  })
})
