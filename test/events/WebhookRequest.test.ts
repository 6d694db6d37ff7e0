import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Event } from "../../src/domain/Event.ts"
import type { Claim } from "../../src/events/Deliveries.ts"
import * as WebhookRequest from "../../src/events/WebhookRequest.ts"
import { AddressGuard, HostUnreachable, type Resolve } from "../../src/outbound/AddressGuard.ts"

const server = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { server, port: (server.address() as AddressInfo).port }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      }),
  )

const names: Record<string, ReadonlyArray<string>> = {
  "hook.test": ["127.0.0.1"],
  "private.test": ["10.0.0.1"],
  "rebound.test": ["93.184.215.14", "169.254.169.254"],
}
const resolve: Resolve = (name) =>
  name in names ? Effect.succeed(names[name] ?? []) : Effect.fail(new HostUnreachable())

const guard = AddressGuard.layerWith(resolve).pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" }))),
)

const uuid = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"
const event = Event.make({
  id: uuid,
  seq: 7,
  type: "contact.failed",
  created_at: new Date("2026-11-21T10:00:00.000Z"),
  data: {
    id: uuid,
    campaign_id: uuid,
    position: 1,
    phone_number: "+14155550132",
    custom_fields: {},
    status: "failed",
    outcome: "busy",
    attempts: 1,
    last_call_id: uuid,
    callback_at: null,
  } as never,
})
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const attempt = (url: string) => {
  const claim: Claim = {
    id: uuid,
    webhook_id: uuid,
    seq: 7,
    attempts: 1,
    series_attempts: 1,
    url,
    secret: "",
    previous_secret: null,
  }
  return WebhookRequest.attempt(claim, event, [secret]).pipe(Effect.provide(guard))
}

describe("one attempt at a webhook", () => {
  it("signs as Standard Webhooks says: the example of its documentation", () => {
    const at = new Date(1_614_265_330_000)
    assert.deepStrictEqual(
      WebhookRequest.signatureOf("msg_p5jXN8AQM9LWM0D4loKWxJek", at, '{"test": 2432232314}', [secret]),
      {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
    )
  })

  it.live("goes to the address that was checked, under the name of the URL", () =>
    Effect.gen(function* () {
      const asked: Array<IncomingMessage> = []
      const { port } = yield* server((request, response) => {
        asked.push(request)
        response.writeHead(202).end("thanks")
      })
      const result = yield* attempt(`http://hook.test:${port}/in?tenant=1`)
      assert.deepInclude(result, { verdict: "succeeded", status_code: 202, error: null, excerpt: "thanks" })
      assert.deepStrictEqual(
        asked.map(({ headers, method, url }) => [method, url, headers.host]),
        [["POST", "/in?tenant=1", `hook.test:${port}`]],
      )
    }),
  )

  it.live("is refused at connect time when the name leads to a private address by now", () =>
    Effect.gen(function* () {
      for (const host of ["private.test", "rebound.test", "10.0.0.1"]) {
        const result = yield* attempt(`http://${host}/`)
        assert.deepInclude(result, { verdict: "failed", status_code: null })
        assert.include(result.error ?? "", "an address that is not allowed")
      }
      const unknown = yield* attempt("http://unknown.test/")
      assert.deepInclude(unknown, { verdict: "failed", error: "The server could not be reached" })
    }),
  )

  it.live("reads no more of an answer than its beginning, and keeps what a column takes", () =>
    Effect.gen(function* () {
      const { port } = yield* server((_, response) => {
        response.writeHead(500)
        const more = () => response.write("\0é".repeat(1_000), more)
        more()
      })
      const result = yield* attempt(`http://hook.test:${port}/`)
      assert.deepInclude(result, { verdict: "failed", status_code: 500 })
      assert.isAtMost(result.excerpt?.length ?? 0, 1_000)
      assert.match(result.excerpt ?? "", /^é+$/)
    }),
  )

  it.live("a connection that breaks off is a failure with a sentence", () =>
    Effect.gen(function* () {
      const { port } = yield* server((request) => request.socket.destroy())
      assert.deepInclude(yield* attempt(`http://hook.test:${port}/`), {
        verdict: "failed",
        status_code: null,
        error: "The server could not be reached",
      })
    }),
  )
})
