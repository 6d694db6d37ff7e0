/** The campaign stream (spec §6), over real sockets and on the real clock. */
import { assert, it } from "@effect/vitest"
import { follow, type InAccount, inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"

// Slow enough that a campaign of a few contacts is watched for some time.
it.layer(TestServer.layerWith({ LAB_SPEED: "3" }), sideBySide)("events (spec §6)", (it) => {
  const test = (name: string, body: InAccount) => it.effect(name, () => inAccountOfItsOwn(body))

  test("it is a Server-Sent Events response", async (own, owner, { url }) => {
    const { id } = await own.draft(numbersOf("01", 1))
    const { close, response } = await follow(url, owner, id)
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
    assert.strictEqual(response.headers.get("cache-control"), "no-store, no-transform")
    await close()
    assert.strictEqual((await owner.get(`/api/v1/campaigns/${crypto.randomUUID()}/events`)).status, 404)
    assert.strictEqual((await owner.get(`/api/v1/campaigns/${id}/events`, { token: null })).status, 401)
  })

  test("while the campaign runs, a snapshot is sent every 2 seconds", async (own, owner, { url }) => {
    const { id } = await own.running(numbersOf("75", 40), { max_concurrent_calls: "1" })
    const { close, next } = await follow(url, owner, id)
    const events = [await next(), await next(), await next(), await next(), await next(), await next()]
    const gaps = events.slice(1).map(({ at }, index) => at - (events[index]?.at ?? 0))
    // A machine that stands still makes one gap longer and the next one shorter, and leaves the one in the middle.
    assert.closeTo(gaps.toSorted((a, b) => a - b)[2] ?? 0, 2_000, 400)
    assert.isTrue(events.every(({ data, event }) => event === "message" && data?.status === "running"))
    await close()
    await own.operate(id, "stop")
  })

  test("a comment line is sent every 15 seconds, also while nothing runs", async (own, owner, { url }) => {
    const { id } = await own.draft(numbersOf("01", 1))
    const opened = performance.now()
    const whole = fetch(`${url}/api/v1/campaigns/${id}/events`, {
      headers: {
        authorization: `Bearer ${owner.token}`,
        "x-account-id": owner.account,
        "accept-encoding": "gzip, br",
      },
    })
    const { close, next } = await follow(url, owner, id)
    const { at, comment } = await next(({ comment }) => comment !== undefined)
    assert.strictEqual(comment, "heartbeat")
    assert.isAtLeast(at - opened, 14_900)
    // Less than two of them.
    assert.isBelow(at - opened, 29_000)
    await close()
    await own.operate(id, "stop")
    const stream = await whole
    assert.strictEqual(stream.headers.get("content-encoding"), null)
    const text = await stream.text()
    assert.match(text, /^retry: 2000\nid: /)
    assert.match(text, /\n\n: heartbeat\n(?:event|id): /)
    // A blank line ends an event: neither `retry:` nor a heartbeat makes an empty one.
    const events = text.split("\n\n").slice(0, -1)
    assert.isTrue(
      events.every((event) => /^data: /m.test(event)),
      text,
    )
  })

  test("the event `end` is sent when the campaign reaches a terminal status, and the stream closes", async (own, owner, {
    url,
  }) => {
    const { id } = await own.running(numbersOf("70", 2))
    const { rest } = await follow(url, owner, id)
    const events = await rest()
    const last = events.at(-1)
    assert.strictEqual(last?.event, "end")
    assert.strictEqual(last?.data?.status, "completed")
    assert.deepInclude(last?.data?.counts, { total: 2, failed: 2, pending: 0, in_progress: 0 })
    assert.strictEqual(events.filter(({ event }) => event === "end").length, 1)
  })
})
