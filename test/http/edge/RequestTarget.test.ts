import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isCanonical, read } from "../../../src/http/edge/RequestTarget.ts"
import { handshake, requestOf, sendRaw, statusOf } from "../../support/RawSocket.ts"
import { TestServer } from "../../support/TestServer.ts"

describe("the path of a request", () => {
  it("loses the prefix, and only the prefix", () => {
    const reading = (url: string, path: string, isPrefixed: boolean) => ({ url, path, isPrefixed })
    assert.deepStrictEqual(read("/hub-api/api/agents?page=1"), reading("/api/agents?page=1", "/api/agents", true))
    assert.deepStrictEqual(read("/hub-api?x"), reading("/?x", "/", true))
    assert.deepStrictEqual(read("/hub-api"), reading("/", "/", true))
    assert.deepStrictEqual(read("/hub-apiary"), reading("/hub-apiary", "/hub-apiary", false))
  })

  it.each([
    ...["/", "/console/", "/api/tools/get_time", "/api/faqs/was%20kostet%20es%3F", "/api/agents/a%2Fb"],
    ...["/api/v1/suppressions/+14155550100", "/trpc/agents.list,faqs.list", "/api/agents/J%C3%BCrgen", "/x.y/~z"],
  ])("%s is canonical", (path) => assert.isTrue(isCanonical(path)))

  it.each([
    ...["//healthz", "/api//tools", "/api/./tools", "/api/../metrics", "/..", "/healthz;x", "/;/healthz", ""],
    ...[
      "/%6detrics",
      "/%2e%2e/metrics",
      "/api/%2E/x",
      "/a%5Fb",
      "/a%7Eb",
      "/a%30",
      "/a%",
      "/a%zz",
      "/a\\b",
      "/a b",
      "*",
    ],
  ])("%s is not", (path) => assert.isFalse(isCanonical(path)))
})

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("a request's target", (it) => {
  const statuses = (url: string, targets: ReadonlyArray<string>, headers?: ReadonlyArray<string>) =>
    Promise.all(targets.map(async (target) => statusOf(await sendRaw(url, [requestOf(target, headers)]))))

  it.effect("reaches a route by its one spelling alone", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      yield* Effect.promise(async () => {
        assert.deepStrictEqual(await statuses(url, ["/healthz", "/hub-api/healthz", "/healthz?x=1"]), [200, 200, 200])
        const others = [
          ...["//healthz", "/healthz/", "/HEALTHZ", "/%68ealthz", "/healthz;x", "/x/../healthz", "/./healthz"],
          ...["/hub-api//healthz", "/HUB-API/healthz", "/METRICS", "/metrics/", "/API/tools", "/trpc/a%2Cb"],
        ]
        assert.deepStrictEqual(
          await statuses(url, others),
          others.map(() => 404),
        )
      })
    }),
  )

  it.effect("is a path, sent to one host", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      yield* Effect.promise(async () => {
        const targets = ["http://localhost/healthz", "*", "/healthz#x", "/caf\u00e9"]
        assert.deepStrictEqual(await statuses(url, targets), [400, 400, 400, 400])
        const hosts = [
          [],
          ["Host: localhost", "host: localhost"],
          ["Host: ["],
          ["Host: a:99999"],
          ["Host: a/b"],
          ["Host: u@a"],
          ["Host:"],
        ]
        for (const headers of hosts) assert.deepStrictEqual(await statuses(url, ["/healthz"], headers), [400])
      })
    }),
  )

  it.effect("is no WebSocket where it cannot be read, and the process goes on", () =>
    Effect.gen(function* () {
      const { request, url } = yield* TestServer
      yield* Effect.promise(async () => {
        const unmasked = Buffer.from([0x81, 2, 0x41, 0x41])
        for (const [target, host] of [
          ["//trpc-ws;:x", "localhost"],
          ["/trpc-ws", "["],
          ["/trpc-ws", "localhost:99999"],
          ["/trpc-ws", "localhost"],
        ] as const) {
          const head = requestOf(target, [`Host: ${host}`, ...handshake]).replace("Connection: close\r\n", "")
          const status = statusOf(await sendRaw(url, [head, unmasked]))
          assert.include([101, 400, 404], status)
          assert.strictEqual((await request("GET", "/healthz")).status, 200)
        }
      })
    }),
  )
})
