import { assert, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { numbersOf } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { verified } from "../support/Receiver.ts"
import { sideBySide } from "../support/TestServer.ts"
import { busy, deliveriesOf, path, reachesLoopback, test, untilDelivered, webhook } from "../support/Webhooks.ts"

it.layer(reachesLoopback, sideBySide)("the deliveries of a webhook (decisions §1 and §2)", (it) => {
  it.effect("each event is posted once, signed, as the log shows it, and in the log without a gap", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id, secret } = await webhook(owner, endpoint.at("/a"))
      const call = await caller.through(busy)
      const got = await endpoint.until("/a", 2)
      for (const one of got) {
        verified(one, secret)
        assert.throws(() =>
          verified({ ...one, body: one.body.replace("queued", "Queued").replace("failed", "F") }, secret),
        )
        assert.strictEqual(one.headers["webhook-id"], one.event.id)
        assert.strictEqual(one.headers["content-type"], "application/json")
      }
      const log = made(await owner.get("/api/v1/events?after=0"))
      assert.deepStrictEqual(
        log.items.map(({ seq, type }) => [seq, type]),
        [
          [1, "call.started"],
          [2, "call.ended"],
        ],
      )
      assert.deepStrictEqual([log.next_after, log.has_more], [2, false])
      assert.deepStrictEqual(
        got.map(({ event }) => event).sort((a, b) => a.seq - b.seq),
        log.items,
      )
      const [started, ended] = log.items
      assert.deepInclude(started!.data, { id: call.id, status: "queued", outcome: null, ended_at: null, to: busy })
      assert.deepInclude(ended!.data, {
        id: call.id,
        status: "failed",
        outcome: "busy",
        ended_at: call.ended_at,
      })
      assert.notProperty(ended!.data, "transcript")
      const deliveries = await untilDelivered(owner, id, (found) => found.every(({ status }) => status === "succeeded"))
      assert.deepStrictEqual(
        deliveries.map(({ attempts, event_id, event_type, last_status_code, next_attempt_at, seq }) => [
          ...[seq, event_type, event_id, attempts, last_status_code, next_attempt_at],
        ]),
        [
          [2, "call.ended", ended!.id, 1, 200, null],
          [1, "call.started", started!.id, 1, 200, null],
        ],
      )
      assert.strictEqual((await owner.get(`${path}/${id}`)).body.pending_deliveries, 0)
    }),
  )

  it.effect("that of an event whose call was deleted is given up at once, and says nothing of the endpoint", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
      // Long enough that it is not tried again before the test does so.
      endpoint.answer("/a", (response) => void response.writeHead(503, { "retry-after": "3600" }).end())
      const call = await caller.through(busy)
      const [waiting] = await untilDelivered(owner, id, ([one]) => one?.last_status_code === 503)
      endpoint.answer("/a", 200)
      await caller.through(busy)
      await untilDelivered(owner, id, (found) => found.some(({ status }) => status === "succeeded"))
      assert.strictEqual((await owner.delete(`/api/v1/calls/${call.id}`)).status, 204)
      made(await owner.post(`${path}/${id}/deliveries/${waiting!.id}/redeliver`))
      const isOver = (found: Awaited<ReturnType<typeof deliveriesOf>>) =>
        found.some((one) => one.id === waiting!.id && one.attempts === 2 && one.status === "failed")
      const [, given] = await untilDelivered(owner, id, isOver)
      assert.deepInclude(given, { last_error: "The event is no longer kept", next_attempt_at: null })
    }),
  )

  it.effect("it is told of its own types alone, and of nothing while it is disabled", () =>
    test(async ({ caller, endpoint, owner }) => {
      const chosen = await webhook(owner, endpoint.at("/ended"), { events: ["call.ended"] })
      const disabled = await webhook(owner, endpoint.at("/off"), { enabled: false })
      await webhook(owner, endpoint.at("/all"))
      await caller.through(busy)
      await endpoint.until("/all", 2)
      await untilDelivered(owner, chosen.id, (found) => found.length === 1)
      made(await owner.put(`${path}/${disabled.id}`, { enabled: true }))
      await caller.through(busy)
      assert.deepStrictEqual((await endpoint.until("/off", 2)).map(({ event }) => event.seq).sort(), [3, 4])
      await endpoint.until("/ended", 2)
      const types = endpoint.received.filter((one) => one.path === "/ended").map(({ event }) => event.type)
      assert.deepStrictEqual(types, ["call.ended", "call.ended"])
    }),
  )

  it.effect("a 500 is retried automatically, with the same webhook-id; a redelivery is made at once", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id, secret } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
      const isUp = Promise.withResolvers<void>()
      const answers = [
        (response: ServerResponse) => void response.writeHead(500).end("no: 500"),
        (response: ServerResponse) => void isUp.promise.then(() => response.writeHead(204).end()),
      ]
      endpoint.answer("/a", (response) => (answers.length > 1 ? answers.shift() : answers[0])?.(response))
      await caller.through(busy)
      const [waits] = await untilDelivered(owner, id, ([one]) => one?.last_status_code === 500)
      assert.deepInclude(waits, { status: "pending", last_error: "The endpoint answered 500" })
      assert.strictEqual(waits?.response_excerpt, "no: 500")
      // Counted from when the attempt was over, which was before now; the next one may have begun since.
      if (waits?.attempts === 1) assert.isAtMost(Date.parse(waits.next_attempt_at!), Date.now() + 11_000)
      isUp.resolve()
      const [first, second] = await endpoint.until("/a", 2)
      assert.strictEqual(second?.headers["webhook-id"], first?.headers["webhook-id"])
      assert.strictEqual(second?.body, first?.body)
      const [done] = await untilDelivered(owner, id, ([one]) => one?.status === "succeeded")
      assert.deepStrictEqual(
        done?.attempt_log.map(({ number, status_code }) => [number, status_code]),
        [
          [1, 500],
          [2, 204],
        ],
      )
      const again = await owner.post(`${path}/${id}/deliveries/${done?.id}/redeliver`)
      assert.strictEqual(again.status, 200)
      assert.deepInclude(again.body as object, { id: done?.id, status: "pending" })
      const third = (await endpoint.until("/a", 3))[2]
      assert.strictEqual(third?.headers["webhook-id"], first?.headers["webhook-id"])
      if (third !== undefined) verified(third, secret)
      const missing = await owner.post(`${path}/${id}/deliveries/${id}/redeliver`)
      assert.strictEqual(missing.status, 404)
      await untilDelivered(owner, id, ([one]) => one?.status === "succeeded" && one.attempts === 3)
      assert.deepStrictEqual(await deliveriesOf(owner, id, "status=failed"), [])
      assert.strictEqual((await deliveriesOf(owner, id, "status=succeeded&type=call.ended")).length, 1)
    }),
  )

  it.effect("an endpoint that does not answer times out, and delays no other one", () =>
    test(async ({ caller, endpoint, owner }) => {
      const slow = await webhook(owner, endpoint.at("/slow"))
      await webhook(owner, endpoint.at("/quick"))
      let givenUp = 0
      endpoint.answer("/slow", (response) => void response.on("close", () => givenUp++))
      await Promise.all(numbersOf("70", 5).map(caller.through))
      await endpoint.until("/quick", 10)
      assert.strictEqual(givenUp, 0)
      // Ten are due, and no more than the endpoint's share is tried at a time.
      assert.isAtMost(endpoint.received.filter((one) => one.path === "/slow").length, 8)
      const timedOut = await untilDelivered(owner, slow.id, (found) => found.some((one) => one.last_error !== null))
      const one = timedOut.find(({ last_error }) => last_error !== null)
      assert.deepInclude(one, { last_status_code: null, last_error: "The endpoint did not answer within 15 seconds" })
      assert.isAtLeast(one!.last_duration_ms!, 14_900)
    }),
  )

  it.effect("410 disables it and gives the delivery up; it cannot be redelivered until it is enabled", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
      endpoint.answer("/a", 410)
      await caller.through(busy)
      const [gone] = await untilDelivered(owner, id, ([one]) => one?.status === "failed")
      const read = (await owner.get(`${path}/${id}`)).body
      assert.deepInclude(read, { enabled: false, disabled_reason: "gone" })
      const again = () => owner.post(`${path}/${id}/deliveries/${gone?.id}/redeliver`)
      const refused = await again()
      assert.deepStrictEqual([refused.status, refused.body.code], [409, "invalid_state"])
      endpoint.answer("/a", 200)
      const enabled = made(await owner.put(`${path}/${id}`, { enabled: true }))
      assert.strictEqual(enabled.disabled_reason, null)
      assert.strictEqual((await again()).status, 200)
      await untilDelivered(owner, id, ([one]) => one?.status === "succeeded")
    }),
  )

  it.effect("Retry-After is heeded, and no redirect is followed", () =>
    test(async ({ caller, endpoint, owner }) => {
      const waits = await webhook(owner, endpoint.at("/later"), { events: ["call.ended"] })
      const moved = await webhook(owner, endpoint.at("/moved"), { events: ["call.ended"] })
      endpoint.answer("/later", (response) => response.writeHead(503, { "retry-after": "120" }).end())
      endpoint.answer("/moved", (response) => response.writeHead(307, { location: endpoint.at("/target") }).end())
      await caller.through(busy)
      const [later] = await untilDelivered(owner, waits.id, ([one]) => one?.last_status_code === 503)
      const delay = Date.parse(later!.next_attempt_at!) - Date.parse(later!.last_attempt_at!)
      assert.isAtLeast(delay, 120_000)
      assert.isBelow(Date.parse(later!.next_attempt_at!), Date.now() + 122_000)
      const [one] = await untilDelivered(owner, moved.id, ([one]) => one?.last_status_code === 307)
      assert.strictEqual(one?.last_error, "The endpoint answered 307; redirects are not followed")
      assert.isFalse(endpoint.received.some((received) => received.path === "/target"))
    }),
  )

  it.effect("a new secret signs at once, and the one before signs beside it for a day", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id, secret } = await webhook(owner, endpoint.at("/a"), { events: ["call.ended"] })
      const next = `whsec_${randomBytes(24).toString("base64")}`
      const changed = made(await owner.put(`${path}/${id}`, { secret: next }))
      assert.strictEqual(changed.secret, "********")
      await caller.through(busy)
      const [one] = await endpoint.until("/a", 1)
      assert.match(one?.headers["webhook-signature"] ?? "", /^v1,\S+ v1,\S+$/)
      if (one === undefined) throw new Error("Nothing was received")
      verified(one, next)
      verified(one, secret)
      const stranger = `whsec_${randomBytes(24).toString("base64")}`
      assert.throws(() => verified(one, stranger))
    }),
  )
})
