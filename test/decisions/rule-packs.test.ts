/** Rule packs: read, chosen, kept to and named by each decision (decision 0076). */
import { assert, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { follow, type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { campaignForm, made } from "../support/Fixtures.ts"
import { refused } from "../support/Problems.ts"
import { type Client, sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
const day = 86_400_000
/** The day on which these tests began, also where midnight passes meanwhile. */
const today = Math.floor(Date.now() / day) * day
const dateAhead = (ahead: number) => new Date(today + ahead * day).toISOString().slice(0, 10)
/** Open on one day alone, three days from now: no time zone is there yet. */
const openDay = dayNames[new Date(today + 3 * day).getUTCDay()]!

const pack = (id: string, country: string, state: string | null, rules: ReadonlyArray<object>) => ({
  id,
  name: id,
  version: "test-1",
  jurisdiction: { country, state },
  notice: "For tests.",
  rules: rules.map((rule) => ({ source: "A test", status: "unverified", title: "A rule", ...rule })),
})
const hoursOnOneDay = {
  id: "one-day",
  title: "Only on one day",
  checked: true,
  kind: "calling_hours",
  hours: [{ days: [openDay], start: "00:00", end: "24:00" }],
}
const closedNow = {
  id: "holidays",
  title: "Not on these days",
  checked: true,
  kind: "holidays",
  dates: [dateAhead(-1), dateAhead(0), dateAhead(1), dateAhead(2)],
}
const once = {
  id: "once",
  title: "One attempt a day",
  checked: true,
  kind: "frequency",
  attempts: 1,
  hours: 24,
  per: "subject",
}
const folder = mkdtempSync(join(tmpdir(), "parley-rules-"))
for (const own of [
  pack("us-one-day", "US", null, [hoursOnOneDay]),
  pack("florida-closed", "US", "FL", [closedNow]),
  pack("us-once", "US", null, [once]),
  pack("us-series", "US", null, [{ id: "series", checked: true, kind: "number_series", prefixes: ["+1999"] }]),
]) {
  writeFileSync(join(folder, `${own.id}.json`), JSON.stringify(own))
}

const packsOf = (...ids: ReadonlyArray<string>) => ({ rule_packs: JSON.stringify(ids) })
const detail = async (owner: Client, id: string, at = 0) => {
  const { items } = made(await owner.get(`/api/v1/campaigns/${id}/contacts`))
  return made(await owner.get(`/api/v1/campaigns/${id}/contacts/${items[at]!.id}`))
}

it.layer(TestServer.layerWith({ LAB_SPEED: "60", PARLEY_RULES_DIR: folder }), sideBySide)("rule packs", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("are listed with each rule's source, status, and whether Parley checks it", async (_, owner) => {
    const { items, total } = made(await owner.get("/api/v1/rule-packs?page_size=100"))
    assert.strictEqual(items.length, total)
    const ids = items.map(({ id }) => id)
    assert.includeMembers(ids, ["us-federal", "us-florida", "us-california", "uk", "germany", "canada", "india"])
    assert.include(ids, "us-one-day")
    for (const { notice, rules } of items.filter(({ version }) => version !== "test-1")) {
      assert.match(notice, /reviewed by your own lawyers/)
      for (const { checked, kind, source } of rules) {
        assert.isAbove(source.length, 5)
        assert.strictEqual(checked, kind !== "duty")
      }
    }
    const florida = made(await owner.get("/api/v1/rule-packs/us-florida"))
    assert.deepInclude(florida.rules[1], {
      kind: "frequency",
      attempts: 3,
      hours: 24,
      per: "subject",
      status: "verified",
    })
    assert.strictEqual((await owner.get("/api/v1/rule-packs/atlantis")).status, 404)
  })

  test("are chosen by id; an unknown one, and one that asks for another number, are refused with what to do", async (own) => {
    assert.deepInclude(await own.draft(numbersOf("01", 1)), { rule_packs: [], rule_pack_versions: {}, subject: null })
    const unknown = await own.upload("phone_number\n+14155550101\n", packsOf("us-federal", "atlantis"))
    assert.strictEqual(unknown.status, 400)
    assert.strictEqual(unknown.body.errors?.[0]?.pointer, "/rule_packs/1")
    assert.match(unknown.body.errors?.[0]?.detail ?? "", /us-federal/)
    const series = await own.upload("phone_number\n+14155550101\n", packsOf("us-series"))
    assert.strictEqual(series.status, 400)
    assert.match(series.body.errors?.[0]?.detail ?? "", /begins with \+1999.*Choose another phone number/)
  })

  test("put a contact off, and the decision names pack, version, rule, place and how it was found", async (own, owner, {
    url,
  }) => {
    const csv = "phone_number,country\n+14155550101,\n+442079460001,\n+442079460002,US\n"
    const { id } = made(await own.upload(csv, packsOf("us-one-day")))
    const report = made(await owner.post(`/api/v1/campaigns/${id}/preflight`, {}))
    assert.deepStrictEqual(report.rules, {
      refused: [
        { pack: "us-one-day", version: "test-1", rule: "one-day", title: "Only on one day", put_off: 2, skipped: 0 },
      ],
      unchecked: 1,
    })
    made(await own.operate(id, "start"))
    const stream = await follow(url, owner, id)
    assert.strictEqual((await stream.next(({ data }) => data?.waiting_for === "rule")).data?.counts.completed, 1)
    await stream.close()
    const first = await detail(owner, id)
    assert.deepInclude(first, { status: "pending", attempts: 0, waiting_for: "rule" })
    const opens = new Date(first.next_attempt_at!)
    // Midnight of the open day in San Francisco.
    assert.include([7, 8], opens.getUTCHours())
    assert.strictEqual(dayNames[opens.getUTCDay()], openDay)
    assert.deepInclude(first.decisions[0], { decision: "put_off", reason: "rule", until: first.next_attempt_at })
    assert.deepInclude(first.decisions[0]?.record, {
      rule: { pack: "us-one-day", version: "test-1", rule: "one-day", kind: "calling_hours", title: "Only on one day" },
      place: { country: "US", state: "CA", found_by: "prefix" },
      zones: ["America/Los_Angeles"],
    })
    // A number of London whose column says US is judged by both.
    const { decisions } = await detail(owner, id, 2)
    assert.deepInclude(decisions[0]?.record, { place: { country: "US", state: null, found_by: "column" } })
    // The call that no rule refused says by which packs it was judged.
    const [attempt] = (await detail(owner, id, 1)).attempt_log
    assert.deepInclude(attempt?.decision?.["rules"], {
      packs: { "us-one-day": "test-1" },
      place: { country: "GB", state: null, found_by: "prefix" },
    })
    const rows: ReadonlyArray<Record<string, string>> = parse(
      made(await owner.get(`/api/v1/campaigns/${id}/decisions.csv`)),
      { columns: true },
    )
    assert.deepInclude(rows[0], {
      decision: "put_off",
      rule: "rule",
      rule_pack: "us-one-day test-1",
      rule_id: "one-day",
      place: "US CA by prefix",
    })
    await own.operate(id, "stop")
  })

  test("apply to an unknown place too, and to none that is known to be elsewhere", async (own) => {
    const csv =
      "phone_number,state\n+14155550101,\n+14155550102,Florida\n+18005550101,\n+13055550101,GA\n+13055550102,\n"
    const { id } = made(await own.upload(csv, packsOf("florida-closed")))
    await own.operate(id, "start")
    await own.until(
      id,
      ({ counts: { completed, pending }, waiting_for }) => completed + pending === 5 && waiting_for === "rule",
    )
    const waits = (await own.contacts(id)).map(({ waiting_for }) => waiting_for)
    assert.deepStrictEqual(waits, [null, "rule", "rule", null, "rule"])
    await own.operate(id, "stop")
  })

  test("cap the attempts to a number on one subject over all campaigns of the account", async (own, owner) => {
    const numbers = numbersOf("01", 1)
    const on = (subject: string) => own.running(numbers, { ...packsOf("us-once"), subject })
    const first = await own.ended((await on("Solar roofs")).id)
    assert.strictEqual(first.counts.completed, 1)
    const { attempt_log } = await detail(owner, first.id)
    // The case of a subject does not matter.
    const same = await on("solar ROOFS")
    await own.until(same.id, ({ waiting_for }) => waiting_for === "rule")
    const { decisions, next_attempt_at } = await detail(owner, same.id)
    assert.strictEqual(Date.parse(next_attempt_at!), Date.parse(attempt_log[0]!.started_at) + day)
    assert.deepStrictEqual(decisions[0]?.record["earlier"], [attempt_log[0]!.started_at])
    assert.strictEqual((await own.ended((await on("Heat pumps")).id)).counts.completed, 1)
    // Without a subject, it may be about any.
    const any = await own.running(numbers, packsOf("us-once"))
    await own.until(any.id, ({ waiting_for }) => waiting_for === "rule")
    for (const { id } of [same, any]) await own.operate(id, "stop")
  })

  test("that are of one subject let one of two campaigns at once call a number", async (own) => {
    const numbers = numbersOf("01", 20)
    const fields = { ...packsOf("us-once"), subject: "Race", max_concurrent_calls: "20" }
    const drafts = [await own.draft(numbers, fields), await own.draft(numbers, fields)]
    await Promise.all(drafts.map(({ id }) => own.operate(id, "start")))
    const settled = await Promise.all(
      drafts.map(({ id }) => own.until(id, ({ ended_at, waiting_for }) => ended_at !== null || waiting_for === "rule")),
    )
    assert.strictEqual(
      settled.reduce((sum, { counts }) => sum + counts.completed, 0),
      20,
    )
    for (const { id } of drafts) await own.operate(id, "stop")
  })

  test("can be added to a running campaign, and removed only by a choice that the audit log shows", async (own, owner) => {
    const { id } = await own.running(numbersOf("01", 1), packsOf("us-one-day"))
    await own.until(id, ({ waiting_for }) => waiting_for === "rule")
    const put = (change: object) => owner.put(`/api/v1/campaigns/${id}`, change)
    const added = made(await put({ rule_packs: ["us-one-day", "us-florida"] }))
    assert.deepStrictEqual(Object.keys(added.rule_pack_versions).sort(), ["us-florida", "us-one-day"])
    const kept = await put({ rule_packs: ["us-florida"] })
    assert.deepInclude(kept.body, { status: 409, code: "invalid_state" })
    assert.match(kept.body.detail ?? "", /you left out us-one-day.*loosen_rules/)
    assert.strictEqual((await put({ subject: "Another" })).status, 409)
    made(await put({ rule_packs: ["us-florida"], loosen_rules: true }))
    assert.deepInclude((await own.ended(id)).counts, { completed: 1 })
    const [entry] = made(await owner.get(`/api/v1/audit?action=campaign.update&object_id=${id}`)).items
    const change = entry?.changes.find(({ field }) => field === "rule_packs")
    assert.deepInclude(change, { before: ["us-one-day", "us-florida"], after: ["us-florida"] })
  })

  test("skip a contact for good that no hour permits, together with the campaign's own window", async (own, owner) => {
    const other = dayNames[(dayNames.indexOf(openDay) + 1) % 7]
    const calling_window = JSON.stringify({ days: [other], start: "12:00", end: "13:00", time_zone: "contact" })
    const { id } = await own.running(numbersOf("01", 1), { ...packsOf("us-one-day"), calling_window })
    assert.deepInclude((await own.ended(id)).counts, { skipped: 1 })
    assert.strictEqual((await detail(owner, id)).skip_reason, "outside_window")
  })

  test("forbid direct calls that name them, with the rule, the place and when it opens, and are named by those they permit", async (own, owner) => {
    const place = (to: string, more: object) => owner.post("/api/v1/calls", { ...own.line, to, ...more })
    const [to] = numbersOf("01", 1)
    const one = { rule_packs: ["us-one-day"] }
    const closed = await place(to!, one)
    const { opens_at = "" } = refused(closed, 409, "rule")
    assert.strictEqual(dayNames[new Date(opens_at).getUTCDay()], openDay)
    const where = { country: "US", state: "CA", found_by: "prefix" }
    const rule = { pack: "us-one-day", version: "test-1", rule: "one-day" }
    assert.deepInclude<object>(closed.body, { ...rule, place: where })
    const says = `forbids a call to ${to} now: Only on one day. The number counts as one of US-CA (by its prefix). All rules of the packs permit the call from ${opens_at} on`
    assert.include(closed.body.detail, says)
    refused(await place(to!, { rule_packs: ["us-one-day", "atlantis"] }), 400, "invalid_request", "/rule_packs/1")
    refused(await place(to!, { rule_packs: ["us-series"] }), 400, "invalid_request", "/rule_packs/0")
    refused(await place(to!, { rule_packs: "us-once" }), 400, "invalid_request", "/rule_packs")
    assert.strictEqual(made(await owner.get("/api/v1/calls")).total, 0)
    // The variables say that the person is elsewhere.
    const { id } = made(await place(to!, { ...one, variables: { country: "GB" } }))
    const call = await until(async () => {
      const read = made(await owner.get(`/api/v1/calls/${id}`))
      return read.ended_at !== null && typeof read.receipt === "object" && read
    })
    assert.deepInclude(call.receipt, { seq: 1, seal: 1 })
    assert.deepInclude(call.decision?.["rules"], {
      packs: { "us-one-day": "test-1" },
      place: { country: "GB", state: null, found_by: "column" },
    })
    assert.deepInclude(call.decision, { rule: "direct_call", do_not_call: false, window: null })
    const plain = made(await place(to!, {}))
    assert.doesNotHaveAnyKeys(plain, ["decision", "receipt"])
  })

  test("count direct calls that name them, also those that begin at once, and campaigns count these", async (own, owner) => {
    const [to] = numbersOf("01", 1)
    const about = (subject: string) => ({ ...own.line, to, rule_packs: ["us-once"], subject })
    const answers = await Promise.all([1, 2, 3].map(() => owner.post("/api/v1/calls", about("Solar roofs"))))
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409])
    const first = made(answers.find(({ status }) => status === 201)!)
    const { opens_at = "" } = refused(await owner.post("/api/v1/calls", about("solar ROOFS")), 409, "rule")
    assert.strictEqual(Date.parse(opens_at), Date.parse(first.started_at) + day)
    await until(async () => made(await owner.get(`/api/v1/calls/${first.id}`)).ended_at !== null)
    const same = await own.running([to!], { ...packsOf("us-once"), subject: "Solar roofs" })
    await own.until(same.id, ({ waiting_for }) => waiting_for === "rule")
    assert.deepStrictEqual((await detail(owner, same.id)).decisions[0]?.record["earlier"], [first.started_at])
    assert.strictEqual(
      (await own.ended((await own.running([to!], { ...packsOf("us-once"), subject: "Pumps" })).id)).counts.completed,
      1,
    )
    refused(await owner.post("/api/v1/calls", about("Pumps")), 409, "rule")
    await own.operate(same.id, "stop")
  })

  test("are the same over the form and the update of a draft", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 1), packsOf("us-federal"))
    const changed = made(await owner.put(`/api/v1/campaigns/${id}`, { rule_packs: ["us-once"], subject: "Roofs" }))
    assert.deepInclude(changed, {
      rule_packs: ["us-once"],
      rule_pack_versions: { "us-once": "test-1" },
      subject: "Roofs",
    })
    const wrong = await owner.put(`/api/v1/campaigns/${id}`, { rule_packs: ["us-once", "us-once"] })
    assert.strictEqual(wrong.status, 400)
    const form = campaignForm({ name: "x", ...own.line, rule_packs: "us-once" }, "phone_number\n+14155550101\n")
    assert.strictEqual((await owner.request("POST", "/api/v1/campaigns", { body: form })).status, 400)
  })
})
