/** People who ask a campaign's agent to be called back: when they are dialled, and what users do with it (decision 0073). */
import { assert, it } from "@effect/vitest"
import type { Event } from "../../src/domain/Event.ts"
import { type Campaigner, follow, type InAccount, inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { zoneOfNoon } from "../support/Noon.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const day = 86_400_000
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
/** Where it is noon now, so that the lab's people mean the same tomorrow in every zone of a test. */
const zone = zoneOfNoon()
/** The zone's clock is this many milliseconds ahead of UTC. The sign in the name is reversed. */
const ahead = -Number(zone.slice("Etc/GMT".length)) * 3_600_000
const midnightIn = (days: number) => Math.floor((Date.now() + ahead) / day + days) * day - ahead
const iso = (ms: number) => new Date(ms).toISOString()
const always = { days: [...dayNames], start: "00:00", end: "24:00", time_zone: "contact" }
/** Open every day except for one. */
const closedIn = (days: number) => {
  const closed = new Date(midnightIn(days) + ahead).getUTCDay()
  return JSON.stringify({ ...always, days: dayNames.filter((_, at) => at !== closed) })
}

it.layer(TestServer.layerWith({ LAB_SPEED: "60" }), sideBySide)("callbacks that a campaign dials", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body, { time_zone: zone }))

  /** A running campaign of `count` people who all asked for a callback, tomorrow at three on their own clock. */
  const asked = async (own: Campaigner, count: number, fields: Record<string, string> = {}) => {
    const rows = Array.from({ length: count }, (_, at) => `+14155551${at}45,${zone}`)
    const csv = `phone_number,time_zone\n${rows.join("\n")}\n`
    const { id } = made(await own.upload(csv, { max_concurrent_calls: "9", callbacks_per_contact: "1", ...fields }))
    made(await own.operate(id, "start"))
    const path = `/api/v1/campaigns/${id}` as const
    const { items } = await until(async () => {
      const page = made(await own.client.get(`${path}/callbacks`))
      return page.total === count && page
    })
    return { id, path, people: items }
  }

  test("a person who asks is dialled at the promised time, as an attempt of its own", async (own, owner, { url }) => {
    const { id, path, people } = await asked(own, 1)
    const [person] = people
    assert.deepInclude(person, { status: "pending", outcome: "answered", attempts: 1, waiting_for: "callback" })
    const tomorrow = iso(midnightIn(1) + 15 * 3_600_000)
    assert.deepInclude(person, { callback_at: tomorrow, next_attempt_at: tomorrow, callbacks: 0 })
    const waits = await own.until(id, ({ waiting_for }) => waiting_for === "callback")
    assert.deepInclude(waits, { status: "running" })
    const stream = await follow(url, owner, id)
    const { data } = await stream.next(({ data }) => data !== undefined)
    assert.deepStrictEqual(data?.waiting.callbacks, { due: 0, waiting: 1, next_at: tomorrow })
    assert.deepInclude(data?.waiting.retries, { due: 0, waiting: 0 })
    assert.strictEqual(data?.forecast?.limited_by, "callback")
    assert.isAtLeast(Date.parse(data?.forecast?.ends_at ?? ""), Date.parse(tomorrow))

    const at = iso(Date.now() + 1_200)
    const moved = made(await owner.put(`${path}/contacts/${person!.id}/callback`, { at }))
    assert.deepInclude(moved, { callback_at: at, next_attempt_at: at, waiting_for: "callback", attempts: 1 })
    assert.strictEqual((await own.ended(id)).end_reason, "finished")
    await stream.close()
    const called = made(await owner.get(`${path}/contacts/${person!.id}`))
    assert.deepInclude(called, { status: "completed", attempts: 2, callbacks: 1, callback_at: null })
    const [, second] = called.attempt_log
    assert.deepInclude(second?.decision as object, {
      rule: "callback",
      attempt: 2,
      of: 2,
      waited_for: "callback",
      due_at: at,
    })
    assert.isAtLeast(Date.parse(second!.started_at), Date.parse(at))
    const { items } = made(await owner.get("/api/v1/events?type=contact.callback_scheduled"))
    const told = items.map(({ data }: typeof Event.Encoded) => data as { callback_at: string; attempts: number })
    assert.deepStrictEqual(
      told.map(({ attempts, callback_at }) => [callback_at, attempts]),
      [
        [tomorrow, 1],
        [at, 1],
      ],
    )
    const [entry] = made(await owner.get("/api/v1/audit?action=campaign.move_callback")).items
    assert.deepInclude(entry?.object, { kind: "campaign", id })
    assert.deepStrictEqual(
      entry?.changes.find(({ field }) => field === "callback_at"),
      { field: "callback_at", before: tomorrow, after: at },
    )
  })

  test("a campaign that permits no callbacks, as by default, only notes the wish and completes the person", async (own, owner) => {
    const { id } = await own.running(["+14155551045"])
    assert.deepInclude((await own.ended(id)).counts, { total: 1, completed: 1 })
    const [contact] = await own.contacts(id)
    assert.deepInclude(contact, { outcome: "answered", attempts: 1, callbacks: 0, callback_at: null })
    const call = made(await owner.get(`/api/v1/calls/${contact!.last_call_id!}`))
    assert.property(call.result, "callback")
    const tool = call.tool_invocations.find(
      ({ tool_name }: { readonly tool_name: string }) => tool_name === "schedule_callback",
    )
    assert.deepInclude(tool?.result as object, { status: "noted" })
  })

  test("a time outside of the calling window is moved to its next opening, and the agent says so", async (own, owner) => {
    const { path, people } = await asked(own, 1, { calling_window: closedIn(1) })
    const [person] = people
    const opening = iso(midnightIn(2))
    assert.deepInclude(person, { callback_at: opening, next_attempt_at: opening })
    const call = made(await owner.get(`/api/v1/calls/${person!.last_call_id!}`))
    assert.deepInclude(call.result, { callback: { at: opening } })
    const said = (call.transcript as ReadonlyArray<{ readonly text: string }>).map(({ text }) => text).join(" ")
    assert.include(said, `We will call you on ${iso(midnightIn(2) + ahead).slice(0, 10)} at 00:00.`)
    const move = (at: number) => owner.put(`${path}/contacts/${person!.id}/callback`, { at: iso(at) })
    assert.strictEqual(made(await move(midnightIn(1) + day / 2)).callback_at, opening)
    const open = midnightIn(2) + day / 2
    assert.strictEqual(made(await move(open)).callback_at, iso(open))
  })

  test("a cancelled callback completes the person, and the last one ends the campaign", async (own, owner) => {
    const { id, path, people } = await asked(own, 1)
    const callback = `${path}/contacts/${people[0]!.id}/callback` as const
    const cancelled = made(await owner.delete(callback))
    assert.deepInclude(cancelled, { status: "completed", outcome: "answered", callback_at: null, attempts: 1 })
    assert.deepInclude(await own.get(id), { status: "completed", end_reason: "finished" })
    for (const answer of [await owner.delete(callback), await owner.put(callback, { at: iso(Date.now() + day) })]) {
      assert.deepInclude(answer, { status: 409 })
      assert.deepInclude(answer.body, { code: "invalid_state", detail: "The contact has no outstanding callback" })
    }
  })

  test("a time that has passed or is too far ahead is refused with what to do, and changes nothing", async (own, owner) => {
    const { path, people } = await asked(own, 1)
    const [person] = people
    const move = (at: unknown) => owner.put(`${path}/contacts/${person!.id}/callback`, { at })
    for (const [at, detail] of [
      [iso(Date.now() - 1_000), "must be in the future"],
      [iso(Date.now() + 31 * day), "must be at most 30 days ahead"],
      ["2026-11-22T17:00", "must be an RFC 3339 timestamp, such as 2026-11-21T10:00:00Z"],
      [null, undefined],
    ] as const) {
      const { body, status } = await move(at)
      assert.strictEqual(status, 400, String(at))
      assert.strictEqual(body.errors?.[0]?.pointer, "/at")
      if (detail !== undefined) assert.strictEqual(body.errors?.[0]?.detail, detail)
    }
    const unknown = `${path}/contacts/${crypto.randomUUID()}/callback` as const
    assert.strictEqual((await owner.put(unknown, { at: iso(Date.now() + day) })).status, 404)
    const now = made(await owner.get(`${path}/contacts/${person!.id}`))
    assert.strictEqual(now.callback_at, person!.callback_at)
    assert.strictEqual(made(await owner.get("/api/v1/audit?action=campaign.move_callback")).items.length, 0)
  })

  test("the callbacks of all campaigns are in one list, those that are due first, with who set the time", async (own, owner) => {
    const spring = await asked(own, 2, { name: "Spring" })
    const autumn = await asked(own, 1, { name: "Autumn" })
    const list = async (query = "") => made(await owner.get(`/api/v1/callbacks?${query}`))
    const all = await list()
    assert.deepInclude(all, { total: 3, page: 0, page_size: 100 })
    assert.deepStrictEqual(
      all.items.map(({ arranged_by, campaign_id, campaign_name, campaign_status, id, ...contact }) => [
        ...[id, campaign_id, campaign_name, campaign_status, arranged_by],
        contact,
      ]),
      [
        ...spring.people.map((person) => [person, spring.id, "Spring"] as const),
        ...autumn.people.map((person) => [person, autumn.id, "Autumn"] as const),
      ].map(([{ id, ...contact }, campaign, name]) => [id, campaign, name, "running", "agent", contact]),
    )

    // A paused campaign dials nothing, so a callback that is due stays in the list.
    made(await own.operate(autumn.id, "pause"))
    const [waits] = autumn.people
    const at = iso(Date.now() + 300)
    made(await owner.put(`${autumn.path}/contacts/${waits!.id}/callback`, { at }))
    const due = await until(async () => {
      const [first] = (await list()).items
      return first?.waiting_for === null && first
    })
    assert.deepInclude(due, { id: waits!.id, campaign_status: "paused", arranged_by: "person", callback_at: at })

    const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id)
    const [first, second] = all.items.map(({ id }) => id)
    const tomorrow = encodeURIComponent(iso(midnightIn(1)))
    assert.deepStrictEqual(await idsOf(`campaign_id=${spring.id}`), [first, second])
    assert.deepStrictEqual(await idsOf(`from=${tomorrow}`), [first, second])
    assert.deepStrictEqual(await idsOf(`to=${tomorrow}`), [waits!.id])
    assert.deepStrictEqual(await idsOf(`campaign_id=${spring.id}&to=${tomorrow}`), [])
    assert.deepStrictEqual(await idsOf(`campaign_id=${crypto.randomUUID()}`), [])
    assert.deepInclude(await list("page=1&page_size=2"), { total: 3, page: 1, page_size: 2 })
    assert.deepStrictEqual(await idsOf("page=1&page_size=2"), [second])
    for (const query of ["campaign_id=spring", "from=tomorrow", "page_size=101", "due=true"]) {
      assert.deepInclude(await owner.get(`/api/v1/callbacks?${query}`), { status: 400 }, query)
    }

    made(await owner.delete(`${spring.path}/contacts/${first!}/callback`))
    made(await own.operate(autumn.id, "stop"))
    assert.deepStrictEqual(await idsOf(""), [second])
  })

  test("a person who opts out, is erased or withdrawn, or is left by a stop meanwhile is not called back", async (own, owner) => {
    const { id, path, people } = await asked(own, 4)
    const [listed, erased, withdrawn, left] = people
    assert.isTrue(people.every(({ callback_at }) => callback_at === listed!.callback_at))
    const at = iso(Date.now() + 1_500)
    const callback = `${path}/contacts/${listed!.id}/callback` as const
    made(await owner.put(callback, { at }))
    made(await owner.post("/api/v1/suppressions", { phone_number: listed!.phone_number! }))
    const { body, status } = await owner.put(callback, { at: iso(Date.now() + day) })
    assert.deepStrictEqual([status, body.state], [409, "do_not_call"])
    made(await owner.delete(`/api/v1/people/${encodeURIComponent(erased!.phone_number!)}`))
    made(await owner.delete(`${path}/contacts/${withdrawn!.id}`))
    const statusOf = async (contact: string) => made(await owner.get(`${path}/contacts/${contact}`))
    await until(async () => (await statusOf(listed!.id)).status === "skipped")
    assert.deepInclude(await statusOf(listed!.id), { skip_reason: "do_not_call", callback_at: null, attempts: 1 })
    assert.deepInclude(await statusOf(erased!.id), { skip_reason: "erased", callback_at: null, attempts: 1 })
    assert.deepInclude(await statusOf(withdrawn!.id), { skip_reason: "withdrawn", callback_at: null, attempts: 1 })
    const outstanding = made(await owner.get(`${path}/callbacks`))
    assert.deepStrictEqual(
      outstanding.items.map(({ id }) => id),
      [left!.id],
    )
    made(await own.operate(id, "stop"))
    assert.deepInclude(await statusOf(left!.id), { skip_reason: "stopped", callback_at: null, next_attempt_at: null })
    assert.strictEqual(made(await owner.get(`${path}/callbacks`)).total, 0)
  })
})
