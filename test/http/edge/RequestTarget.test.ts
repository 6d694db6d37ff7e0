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
        const targets = ["*", "/healthz#x", "/caf\u00e9", "healthz", "ftp://localhost/healthz"]
        assert.deepStrictEqual(
          await statuses(url, targets),
          targets.map(() => 400),
        )
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

  it.effect("may be a whole URL under the host of the header Host", () =>
    Effect.gen(function* () {
      const { request, url } = yield* TestServer
      yield* Effect.promise(async () => {
        const paths = [
          ...["/healthz", "/hub-api/healthz?x=1", "/?x", "/api/tools", "/api/nothing?x=1"],
          ...["//healthz", "/x/../healthz", "/%68ealthz", "/console/../healthz"],
        ]
        const whole = paths.map((path) => `http://localhost${path}`)
        assert.deepStrictEqual(await statuses(url, whole), await statuses(url, paths))
        const spellings = ["HTTPS://LocalHost/healthz", "http://localhost", "http://localhost?x"]
        assert.deepStrictEqual(await statuses(url, spellings), await statuses(url, ["/healthz", "/", "/?x"]))
        const ofHost = await statuses(url, ["http://localhost:4000/healthz"], ["Host: localhost:4000"])
        assert.deepStrictEqual(ofHost, [200])

        const others = [
          ...["http://127.0.0.1/healthz", "http://localhost:80/healthz", "http://u@localhost/healthz"],
          ...["http:///healthz", "http:/healthz", "http://localhost.evil.example/healthz"],
          ...["http://localhost\\@evil.example/healthz", "http://localhost/healthz#x", "http://localhost#/healthz"],
        ]
        assert.deepStrictEqual(
          await statuses(url, others),
          others.map(() => 400),
        )
        for (const headers of [[], ["Host: localhost", "Host: localhost"], ["Host: localhost, localhost"]]) {
          assert.deepStrictEqual(await statuses(url, ["http://localhost/healthz"], headers), [400])
        }

        const methods = await sendRaw(url, [requestOf("http://localhost/healthz", ["Host: localhost"], "DELETE")])
        assert.strictEqual(statusOf(methods), 405)
        assert.strictEqual((await request("GET", "/healthz")).status, 200)
      })
    }),
  )

  it.effect("may be a whole URL where a WebSocket is asked for", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      yield* Effect.promise(async () => {
        const upgraded = async (target: string) => {
          const head = requestOf(target, ["Host: localhost", ...handshake]).replace("Connection: close\r\n", "")
          return statusOf(await sendRaw(url, [head], (text) => text.includes("\r\n\r\n")))
        }
        assert.strictEqual(await upgraded("http://localhost/trpc-ws"), 101)
        assert.strictEqual(await upgraded("http://localhost/hub-api/trpc-ws?connectionParams=1"), 101)
        assert.strictEqual(await upgraded("http://localhost//trpc-ws"), 404)
        assert.strictEqual(await upgraded("http://evil.example/trpc-ws"), 400)
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
          const isRefused = (text: string) => text.includes("\r\n\r\n") && statusOf(text) !== 101
          const status = statusOf(await sendRaw(url, [head, unmasked], isRefused))
          assert.include([101, 400, 404], status)
          assert.strictEqual((await request("GET", "/healthz")).status, 200)
        }
      })
    }),
  )
})
