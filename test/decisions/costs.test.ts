/** What calls cost by a price list, and campaigns that may spend only so much (decision 0079). */
import { assert, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { follow, type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

const file = join(mkdtempSync(join(tmpdir(), "parley-test-prices-")), "prices.json")
const from = "2026-01-01"
writeFileSync(
  file,
  JSON.stringify({
    currency: "USD",
    // The lab's calls do not depend on the speed of this machine if each costs the same.
    carriers: [{ carrier: "lab", prefix: "+", from, per_minute: "0", per_call: "0.015", increment_seconds: 60 }],
    agent_at_most: [{ from, per_minute: "0.02" }],
  }),
)

it.layer(TestServer.layerWith({ LAB_SPEED: "60", PARLEY_PRICES_FILE: file }), sideBySide)("what calls cost", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("is charged at the list's prices, by part, and the campaign's sum is that of its calls", async (own, owner, {
    url,
  }) => {
    const { id } = await own.running([...numbersOf("01", 3), ...numbersOf("70", 1)], { max_concurrent_calls: "4" })
    await own.ended(id)
    const { items } = made(await owner.get(`/api/v1/calls?campaign_id=${id}`))
    for (const { cost, outcome } of items) {
      const [amount, parts] = outcome === "busy" ? [0, {}] : [0.015, { telephony: 0.015, brain: 0 }]
      assert.deepStrictEqual<object>(cost, { amount, currency: "USD", parts })
    }
    assert.strictEqual(items.length, 4)
    const sum = { amount: 0.045, currency: "USD", parts: { telephony: 0.045, brain: 0 } }
    const stream = await follow(url, owner, id)
    const { data } = await stream.next(({ data }) => data !== undefined)
    assert.deepStrictEqual<unknown>(data?.cost, sum)
    await stream.close()
    const events = made(await owner.get("/api/v1/events?type=campaign.completed")).items
    assert.deepStrictEqual<unknown>(
      events.map(({ data }) => "counts" in data && data.cost),
      [sum],
    )
    const csv = made(await owner.get(`/api/v1/campaigns/${id}/results.csv`)) as unknown as string
    const rows = csv.trimEnd().split("\r\n")
    assert.deepStrictEqual(
      rows.map((row) => row.split(",").slice(-7).join()),
      [
        "cost,currency,cost_telephony,cost_brain,cost_recogniser,cost_voice,not_priced",
        ...Array.from({ length: 3 }, () => "0.015,USD,0.015,0,,,"),
        "0,USD,,,,,",
      ],
    )
  })

  test("is never more than max_spend: the campaign waits, and dials on when it is raised", async (own, owner, {
    url,
  }) => {
    made(await owner.put(`/api/agents/${own.line.agent_id}`, { max_call_seconds: 60 }))
    const { id } = await own.running(numbersOf("01", 6), { max_concurrent_calls: "6", max_spend: "0.1" })
    // A call may cost 0.055: 0.015, and 0.02 for its minute and one of grace. After four calls of 0.015 no other fits.
    const waits = await own.until(
      id,
      ({ counts, waiting_for }) => waiting_for === "spend_cap" && counts.completed === 4,
    )
    assert.deepInclude(waits, { status: "running", max_spend: "0.10" })
    const stream = await follow(url, owner, id)
    const { data } = await stream.next(({ data }) => data !== undefined)
    assert.deepStrictEqual(data?.spend, {
      spent: "0.06",
      written_off: "0.00",
      reserved: "0.00",
      limit: "0.10",
      currency: "USD",
    })
    await stream.close()
    const { key } = made(await owner.post("/api/v1/api-keys", { name: "k", scopes: ["read", "write"] }))
    const path = `/api/v1/campaigns/${id}` as const
    const more = { max_spend: "5" }
    assert.strictEqual((await owner.put(path, more, { token: key })).status, 403)
    assert.strictEqual(made(await owner.put(path, more)).max_spend, "5.00")
    assert.deepInclude(await own.ended(id), { end_reason: "finished", waiting_for: null })
  })

  test("is limited for the account and its day: calls beyond daily_spend_cap wait, or are refused with what is left", async (own, owner, {
    account,
    admin,
    url,
  }) => {
    made(await owner.put(`/api/agents/${own.line.agent_id}`, { max_call_seconds: 60 }))
    assert.strictEqual(made(await admin.put(account, { daily_spend_cap: "0.08" })).daily_spend_cap, "0.08")
    // A call may cost 0.055 and costs 0.015: after two of them 0.05 is left, which is too little.
    const { id } = await own.running(numbersOf("01", 4), { max_concurrent_calls: "4" })
    const isStuck = ({ counts, waiting_for }: { counts: { completed: number }; waiting_for: string | null }) =>
      waiting_for === "spend_cap" && counts.completed === 2
    assert.include((await own.until(id, isStuck)).waiting_detail, "the account's daily_spend_cap does not cover")
    const stream = await follow(url, owner, id)
    const { data } = await stream.next(({ data }) => data !== undefined)
    const figures = { spent: "0.03", reserved: "0.00", limit: "0.08", currency: "USD" }
    assert.deepStrictEqual(data?.daily_spend, figures)
    await stream.close()
    const { agent_id, phone_number_id } = own.line
    const call = () => owner.post("/api/v1/calls", { agent_id, phone_number_id, to: "+14155559901" })
    const { body, headers, status } = await call()
    assert.strictEqual(status, 429)
    const detail = "The account has 0.03 USD spent and 0.00 reserved of its 0.08 today, and this call may cost 0.055"
    assert.deepInclude<object>(body, { code: "spend_cap", detail, needed: "0.055", ...figures })
    assert.isAtLeast(Number(headers.get("retry-after")), 1)
    assert.isNull(headers.get("ratelimit"))
    made(await admin.put(account, { daily_spend_cap: "5" }))
    made(await call())
    assert.deepInclude(await own.ended(id), { end_reason: "finished", waiting_for: null, waiting_detail: null })
  })

  test("is foreseen by a preflight in the worst case: how many calls each limit covers at least, and what to do", async (own, owner, {
    account,
    admin,
  }) => {
    made(await owner.put(`/api/agents/${own.line.agent_id}`, { max_call_seconds: 60 }))
    const { id } = await own.draft(numbersOf("01", 20), { max_concurrent_calls: "20" })
    const foresee = async (starting_at?: string) =>
      made(await owner.post(`/api/v1/campaigns/${id}/preflight`, { answer_rate: 1, starting_at })).spend_caps
    assert.deepStrictEqual<unknown>(await foresee(), [])
    const { id: before } = await own.running(numbersOf("01", 2, 2_000), { max_concurrent_calls: "2" })
    await own.ended(before)
    made(await owner.put(`/api/v1/campaigns/${id}`, { max_spend: "0.5" }))
    made(await admin.put(account, { daily_spend_cap: "0.3" }))
    // A call may cost 0.055, and the two of the campaign before have cost 0.015 each.
    const each = { reserved: "0.00", currency: "USD", reserved_per_call: { least: "0.055", most: "0.055" } }
    const own_cap = { cap: "max_spend", limit: "0.50", spent: "0.00", covers: 9, needed: "1.10", ...each }
    const of_day = { cap: "daily_spend_cap", limit: "0.30", spent: "0.03", covers: 4, needed: "1.13", ...each }
    const today = await foresee()
    assert.deepStrictEqual<unknown>(
      today.map(({ warning: _, ...cap }) => cap),
      [own_cap, of_day],
    )
    assert.include(
      today[0]?.warning,
      "What is left of max_spend, 0.50 USD, covers at least 9 of 20 calls, at 0.055 USD",
    )
    assert.include(
      today[1]?.warning,
      "cap of 0.30 USD, of which 0.03 are spent or reserved today, covers at least 4 of 20 calls",
    )
    const later = (await foresee("2099-03-02T09:00:00Z"))[1]
    assert.deepInclude<object | undefined>(later, { ...of_day, spent: "0.00", covers: 5, needed: "1.10" })
    made(await owner.put(`/api/v1/campaigns/${id}`, { max_spend: "1.1" }))
    assert.deepInclude((await foresee())[0], { covers: 20, warning: null })
    made(await owner.put(`/api/phone-numbers/${own.line.phone_number_id}`, { carrier: "telnyx" }))
    const unpriced = await foresee()
    assert.deepStrictEqual(
      unpriced.map(({ covers, needed }) => [covers, needed]),
      [
        [null, null],
        [null, null],
      ],
    )
    assert.match(
      unpriced[0]?.warning ?? "",
      /^The campaign's max_spend cannot be kept: .*carriers has no price of outbound calls over telnyx/,
    )
    assert.match(unpriced[1]?.warning ?? "", /^The account's daily_spend_cap cannot be kept: /)
  })

  test("is an exact amount: everything else is refused, with the field that is wrong", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 1))
    for (const max_spend of [50, "1e3", "-1", "0.0000001", "1000000000", "NaN", " 5"]) {
      const answer = await owner.put(`/api/v1/campaigns/${id}`, { max_spend })
      assert.deepStrictEqual([answer.status, answer.body.errors?.[0]?.pointer], [400, "/max_spend"])
    }
    assert.isNull((await own.get(id)).max_spend)
  })

  test("cannot be limited without a price: the answer says which is missing and what to do", async (own, owner, {
    account,
    admin,
  }) => {
    const { id } = await own.draft(numbersOf("01", 1), { max_spend: "10" })
    made(await owner.put(`/api/phone-numbers/${own.line.phone_number_id}`, { carrier: "telnyx" }))
    const says =
      "cannot be kept: in today's price list, carriers has no price of outbound calls over telnyx. Add it to the file that PARLEY_PRICES_FILE names (docs/costs.md) and restart Parley, or leave out max_spend"
    const start = await own.operate(id, "start")
    assert.deepStrictEqual([start.status, start.body.detail], [409, `The campaign's max_spend ${says}.`])
    assert.strictEqual((await own.get(id)).status, "draft")
    const upload = await own.upload("phone_number\n+14155550101\n", { max_spend: "10" })
    assert.deepStrictEqual<unknown>(upload.body.errors, [{ pointer: "/max_spend", detail: says }])
    assert.strictEqual(made(await owner.get("/api/v1/campaigns")).total, 1)
    made(await owner.put(`/api/v1/campaigns/${id}`, { max_spend: null }))
    made(await admin.put(account, { daily_spend_cap: "5" }))
    const unable = "or let a platform administrator remove the cap."
    const again = await own.operate(id, "start")
    const [what] = says.split(", or leave")
    assert.deepStrictEqual([again.status, again.body.detail], [409, `The account's daily_spend_cap ${what}, ${unable}`])
    assert.strictEqual(made(await own.operate(id, "stop")).status, "completed")
  })
})
