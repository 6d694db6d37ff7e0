/** What the router alone does with webhooks: a test that is no event, and all that waits sent at one press. */
import { assert, it } from "@effect/vitest"
import { verified } from "../support/Receiver.ts"
import { made } from "../support/Fixtures.ts"
import { callOf } from "../support/RpcOperations.ts"
import {
  busy,
  deliveriesOf,
  options,
  path,
  reachesLoopback,
  test,
  untilDelivered,
  webhook,
} from "../support/Webhooks.ts"

it.layer(reachesLoopback, options)("webhooks over the router", (it) => {
  it.effect("a test is signed as every delivery, its answer is told at once, and it is no event", () =>
    test(async ({ endpoint, owner }) => {
      const { id, secret } = await webhook(owner, endpoint.at("/a"))
      endpoint.answer("/a", 500)
      const refused = await callOf(owner, "webhooks.test", { id })
      assert.deepInclude(refused.body.result?.data, {
        status_code: 500,
        error: "The endpoint answered 500",
        response_excerpt: "no: 500",
      })
      endpoint.answer("/a", 200)
      const taken = await callOf(owner, "webhooks.test", { id })
      assert.deepInclude(taken.body.result?.data, { status_code: 200, error: null, response_excerpt: null })
      const got = await endpoint.until("/a", 2)
      for (const one of got) verified(one, secret)
      assert.deepStrictEqual(
        got.map(({ event }): ReadonlyArray<unknown> => [event.type, event.seq, event.data]),
        Array.from({ length: 2 }, () => ["webhook.test", 0, { webhook_id: id }]),
      )
      assert.deepStrictEqual(await deliveriesOf(owner, id), [])
      assert.deepStrictEqual(made(await owner.get("/api/v1/events?after=0")).items, [])
    }),
  )

  it.effect("a test of a slow endpoint is answered with an Idempotency-Key too, as the same test again", () =>
    test(async ({ endpoint, owner, server }) => {
      const { id } = await webhook(owner, endpoint.at("/a"))
      endpoint.answer("/a", (response) => void setTimeout(() => response.writeHead(200).end(), 7_000))
      const send = async () => {
        const answer = await fetch(`${server.url}/trpc/webhooks.test`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${owner.token}`,
            "x-account-id": owner.account,
            "content-type": "application/json",
            "idempotency-key": "one",
          },
          body: JSON.stringify({ id }),
        })
        return [answer.status, await answer.text()] as const
      }
      const sent = await send()
      assert.strictEqual(sent[0], 200, sent[1])
      assert.deepStrictEqual(await send(), sent)
      assert.strictEqual((await endpoint.until("/a", 1)).length, 1)
    }),
  )

  it.effect("all that waits is tried at once; a disabled webhook's is not", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id } = await webhook(owner, endpoint.at("/a"))
      endpoint.answer("/a", 503)
      await caller.through(busy)
      await untilDelivered(
        owner,
        id,
        (found) => found.length === 2 && found.some(({ last_status_code }) => last_status_code === 503),
      )
      const none = await callOf(owner, "webhooks.redeliverAll", { webhook_id: id, status: "failed" })
      assert.deepStrictEqual(none.body.result?.data, { deliveries: 0 })
      endpoint.answer("/a", 200)
      const sent = await callOf(owner, "webhooks.redeliverAll", { webhook_id: id })
      assert.isAtLeast(Number(sent.body.result?.data.deliveries), 1)
      await untilDelivered(owner, id, (found) => found.every(({ status }) => status === "succeeded"))
      made(await owner.put(`${path}/${id}`, { enabled: false }))
      const disabled = await callOf(owner, "webhooks.redeliverAll", { webhook_id: id })
      assert.strictEqual(disabled.status, 409)
    }),
  )
})
