import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { made } from "../support/Fixtures.ts"
import { receiver } from "../support/Receiver.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

/** A shop's system: it tells the hours to a client that has the token, and repeats the token of any other. */
const shop = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer(async (request, response) => {
      const { authorization } = request.headers
      const { day } = (await json(request)) as { day?: string }
      response.setHeader("content-type", "application/json")
      if (authorization !== "Bearer token-of-the-shop") response.writeHead(401)
      response.end(
        JSON.stringify(authorization === "Bearer token-of-the-shop" ? { day, open: "9 to 5" } : { authorization }),
      )
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    }),
)

const hours = async (owner: Client, url: string, token: string) => {
  const { body, status } = await owner.post("/api/tools", {
    name: `hours_${crypto.randomUUID().slice(0, 8)}`,
    description: "Tells the hours.",
    schema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
    implementation_type: "http",
    implementation_config: { url, authentication: { type: "bearer", token } },
  })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body
}

const options = { timeout: "120 seconds", excludeTestServices: true } as const
const test = (body: (owner: Client, url: string) => Promise<void>) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const { url } = yield* shop
    yield* Effect.promise(async () => body(await server.ownerOf("shop"), url))
  })

it.layer(Layer.fresh(TestServer.layerWith({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" })), options)(
  "an http tool (decisions §2)",
  (it) => {
    it.effect("answers an invocation with what its server answers", () =>
      test(async (owner, url) => {
        const { id } = await hours(owner, url, "token-of-the-shop")
        const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { day: "Monday" } })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body.result, { day: "Monday", open: "9 to 5" })
        assert.deepStrictEqual(body.logs, [])
        assert.isAtLeast(body.duration_ms!, 0)
      }),
    )
    it.effect("keeps its secret when a config is sent back with the mask", () =>
      test(async (owner, url) => {
        const { id, implementation_config } = await hours(owner, url, "token-of-the-shop")
        assert.nestedPropertyVal(implementation_config, "authentication.token", "********")
        assert.strictEqual((await owner.put(`/api/tools/${id}`, { implementation_config })).status, 200)
        const { body } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { day: "Monday" } })
        assert.propertyVal(body.result, "open", "9 to 5")
      }),
    )
    it.effect("holds no transaction while its server works, so that an Idempotency-Key has no effect", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const both = yield* Effect.acquireRelease(Effect.promise(receiver), ({ close }) => Effect.sync(close))
        yield* Effect.promise(async () => {
          const owner = await server.ownerOf("shop")
          const { name } = await hours(owner, both.at("/hours"), "token-of-the-shop")
          // Each request is answered once the other has arrived.
          const waiting: Array<ServerResponse> = []
          both.answer("/hours", (response) => {
            if (waiting.push(response) === 2) for (const one of waiting.splice(0)) one.end("{}")
          })
          const headers = { "idempotency-key": "once" }
          const body = { arguments: { day: "Monday" } }
          for (const [path, sent] of [
            [`/api/tools/${name}/invoke`, body],
            ["/trpc/tools.invoke", { id: name, ...body }],
          ] as const) {
            const ask = () => owner.request("POST", path, { headers, body: sent })
            const answers = await Promise.all([ask(), ask()])
            assert.deepStrictEqual(
              answers.map(({ status }) => status),
              [200, 200],
            )
          }
          assert.strictEqual(both.received.length, 4)
        })
      }),
    )
    it.effect("is tried only when the audit log has the trial", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const site = yield* Effect.acquireRelease(Effect.promise(receiver), ({ close }) => Effect.sync(close))
        yield* Effect.promise(async () => {
          const owner = await server.ownerOf("trials")
          const { id } = await hours(owner, site.at("/hours"), "token-of-the-shop")
          let asked: ServerResponse | undefined
          site.answer("/hours", (response) => (asked = response))
          const answer = owner.post(`/api/tools/${id}/invoke`, { arguments: { day: "Monday" } })
          const response = await until(() => asked)
          const { items } = made(await owner.get("/api/v1/audit?action=tool.try"))
          response.end("{}")
          made(await answer)
          assert.lengthOf(items, 1)
          assert.strictEqual(items[0]?.object.id, id)
        })
      }),
    )
    it.effect("fails without harm to the call, with its secret masked", () =>
      test(async (owner, url) => {
        const { id } = await hours(owner, url, "outdated-token")
        const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { day: "Monday" } })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body.error, {
          code: "http_status",
          message: `The tool's server answered 401: {"authorization":"Bearer ********"}`,
        })
      }),
    )
    it.effect("is not asked where the arguments do not fit", () =>
      test(async (owner, url) => {
        const { id } = await hours(owner, url, "token-of-the-shop")
        assert.strictEqual((await owner.post(`/api/tools/${id}/invoke`, { arguments: { day: 1 } })).status, 400)
      }),
    )
  },
)

it.layer(Layer.fresh(TestServer.layer), options)("without PARLEY_HTTP_TOOL_ALLOW_LOOPBACK", (it) => {
  it.effect("an http tool does not reach this machine", () =>
    test(async (owner, url) => {
      for (const place of [url, url.replace("127.0.0.1", "localhost"), url.replace("127.0.0.1", "[::1]")]) {
        const { id } = await hours(owner, place, "token-of-the-shop")
        const { body, status } = await owner.post(`/api/tools/${id}/invoke`, { arguments: { day: "Monday" } })
        assert.strictEqual(status, 200)
        assert.strictEqual(body.error!.code, "address_refused")
      }
    }),
  )
})
