/** Pools of caller numbers, their limits, rests and answer rates (decision 0084). */
import { assert, it } from "@effect/vitest"
import { CampaignChange } from "../../src/rpc/inputs/Campaigns.ts"
import { type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("a pool of caller numbers", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))
  const lab = (number: string, more: object = {}) => ({ number, carrier: "lab", ...more }) as const

  test("calls from each of its numbers, which list their calls and answers by day", async (own, owner) => {
    const other = made(await owner.post("/api/phone-numbers", lab("+14155550901", { max_calls_per_day: 50 })))
    const fields = { caller_numbers: JSON.stringify([other.id]), max_concurrent_calls: "4" }
    const { id } = await own.running([...numbersOf("01", 3), ...numbersOf("70", 1)], fields)
    const ended = await own.ended(id)
    assert.deepInclude(ended, { caller_numbers: [other.id], local_presence: false, number_rest: null })
    const { items } = made(await owner.get(`/api/v1/caller-numbers?campaign_id=${id}`))
    assert.sameMembers(
      items.map((number) => number.id),
      [other.id, own.line.phone_number_id],
    )
    for (const number of items) {
      assert.deepInclude(number, { state: "free", calls_today: 2, rest: null, next_call_at: null })
      assert.deepStrictEqual(
        number.days.map(({ calls, rang }) => [calls, rang]),
        [[2, 2]],
      )
    }
    const answered = items.map(({ answers }) => answers.day_30.answered)
    assert.strictEqual(answered[0]! + answered[1]!, 3)
    const [contact] = await own.contacts(id)
    const { attempt_log } = made(await owner.get(`/api/v1/campaigns/${id}/contacts/${contact?.id ?? ""}`))
    const chosen = attempt_log[0]?.decision?.["caller_number"] as { readonly id: string; readonly because: string }
    assert.strictEqual(chosen.because, "least_recently_used")
    const { phone_number_id } = made(await owner.get(`/api/v1/calls/${attempt_log[0]?.call_id ?? ""}`))
    assert.strictEqual(phone_number_id, chosen.id)
  })

  test("has only numbers of the account and of one carrier, which cannot be deleted meanwhile", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 1))
    const path = `/api/v1/campaigns/${id}` as const
    const other = made(await owner.post("/api/phone-numbers", lab("+14155550902")))
    const config = { account_sid: `AC${"0".repeat(32)}`, auth_token: "0".repeat(32) }
    const foreign = { number: "+14155550903", carrier: "twilio", carrier_config: config } as const
    const twilio = made(await owner.post("/api/phone-numbers", foreign))
    const unknown = await owner.put(path, { caller_numbers: [id] })
    assert.deepStrictEqual([unknown.status, unknown.body.errors?.[0]?.pointer], [404, "/caller_numbers/0"])
    const mixed = await owner.put(path, { caller_numbers: [other.id, twilio.id] })
    assert.deepStrictEqual([mixed.status, mixed.body.errors?.[0]?.pointer], [400, "/caller_numbers/1"])
    assert.include(mixed.body.errors?.[0]?.detail, "is a number of twilio")
    const twice = { caller_numbers: [other.id, other.id.toUpperCase()] }
    const repeated = await owner.put(path, twice)
    assert.deepStrictEqual([repeated.status, repeated.body.errors?.[0]?.pointer], [400, "/caller_numbers"])
    assert.isFalse(CampaignChange.safeParse(twice).success)
    assert.deepStrictEqual(made(await owner.put(path, { caller_numbers: [other.id] })).caller_numbers, [other.id])
    assert.strictEqual((await owner.delete(`/api/phone-numbers/${other.id}`)).status, 409)
    const moved = await owner.put(`/api/phone-numbers/${other.id}`, { carrier: "twilio", carrier_config: config })
    assert.deepStrictEqual([moved.status, moved.body.code], [409, "in_use"])
    made(await own.operate(id, "stop"))
    assert.strictEqual((await owner.delete(`/api/phone-numbers/${other.id}`)).status, 204)
  })

  test("waits while its numbers rest, and goes on when a user who may dial ends that", async (own, owner) => {
    const { phone_number_id } = own.line
    const path = `/api/v1/caller-numbers/${phone_number_id}/rest` as const
    const past = await owner.post(path, { until: "2020-01-01T00:00:00Z" })
    assert.deepStrictEqual([past.status, past.body.errors?.[0]?.pointer], [400, "/until"])
    const rested = made(await owner.post(path, { detail: "Complaints" }))
    assert.deepInclude(rested, { state: "resting", next_call_at: null })
    assert.deepInclude(rested.rest, { until: null, reason: "user", detail: "Complaints" })
    const { id } = await own.running(numbersOf("01", 1))
    await own.until(id, ({ waiting_for }) => waiting_for === "caller_number")
    const { key } = made(await owner.post("/api/v1/api-keys", { name: "k", scopes: ["read", "write"] }))
    assert.strictEqual((await owner.delete(path, { token: key })).status, 403)
    assert.isNull(made(await owner.delete(path)).rest)
    assert.deepInclude(await own.ended(id), { end_reason: "finished", waiting_for: null })
    const { items } = made(await owner.get("/api/v1/audit?kind=phone_number"))
    const changes = items.filter(({ action }) => action.startsWith("phone_number.") && action.includes("rest"))
    assert.deepStrictEqual(
      changes.map(({ action }) => action),
      ["phone_number.end_rest", "phone_number.rest"],
    )
    assert.deepInclude(changes[0]?.changes[0]?.before, { detail: "Complaints" })
  })

  test("refuses a direct call beyond a number's limit of the day, with the time of the next", async (own, owner) => {
    const { agent_id, phone_number_id } = own.line
    made(await owner.put(`/api/phone-numbers/${phone_number_id}`, { max_calls_per_day: 1 }))
    const place = (to: string) => owner.post("/api/v1/calls", { agent_id, phone_number_id, to })
    made(await place("+14155551075"))
    const refused = await place("+14155551175")
    assert.deepStrictEqual([refused.status, refused.body.code], [429, "number_daily_cap"])
    assert.deepInclude(refused.body, { limit: 1, used: 1 })
    assert.deepInclude(made(await owner.get(`/api/v1/caller-numbers/${phone_number_id}`)), { state: "at_daily_limit" })
  })

  test("rests a number before its deletion, or no longer finds it, however the requests race", async (_, owner) => {
    for (const number of ["+14155550911", "+14155550912", "+14155550913"]) {
      const { id } = made(await owner.post("/api/phone-numbers", lab(number)))
      const rests = () => Array.from({ length: 6 }, () => owner.post(`/api/v1/caller-numbers/${id}/rest`, {}))
      const [removal, ...rested] = await Promise.all([
        ...[owner.delete(`/api/phone-numbers/${id}`)],
        ...rests(),
        ...rests(),
      ])
      assert.strictEqual(removal?.status, 204)
      for (const { status } of rested) assert.include([200, 404], status)
    }
  })
})
