/** The campaign stream as decisions §4 writes it. */
import { assert, it } from "@effect/vitest"
import { follow, type InAccount, inAccountOfItsOwn, numbersOf, type StreamEvent } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

it.layer(TestServer.layerWith({ LAB_SPEED: "20" }), sideBySide)("the campaign stream (decisions §4)", (it) => {
  const test = (name: string, body: InAccount, settings: object = {}) =>
    it.effect(name, () => inAccountOfItsOwn(body, settings))

  test("begins with the retry line, then the first snapshot at once, with every documented field", async (own, owner, {
    url,
  }) => {
    const { id } = await own.draft(numbersOf("01", 3), { max_concurrent_calls: "2" })
    const { close, next } = await follow(url, owner, id)
    assert.strictEqual((await next(() => true)).event, "retry")
    const first = await next(() => true)
    assert.match(first.id ?? "", /^\d+$/)
    const { at, forecast, ...snapshot } = first.data ?? {}
    assert.deepInclude(forecast, { limited_by: "slots", basis: "assumed" })
    assert.strictEqual(Date.parse(forecast!.ends_at!) - Date.parse(at!), forecast!.seconds! * 1_000)
    assert.match(at!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepStrictEqual(snapshot, {
      campaign_id: id,
      status: "draft",
      counts: { total: 3, pending: 3, in_progress: 0, completed: 0, failed: 0, skipped: 0 },
      active_calls: 0,
      dialed: 0,
      calls_per_minute: 0,
      outcomes: {},
      eta_seconds: null,
      waiting_for: null,
      waiting: {
        slots: { used: 0, limit: 2 },
        budget: { used: 0, limit: 100 },
        per_minute: { used: 0, limit: 10_000 },
        per_day: { used: 0, limit: 100_000 },
        window: { open: 3, closed: 0, next_open_at: null },
        retries: { due: 0, waiting: 0, next_at: null },
        callbacks: { due: 0, waiting: 0, next_at: null },
      },
      cost: { amount: 0, currency: "USD" },
    })
    await close()
  })

  test("every snapshot is of one instant: its counts add up, and ids grow", async (own, owner, { url }) => {
    const { id } = await own.running(numbersOf("01", 30), { max_concurrent_calls: "5" })
    const { rest } = await follow(url, owner, id)
    const events = (await rest()).filter(({ data }) => data !== undefined)
    assert.isAbove(events.length, 2)
    for (const { data } of events) {
      const { completed, failed, in_progress, pending, skipped, total } = data?.counts ?? {}
      assert.strictEqual(completed! + failed! + in_progress! + pending! + skipped!, total)
      assert.strictEqual(data?.active_calls, in_progress)
      assert.strictEqual(data?.dialed, completed! + failed! + in_progress!)
      assert.isAtMost(data!.active_calls!, 5)
    }
    const ids = events.map(({ id }) => Number(id))
    assert.deepStrictEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
    )
  })

  test("on a pause one last snapshot follows, and snapshots go on after resume", async (own, owner, { url }) => {
    const { id } = await own.running(numbersOf("01", 60), { max_concurrent_calls: "2" })
    const other = await own.running(numbersOf("02", 200), { max_concurrent_calls: "2" })
    const [stream, beside] = [await follow(url, owner, id), await follow(url, owner, other.id)]
    await stream.next()
    await own.operate(id, "pause")
    const paused = await stream.next(({ data }) => data?.status !== "running" && data !== undefined)
    assert.strictEqual(paused.data?.status, "paused")
    // Its last calls end, and another campaign's stream goes on by some snapshots: the next one is of the resumed campaign.
    await own.until(id, ({ counts }) => counts.in_progress === 0)
    for (let count = 0; count < 5; count++) await beside.next()
    await own.operate(id, "resume")
    assert.strictEqual((await stream.next()).data?.status, "running")
    await Promise.all([own.operate(id, "stop"), own.operate(other.id, "stop")])
    await Promise.all([stream.close(), beside.close()])
  })

  test(
    "forecasts the end that a preflight gives, and names the same limit",
    async (own, owner, { url }) => {
      const limits = {
        daily_cap: { max_concurrent_calls: "20" },
        per_minute_cap: { max_concurrent_calls: "20", max_calls_per_minute: "2" },
        calling_window: {
          max_concurrent_calls: "5",
          calling_window: JSON.stringify({
            days: ["tue"],
            start: "09:00",
            end: "09:30",
            time_zone: "contact",
          }),
        },
      }
      for (const [limit, settings] of Object.entries(limits)) {
        const { id } = await own.draft(numbersOf("01", limit === "per_minute_cap" ? 60 : 600), settings)
        const preflight = made(await owner.post(`/api/v1/campaigns/${id}/preflight`, {}))
        const { close, next } = await follow(url, owner, id)
        const { forecast } = (await next()).data ?? {}
        await close()
        assert.strictEqual(forecast!.limited_by, limit)
        assert.strictEqual(preflight.forecast.limited_by, limit)
        assert.strictEqual(preflight.forecast.ends_at, preflight.ends_at)
        const ends = (of: { readonly ends_at: string | null }) => Date.parse(of.ends_at!)
        // A tenth of the time, and ten minutes for short ones.
        const apart = Math.abs(ends(forecast!) - ends(preflight.forecast)) / 1_000
        assert.isAtMost(apart, 600 + preflight.duration_seconds! / 10, limit)
      }
    },
    { calls_per_day: 100 },
  )

  test("forecasts from its own calls once ten have ended, also right after a pause", async (own, owner, { url }) => {
    const { id } = await own.running(numbersOf("01", 400), { max_concurrent_calls: "4" })
    const stream = await follow(url, owner, id)
    const observed = ({ data }: StreamEvent) => data?.status === "running" && data.forecast?.basis === "observed"
    const before = (await stream.next(observed)).data!
    assert.strictEqual(before.eta_seconds, before.forecast!.seconds)
    assert.strictEqual(before.forecast!.limited_by, "slots")
    await own.operate(id, "pause")
    const paused = (await stream.next(({ data }) => data?.status === "paused")).data!
    assert.isNull(paused.eta_seconds)
    await own.until(id, ({ counts }) => counts.in_progress === 0)
    await own.operate(id, "resume")
    const after = (await stream.next(({ data }) => data?.status === "running")).data!
    assert.strictEqual(after.forecast!.basis, "observed")
    assert.approximately(after.eta_seconds!, before.eta_seconds!, before.eta_seconds! / 2)
    await own.operate(id, "stop")
    const end = (await stream.next(({ event }) => event === "end")).data ?? {}
    assert.deepInclude(end, { eta_seconds: 0, forecast: null, status: "completed" })
    await stream.close()
  })

  test("a client that connects during a pause gets a snapshot at once", async (own, owner, { url }) => {
    const { id } = await own.running(numbersOf("01", 60))
    await own.operate(id, "pause")
    const first = await follow(url, owner, id)
    assert.strictEqual((await first.next()).data?.status, "paused")
    const second = await follow(url, owner, id)
    assert.strictEqual((await second.next()).data?.status, "paused")
    await Promise.all([first.close(), second.close(), own.operate(id, "stop")])
  })

  test("all who look on get the same end, once and last", async (own, owner, { url }) => {
    const { id } = await own.running(numbersOf("01", 30))
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(url, owner, id)))
    const reading = streams.map(({ rest }) => rest())
    await own.operate(id, "stop")
    const ends = (await Promise.all(reading)).map((events) => {
      assert.strictEqual(events.filter(({ event }) => event === "end").length, 1)
      return events.at(-1)
    })
    for (const end of ends) {
      assert.strictEqual(end?.event, "end")
      assert.strictEqual(end?.id, ends[0]?.id)
      assert.deepInclude(end?.data, { status: "completed" })
      assert.strictEqual(end?.data?.counts.pending, 0)
    }
  })

  test("connecting to an ended campaign gets `end` at once; with the id of an `end`, 204", async (own, owner, {
    url,
  }) => {
    const { id } = await own.draft(numbersOf("01", 2))
    await own.operate(id, "stop")
    const events = await (await follow(url, owner, id)).rest()
    assert.deepStrictEqual(
      events.map(({ event }) => event),
      ["retry", "end"],
    )
    const end = events.at(-1)
    const again = await follow(url, owner, id, { "last-event-id": end?.id ?? "" })
    assert.strictEqual(again.response.status, 204)
    const other = await (await follow(url, owner, id, { "last-event-id": "2" })).rest()
    assert.deepStrictEqual(
      other.map(({ event, id }) => [event, id]),
      [
        ["retry", undefined],
        ["end", end?.id],
      ],
    )
  })

  test("the stream of a draft that is deleted closes", async (own, owner, { url }) => {
    const { id } = await own.draft(numbersOf("01", 2))
    const stream = await follow(url, owner, id)
    await stream.next()
    await owner.delete(`/api/v1/campaigns/${id}`)
    assert.isFalse((await stream.rest()).some(({ event }) => event === "end"))
  })

  test("a HEAD says what a GET would be, and does not wait", async (own, owner) => {
    const { id } = await own.draft(numbersOf("01", 1))
    const head = await owner.request("HEAD", `/api/v1/campaigns/${id}/events`)
    assert.strictEqual(head.status, 200)
    assert.strictEqual(head.headers.get("content-type"), "text/event-stream")
  })
})
