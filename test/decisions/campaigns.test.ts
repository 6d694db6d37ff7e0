/** Campaigns as decisions §2 has them: changes, schedules, retries, windows, the do-not-call list. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { wide } from "../support/Callers.ts"
import { type Campaigner, campaigner, numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { type Client, sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const path = "/api/v1/campaigns"
const iso = (ms: number) => new Date(ms).toISOString()

/** Busy, and tried again in an hour: a campaign over such numbers is not over as long as a test looks. */
const retries = { retries_per_contact: "1", retry_delay_seconds: "3600" }

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("campaigns (decisions §2)", (it) => {
  const test = (
    name: string,
    body: (own: Campaigner, owner: Client) => Promise<void>,
    settings: object = {},
    agent: object = {},
  ) =>
    it.effect(name, () =>
      Effect.flatMap(TestServer, (server) =>
        Effect.promise(async () => {
          const owner = await server.ownerOf(`k${crypto.randomUUID().slice(0, 8)}`, { ...wide, ...settings })
          await body(await campaigner(owner, agent), owner)
        }),
      ),
    )

  test("lists are newest first, filtered by status and name, counts included", async (own, owner) => {
    const first = await own.draft(numbersOf("01", 2), { name: "Spring 50% off" })
    const second = await own.draft(numbersOf("01", 3), { name: "Autumn" })
    await own.operate(second.id, "stop")
    const ids = async (query: string) =>
      made(await owner.get(`${path}?${query}`)).items.map(({ id }: { id: string }) => id)
    assert.deepStrictEqual(await ids(""), [second.id, first.id])
    assert.deepStrictEqual(await ids("status=draft"), [first.id])
    assert.deepStrictEqual(await ids("search=50%25"), [first.id])
    assert.deepStrictEqual(await ids("search=_utumn"), [])
    assert.deepStrictEqual(await ids("page=1&page_size=1"), [first.id])
  })

  test("lists are filtered by state and agent, and ordered by state: what runs first, what ended last", async (own, owner) => {
    const draft = await own.draft(numbersOf("01", 1))
    const [later, sooner] = [iso(Date.now() + 7_200_000), iso(Date.now() + 3_600_000)]
    const scheduled = [
      await own.draft(numbersOf("02", 1), { scheduled_at: later }),
      await own.draft(numbersOf("03", 1), { scheduled_at: sooner }),
    ]
    const ended = [await own.draft(numbersOf("04", 1)), await own.draft(numbersOf("05", 1))]
    for (const { id } of ended) await own.operate(id, "stop")
    const paused = await own.draft(numbersOf("71", 1), retries)
    await own.operate(paused.id, "start")
    await own.operate(paused.id, "pause")
    const running = await own.running(numbersOf("70", 1), retries)
    const waiting = await own.draft(numbersOf("08", 1), { max_concurrent_calls: "100", scheduled_at: iso(0) })
    const ids = async (query: string) =>
      made(await owner.get(`${path}?${query}`)).items.map(({ id }: { id: string }) => id)
    assert.deepStrictEqual(
      await ids("order=state"),
      [running, waiting, scheduled[1], scheduled[0], paused, draft, ended[1], ended[0]].map((one) => one?.id),
    )
    assert.deepStrictEqual(await ids("order=state&page=3&page_size=2"), [ended[1]?.id, ended[0]?.id])
    assert.deepStrictEqual(await ids("state=waiting"), [waiting.id])
    assert.deepStrictEqual(await ids("state=scheduled"), [scheduled[1]?.id, scheduled[0]?.id])
    assert.deepStrictEqual(await ids("state=draft"), [draft.id])
    assert.deepStrictEqual(await ids("state=ended"), [ended[1]?.id, ended[0]?.id])
    assert.deepStrictEqual(await ids("state=failed"), [])
    assert.lengthOf(await ids(`agent_id=${draft.agent_id}`), 8)
    assert.lengthOf(await ids(`agent_id=${crypto.randomUUID()}`), 0)
    assert.strictEqual((await owner.get(`${path}?agent_id=Rosa`)).status, 400)
    assert.strictEqual((await owner.get(`${path}?state=over`)).status, 400)
  })

  test("a draft can be changed in everything; what is read can be sent back", async (own, owner) => {
    const draft = await own.draft(numbersOf("01", 2))
    const window = { days: ["mon"], start: "09:00", end: "17:00", time_zone: "Europe/Berlin" }
    const change = {
      name: "other",
      max_concurrent_calls: 7,
      retries_per_contact: 3,
      retry_delay_seconds: 60,
      scheduled_at: iso(Date.now() + 3_600_000),
      calling_window: window,
      max_calls_per_minute: 30,
    }
    const changed = await owner.put(`${path}/${draft.id}`, { ...draft, ...change })
    assert.strictEqual(changed.status, 200, JSON.stringify(changed.body))
    assert.deepInclude(changed.body as object, { ...change, status: "draft", id: draft.id })
    assert.strictEqual((await owner.put(`${path}/${draft.id}`, { nonsense: 1 })).status, 400)
    assert.strictEqual((await owner.put(`${path}/${draft.id}`, { max_concurrent_calls: 101 })).status, 400)
    const unknown = await owner.put(`${path}/${draft.id}`, { agent_id: crypto.randomUUID() })
    assert.strictEqual(unknown.status, 404)
    assert.strictEqual(unknown.body.errors![0]!.pointer, "/agent_id")
    const none = made(await owner.put(`${path}/${draft.id}`, { scheduled_at: null, calling_window: null }))
    assert.deepInclude(none, { scheduled_at: null, calling_window: null, name: "other" })
  })

  test("If-Match is honoured, and the ETag changes with the counts too", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 2))
    const read = await owner.get(`${path}/${id}`)
    const etag = read.headers.get("etag") ?? ""
    const ifMatch = { headers: { "if-match": etag } }
    assert.strictEqual((await owner.put(`${path}/${id}`, { name: "a" }, ifMatch)).status, 200)
    const late = await owner.put(`${path}/${id}`, { name: "b" }, ifMatch)
    assert.strictEqual(late.status, 412)
    await own.operate(id, "start")
    await own.ended(id)
    assert.notStrictEqual((await owner.get(`${path}/${id}`)).headers.get("etag"), etag)
  })

  test(
    "a running or paused one may change its name, its slots and its retries, the budget checked again; nothing else",
    async (own, owner) => {
      // More than either comes to the end of while it is asked.
      const other = await own.running(numbersOf("75", 1_000), { max_concurrent_calls: "4" })
      const campaign = await own.running(numbersOf("75", 1_000, 2_000), { max_concurrent_calls: "3" })
      const put = (change: object) => owner.put(`${path}/${campaign.id}`, change)
      for (const operation of ["start", "pause"] as const) {
        await own.operate(campaign.id, operation)
        const change = { name: operation, max_concurrent_calls: 5, retries_per_contact: 1, retry_delay_seconds: 9 }
        assert.deepInclude(made(await put(change)), change)
        const refused = await put({ max_calls_per_minute: 3 })
        assert.strictEqual(refused.status, 409)
        assert.strictEqual(refused.body.code, "invalid_state")
        assert.strictEqual((await put({ max_calls_per_minute: null, agent_id: campaign.agent_id })).status, 200)
      }
      await own.operate(campaign.id, "resume")
      const over = await put({ max_concurrent_calls: 7 })
      assert.strictEqual(over.status, 409)
      assert.deepInclude(over.body, { code: "budget_exceeded", requested: 7, in_use: 4, concurrent_max: 10 })
      const stopped = (await own.operate(campaign.id, "stop")).body
      assert.strictEqual((await put({ name: "late" })).status, 409)
      assert.strictEqual((await put({ name: stopped.name })).status, 200)
      await own.operate(other.id, "stop")
    },
    { concurrent_max: 10 },
  )

  test("a scheduled draft starts automatically, and never before its time (I10)", async (own) => {
    // Again where the machine is so slow that its time has come before it is there: then it has started at once.
    const draft = await until(async () => {
      const made = await own.draft(numbersOf("01", 2), { scheduled_at: iso(Date.now() + 2_500) })
      return made.status === "draft" && made
    })
    const ended = await own.ended(draft.id)
    assert.isAtLeast(Date.parse(ended.started_at!), Date.parse(draft.scheduled_at!))
    assert.strictEqual(ended.counts.completed, 2)
  })

  test("a scheduled_at in the past starts at once; a later one can be moved there, or started early", async (own, owner) => {
    const past = await own.draft(numbersOf("01", 1), { scheduled_at: iso(Date.now() - 60_000) })
    assert.strictEqual(past.status, "running")
    const later = { scheduled_at: iso(Date.now() + 3_600_000) }
    const moved = await own.draft(numbersOf("01", 1, 2_000), later)
    const now = made(await owner.put(`${path}/${moved.id}`, { scheduled_at: iso(Date.now() - 1_000) }))
    assert.strictEqual(now.status, "running")
    const early = await own.running(numbersOf("01", 1, 3_000), later)
    assert.strictEqual(early.status, "running")
    for (const { id } of [past, moved, early]) assert.strictEqual((await own.ended(id)).end_reason, "finished")
  })

  test(
    "scheduled ones wait in line for the budget, oldest first, and say so",
    async (own) => {
      const running = await own.running(numbersOf("70", 1), { ...retries, max_concurrent_calls: "3" })
      const due = (seconds: number, from: number) =>
        own.draft(numbersOf("01", 3, from), {
          max_concurrent_calls: "2",
          scheduled_at: iso(Date.now() - seconds * 1_000),
        })
      const second = await due(10, 2_000)
      const first = await due(20, 3_000)
      for (const draft of [second, first]) {
        const waiting = await own.until(draft.id, ({ waiting_for }) => waiting_for !== null)
        assert.deepInclude(waiting, { status: "draft", waiting_for: "budget" })
      }
      await own.operate(running.id, "stop")
      const [a, b] = [await own.ended(first.id), await own.ended(second.id)]
      assert.isAtMost(Date.parse(a.started_at!), Date.parse(b.started_at!))
      assert.strictEqual(a.waiting_for, null)
    },
    { concurrent_max: 3 },
  )

  test(
    "a voicemail that takes the message completes the contact",
    async (own) => {
      const { id } = await own.running(numbersOf("80", 2), { retries_per_contact: "2", retry_delay_seconds: "0" })
      assert.deepInclude((await own.ended(id)).counts, { completed: 2, failed: 0 })
      const [contact] = await own.contacts(id, "outcome=voicemail")
      assert.strictEqual(contact?.attempts, 1)
    },
    {},
    { voicemail_action: "leave_message" },
  )

  test("between attempts a campaign waits for the retry delay, and says until when", async (own, owner) => {
    const { id } = await own.running(numbersOf("70", 1), retries)
    const waiting = await own.until(id, ({ waiting_for }) => waiting_for !== null)
    assert.deepInclude(waiting, { status: "running", waiting_for: "retry_delay" })
    const [contact] = await own.contacts(id, "status=pending")
    const { attempt_log } = made(await owner.get(`${path}/${id}/contacts/${contact?.id}`))
    assert.closeTo(Date.parse(contact!.next_attempt_at!) - Date.parse(attempt_log[0]!.ended_at!), 3_600_000, 1)
    assert.deepInclude(contact, { outcome: "busy", attempts: 1 })
    await own.operate(id, "stop")
    assert.deepInclude((await own.contacts(id))[0], { status: "skipped", skip_reason: "stopped", outcome: "busy" })
  })

  test("a contact on the do-not-call list is not dialled, nor again one who asked for that in a call (I12)", async (own, owner) => {
    const [listed = "", expired = ""] = numbersOf("01", 2)
    const [asks = ""] = numbersOf("99", 1)
    await owner.post("/api/v1/suppressions", { phone_number: listed })
    await owner.post("/api/v1/suppressions", { phone_number: expired, expires_at: iso(Date.now() - 1_000) })
    const first = await own.running([listed, expired, asks])
    assert.deepInclude((await own.ended(first.id)).counts, { completed: 2, skipped: 1 })
    assert.deepInclude((await own.contacts(first.id, "status=skipped"))[0], {
      phone_number: listed,
      skip_reason: "do_not_call",
      attempts: 0,
    })
    const second = await own.running([asks])
    assert.deepInclude((await own.ended(second.id)).counts, { completed: 0, skipped: 1 })
  })

  test("a number that stands twice is never in two calls at a time (I1)", async (own, owner) => {
    const [number = ""] = numbersOf("01", 1)
    const { id } = await own.running([number, number, number], {
      duplicate_policy: "keep",
      max_concurrent_calls: "3",
    })
    assert.deepInclude((await own.ended(id)).counts, { total: 3, completed: 3 })
    const { items } = made(await owner.get(`/api/v1/calls?campaign_id=${id}`))
    const spans = items.map((call) => [call.started_at, call.ended_at]).sort()
    for (const [at, [began]] of spans.entries()) {
      if (at > 0) assert.isAtLeast(Date.parse(began!), Date.parse(spans[at - 1]![1]!))
    }
  })

  test("outside of its window a campaign waits; a contact whose zone is unknown is not dialled (I11)", async (own) => {
    const opensAt = new Date(Date.now() + 3 * 24 * 3_600_000)
    const day = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][opensAt.getUTCDay()]
    const csv = "phone_number,time_zone\n+14155550101,UTC\n+14155550102,Mars/Olympus\n"
    const { id } = made(
      await own.upload(csv, {
        calling_window: JSON.stringify({ days: [day], start: "00:00", end: "24:00", time_zone: "contact" }),
      }),
    )
    await own.operate(id, "start")
    const waiting = await own.until(id, ({ waiting_for }) => waiting_for !== null)
    assert.strictEqual(waiting.waiting_for, "calling_window")
    assert.deepInclude(waiting.counts, { pending: 1, skipped: 1 })
    const [pending, skipped] = await own.contacts(id)
    assert.strictEqual(pending?.next_attempt_at, iso(Math.floor(opensAt.getTime() / 86_400_000) * 86_400_000))
    assert.strictEqual(skipped?.skip_reason, "outside_window")
    await own.operate(id, "stop")
  })

  test("starting needs the scope `dial`, changing `write`", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 1))
    const keyOf = async (scope: string) =>
      made(await owner.post("/api/v1/api-keys", { name: scope, scopes: [scope] })).key
    const write = { token: await keyOf("write") }
    const dial = { token: await keyOf("dial") }
    assert.strictEqual((await owner.post(`${path}/${id}/start`, undefined, write)).status, 403)
    assert.strictEqual((await owner.post(`${path}/${id}/start`, undefined, dial)).status, 200)
    assert.strictEqual((await owner.post(`${path}/${id}/pause`, undefined, dial)).status, 403)
    assert.strictEqual((await owner.post(`${path}/${id}/stop`, undefined, write)).status, 200)
  })
})
