import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { ServerResponse } from "node:http"
import { ToolAddressGuard } from "../../src/tools/ToolAddressGuard.ts"
import { answering, company, invoke, json, type Received } from "../support/Company.ts"

describe("an http tool's connection", () => {
  it.live("goes to the address that was checked, though the name answers another a moment later", () =>
    Effect.gen(function* () {
      const meant = yield* company(answering('"meant"', json))
      const other = yield* company(answering('"other"', json), "127.0.0.2", meant.port)
      const answers = ["127.0.0.1", "127.0.0.2"]
      const rebinding = ToolAddressGuard.layerWith(() => Effect.sync(() => [answers.shift() ?? ""]))
      const { result } = yield* invoke({ url: `http://rebinding.test:${meant.port}/` }, {}, rebinding)
      assert.strictEqual(result, "meant")
      assert.lengthOf(other.received, 0)
      assert.deepStrictEqual(answers, ["127.0.0.2"])
      assert.strictEqual(meant.received[0]?.headers.host, `rebinding.test:${meant.port}`)
    }),
  )

  it.live.each([
    ["before the answer", () => {}],
    ["amid the answer", (response: ServerResponse) => void response.write("{")],
  ] as const)("is closed at once when the call ends %s", ([, answer]) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const { url } = yield* company((response) => {
        response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        answer(response)
        Deferred.doneUnsafe(asked, Effect.void)
      })
      const running = yield* Effect.forkChild(invoke({ url, timeout_ms: 60_000 }))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(running)
      yield* Deferred.await(closed).pipe(Effect.timeout("30 seconds"))
    }),
  )

  it.live("is closed when the answer is there, though the server would go on", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const { url } = yield* company((response) => {
        response.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        response.writeHead(302, { location: "/elsewhere" }).write("Found")
      })
      assert.strictEqual((yield* invoke({ url })).error?.code, "http_redirect")
      yield* Deferred.await(closed).pipe(Effect.timeout("30 seconds"))
    }),
  )
})

describe("a secret of an http tool", () => {
  const echo =
    (status: number) =>
    (response: ServerResponse, { headers }: Received) =>
      void response.writeHead(status, json).end(JSON.stringify({ headers, deep: [headers["x-api-key"]] }))

  it.live.each([
    ["a bearer token", { authentication: { type: "bearer", token: 'tok"en\\1' } }, ['tok"en', "tok\\"]],
    [
      "a password",
      { authentication: { type: "basic", username: "rosa", password: "pass-word" } },
      [btoa("rosa:pass-word")],
    ],
    ["the value of a header", { authentication: { type: "header", name: "X-Whatever", value: "val-ue" } }, ["val-ue"]],
    ["a header that is secret by its name", { headers: { "X-Api-Key": "key-of-shop" } }, ["key-of-shop"]],
  ] as const)("is in no record, though the server repeats %s", ([, config, secrets]) =>
    Effect.gen(function* () {
      for (const status of [200, 500]) {
        const { received, url } = yield* company(echo(status))
        const record = yield* invoke({ url, ...config })
        assert.lengthOf(received, 1)
        const said = JSON.stringify(record)
        for (const secret of secrets) {
          assert.notInclude(said, secret)
          assert.notInclude(said, JSON.stringify(secret).slice(1, -1))
        }
        assert.include(said, "********")
      }
    }),
  )
})
