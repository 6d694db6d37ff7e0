import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answering, basic, company, invoke, json } from "../support/Company.ts"

describe("an http tool's request", () => {
  it.live.each(["POST", "PUT", "PATCH", "DELETE"])("%s sends the arguments as a JSON body", (method) =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      const args = { date: "2027-03-14", seats: 2, extras: ["Kaffee ☕"] }
      const { id } = yield* invoke({ url: `${url}/book?shop=1`, method }, args)
      const [asked] = received
      assert.strictEqual(asked?.method, method)
      assert.strictEqual(asked?.url, "/book?shop=1")
      assert.strictEqual(asked?.headers["content-type"], "application/json")
      assert.deepStrictEqual(JSON.parse(asked?.body ?? ""), args)
      assert.strictEqual(asked?.headers["idempotency-key"], id)
    }),
  )

  it.live("GET sends them as the query: texts and numbers as they are, the rest as JSON", () =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      const args = { q: "a&b=ü /?#", n: 2.5, yes: true, none: null, list: [1, "x"], deep: { a: 1 } }
      yield* invoke({ url: `${url}/find?shop=1`, method: "GET" }, args)
      const [asked] = received
      const query = new URL(asked?.url ?? "", url).searchParams
      assert.deepStrictEqual(Object.fromEntries(query), {
        shop: "1",
        q: "a&b=ü /?#",
        n: "2.5",
        yes: "true",
        none: "null",
        list: '[1,"x"]',
        deep: '{"a":1}',
      })
      assert.strictEqual(asked?.body, "")
      assert.notProperty(asked?.headers, "content-type")
      assert.notProperty(asked?.headers, "idempotency-key")
    }),
  )

  it.live("takes no argument in the place of what the URL says", () =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      yield* invoke({ url: `${url}/find?shop=1&x=%20`, method: "GET" }, { shop: "2", x: "3" })
      assert.strictEqual(received[0]?.url, "/find?shop=1&x=%20")
    }),
  )

  it.live.each([
    ["bearer", { type: "bearer", token: "a-token" }, "authorization", "Bearer a-token"],
    ["basic", { type: "basic", username: "rosa", password: "pässword:1" }, "authorization", basic("rosa:pässword:1")],
    ["header", { type: "header", name: "X-Api-Key", value: "a key" }, "x-api-key", "a key"],
  ] as const)("authenticates by %s, and an own header does not win over it", ([, authentication, name, value]) =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      yield* invoke({ url, authentication, headers: { [name.toUpperCase()]: "mine" } })
      assert.strictEqual(received[0]?.headers[name], value)
    }),
  )

  it.live("has the tool's own content type if it is one of JSON, as the body is", () =>
    Effect.gen(function* () {
      const { received, url } = yield* company(answering("{}", json))
      const type = "application/vnd.api+json; charset=utf-8"
      yield* invoke({ url, headers: { "Content-Type": type } }, { a: 1 })
      assert.strictEqual(received[0]?.headers["content-type"], type)
      assert.strictEqual(received[0]?.body, '{"a":1}')
    }),
  )

  it.live("carries its own headers, but neither host nor another content type nor what frames the body", () =>
    Effect.gen(function* () {
      const { port, received, url } = yield* company(answering("{}", json))
      const headers = {
        "X-Shop": "harbor",
        Accept: "application/vnd.shop+json",
        Authorization: "Own scheme",
        Host: "elsewhere.test",
        "Content-Type": "text/plain",
        "Content-Length": "1",
        "Transfer-Encoding": "chunked",
        Connection: "upgrade",
        Upgrade: "websocket",
        Expect: "100-continue",
        "Accept-Encoding": "gzip",
      }
      const { error } = yield* invoke({ url, headers }, { a: 1 })
      assert.isUndefined(error)
      const asked = received[0]
      assert.strictEqual(asked?.headers["x-shop"], "harbor")
      assert.strictEqual(asked?.headers.accept, "application/vnd.shop+json")
      assert.strictEqual(asked?.headers.authorization, "Own scheme")
      assert.strictEqual(asked?.headers.host, `127.0.0.1:${port}`)
      assert.strictEqual(asked?.headers["content-type"], "application/json")
      assert.notProperty(asked?.headers, "accept-encoding")
      assert.strictEqual(asked?.body, '{"a":1}')
    }),
  )
})
