/** One person in the whole account: who is going to call them, who has called, and what forbids it. */
import { assert, it } from "@effect/vitest"
import { type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const number = "+14155550170"
const path = `/api/v1/people/${encodeURIComponent(number)}` as const

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("a person", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("is shown with all campaigns that call the number, those that still do first", async (own, owner) => {
    const done = await own.running([number, "+14155550101"], { name: "Spring" })
    await own.ended(done.id)
    const waits = await own.running([number], { retries_per_contact: "1", retry_delay_seconds: "3600", name: "Autumn" })
    await own.until(waits.id, ({ counts, waiting_for }) => waiting_for === "retry_delay" && counts.in_progress === 0)
    const person = made(await owner.get(path))
    assert.deepInclude(person, { phone_number: number, do_not_call: false, suppression: null, live_call_id: null })
    assert.deepInclude(person, { calls_today: 2, calls_in_7_days: 2, last_answered_at: null })
    assert.deepStrictEqual(
      person.contacts.map(({ attempts, campaign_name, outcome, status, waiting_for }) => ({
        attempts,
        campaign_name,
        outcome,
        status,
        waiting_for,
      })),
      [
        { campaign_name: "Autumn", status: "pending", outcome: "busy", attempts: 1, waiting_for: "retry_delay" },
        { campaign_name: "Spring", status: "failed", outcome: "busy", attempts: 1, waiting_for: null },
      ],
    )
    const [contact] = await own.contacts(waits.id)
    assert.strictEqual(person.contacts[0]?.next_attempt_at, contact?.next_attempt_at)
    assert.deepStrictEqual(
      person.calls.map(({ campaign_id, direction, outcome }) => [campaign_id, direction, outcome]),
      [waits.id, done.id].map((id) => [id, "outbound", "busy"]),
    )
    assert.isAbove(Date.parse(person.calls[0]!.started_at), Date.parse(person.calls[1]!.started_at))
  })

  test("is left alone by a campaign in its quiet period after they answered another one (decision 0085)", async (own, owner) => {
    const answers = ["+14155550101"]
    const spoke = await own.running(answers, { name: "Spring" })
    await own.ended(spoke.id)
    const quiet = { quiet_after_answer_seconds: "86400", name: "Autumn" }
    const preflight = made(
      await own.client.post(`/api/v1/campaigns/${(await own.draft(answers, quiet)).id}/preflight`, {}),
    )
    assert.deepStrictEqual(preflight.quiet_period, { put_off: 1 })
    const waits = await own.running(answers, quiet)
    await own.until(waits.id, ({ waiting_for }) => waiting_for === "quiet_period")
    const [call] = made(await owner.get(`/api/v1/calls?campaign_id=${spoke.id}`)).items
    const until = new Date(Date.parse(call!.ended_at!) + 86_400_000).toISOString()
    const [contact] = await own.contacts(waits.id)
    assert.deepInclude(contact, { attempts: 0, waiting_for: "quiet_period", next_attempt_at: until })
    const { decisions } = made(await owner.get(`/api/v1/campaigns/${waits.id}/contacts/${contact!.id}`))
    assert.deepInclude(decisions[0], { decision: "put_off", reason: "quiet_period", until })
    const names = { call_id: call!.id, campaign_id: spoke.id, campaign_name: "Spring" }
    assert.deepStrictEqual(decisions[0]?.record, { quiet_period: { ...names, until, ended_at: call!.ended_at } })
    const person = made(await owner.get("/api/v1/people/%2B14155550101"))
    assert.deepStrictEqual(
      person.contacts.map(({ campaign_name, quiet_until, status }) => ({ campaign_name, quiet_until, status })),
      [
        { campaign_name: "Autumn", quiet_until: until, status: "pending" },
        { campaign_name: "Autumn", quiet_until: until, status: "pending" },
        { campaign_name: "Spring", quiet_until: null, status: "completed" },
      ],
    )
  })

  test("is shown with direct calls and the do-not-call list, and when they last answered", async (own, owner) => {
    const answers = "/api/v1/people/%2B14155550101"
    const call = { ...own.line, to: "+14155550101" }
    const { id } = made(await owner.post("/api/v1/calls", call))
    const { live_call_id } = made(await owner.get(answers))
    assert.include([id, null], live_call_id)
    await until(async () => made(await owner.get(`/api/v1/calls/${id}`)).ended_at !== null)
    made(await owner.post("/api/v1/suppressions", { phone_number: "+14155550101", reason: "asked by letter" }))
    const person = made(await owner.get(answers))
    assert.deepInclude(person, { do_not_call: true, calls_today: 1, contacts: [] })
    assert.deepInclude(person.suppression, { reason: "asked by letter", source: "api" })
    assert.strictEqual(person.last_answered_at, person.calls[0]?.answered_at)
    made(await owner.delete(answers))
    const erased = made(await owner.get(answers))
    assert.deepInclude(erased, { do_not_call: true, suppression: null, calls: [], calls_today: 0 })
  })

  test("who wants no calls about one subject is called about others, and by nothing that may be about anything (decision 0089)", async (own, owner) => {
    const suppressions = "/api/v1/suppressions"
    const wanted = { phone_number: "+14155550101", subject: "Energy tariffs" }
    const first = await owner.post(suppressions, { ...wanted, reason: "by letter" })
    assert.strictEqual(first.status, 201)
    const location = `${suppressions}/%2B14155550101?subject=Energy%20tariffs` as const
    assert.strictEqual(first.headers.get("location"), location)
    const again = await owner.post(suppressions, { ...wanted, subject: "ENERGY tariffs" })
    assert.deepInclude([again.status, again.body], 200)
    assert.deepInclude(made(again), { subject: "Energy tariffs", reason: null })
    made(await owner.post(suppressions, { phone_number: "+14155550102", subject: "Recall" }))
    const { items, total } = made(await owner.get(`${suppressions}?subject=energy%20tariffs`))
    assert.deepStrictEqual([items, total], [[made(again)], 1])

    const about = async (subject: string | undefined) => {
      const draft = await own.draft([wanted.phone_number], subject === undefined ? {} : { subject })
      const { skipped } = made(await owner.post(`/api/v1/campaigns/${draft.id}/preflight`, {}))
      made(await own.operate(draft.id, "start"))
      const { counts } = await own.ended(draft.id)
      assert.strictEqual(skipped.do_not_call, counts.skipped)
      return { id: draft.id, skipped: counts.skipped }
    }
    assert.strictEqual((await about("Water")).skipped, 0)
    assert.strictEqual((await about(undefined)).skipped, 1)
    const refusing = await about("energy TARIFFS")
    assert.strictEqual(refusing.skipped, 1)
    const [contact] = await own.contacts(refusing.id)
    const { decisions } = made(await owner.get(`/api/v1/campaigns/${refusing.id}/contacts/${contact!.id}`))
    assert.deepStrictEqual(decisions[0]?.record, { suppression: made(again) })
    assert.strictEqual((await owner.post("/api/v1/calls", { ...own.line, to: wanted.phone_number })).status, 409)
    const person = made(await owner.get("/api/v1/people/%2B14155550101"))
    assert.deepInclude(person, { do_not_call: false, suppression: null, subject_suppressions: [made(again)] })

    const forAll = `${suppressions}/%2B14155550101` as const
    assert.strictEqual((await owner.delete(forAll)).status, 404)
    assert.strictEqual((await owner.delete(location)).status, 204)
    assert.strictEqual((await owner.delete(location)).status, 404)
    assert.strictEqual((await about("Energy tariffs")).skipped, 0)
    // An entry that has expired forbids nothing.
    made(await owner.post(suppressions, { ...wanted, expires_at: "2026-01-01T00:00:00Z" }))
    assert.strictEqual((await about("Energy tariffs")).skipped, 0)
  })

  test("who asks in a call not to be called again is called about other subjects if its campaign says so", async (own, owner) => {
    const asks = "+14155550199"
    const fields = { subject: "Energy tariffs", opt_out_scope: "subject" }
    const agreed = { phone_number: asks, basis: "express" as const, at: "2026-01-01T00:00:00Z" }
    made(await owner.post("/api/v1/consents", { consents: [agreed] }))
    const { id } = await own.running([asks], fields)
    await own.ended(id)
    const [entry] = made(await owner.get("/api/v1/suppressions")).items
    assert.deepInclude(entry, { phone_number: asks, source: "call", subject: "Energy tariffs", expires_at: null })
    const call = made(await owner.get(`/api/v1/calls/${entry!.call_id}`))
    assert.deepInclude(call.opt_out, { by: "words", subject: "Energy tariffs" })
    const [event] = made(await owner.get("/api/v1/events?type=call.opted_out")).items
    assert.deepStrictEqual((event!.data as typeof call).opt_out, call.opt_out)
    const [revocation] = made(await owner.get("/api/v1/consents?phone_number=%2B14155550199")).items
    assert.deepInclude(revocation, { kind: "revocation", subject: "Energy tariffs", call_id: call.id })

    const water = await own.running([asks], {
      subject: "Water",
      required_consent: '{"basis":["express"],"subject":"Water"}',
    })
    assert.strictEqual((await own.ended(water.id)).counts.skipped, 0)
    // Water's calls are about Water, but its wishes cover the account.
    const { items } = made(await owner.get("/api/v1/suppressions"))
    assert.deepStrictEqual(items.map(({ subject }) => subject).sort(), ["Energy tariffs", null])

    made(await owner.delete(`/api/v1/suppressions/${encodeURIComponent(asks)}`))
    const erased = made(await owner.delete(`/api/v1/people/${encodeURIComponent(asks)}`))
    assert.isTrue(erased.do_not_call)
    const other = await own.running([asks], { subject: "Water" })
    assert.strictEqual((await own.ended(other.id)).counts.skipped, 1)
  })

  test("of whom the account knows nothing is empty, and a text that is no number is not found", async (_, owner) => {
    assert.deepInclude(made(await owner.get(path)), { calls: [], contacts: [], calls_today: 0, do_not_call: false })
    assert.strictEqual((await owner.get("/api/v1/people/not-a-number")).status, 404)
  })
})
