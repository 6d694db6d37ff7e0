import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { RateLimit } from "../../../src/http/edge/RateLimit.ts"
import { onServer, TestServer } from "../../support/TestServer.ts"

const limitOf = (limit: number) =>
  RateLimit.layer.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_REQUESTS_PER_MINUTE: String(limit) }))),
  )
const token = (at: number) => `Bearer ${"x".repeat(30)}${String(at).padStart(6, "0")}`

it.effect("requests with credentials that opened nothing count together by address", () =>
  Effect.gen(function* () {
    const { admit, count } = yield* RateLimit
    const address = "203.0.113.9"
    admit("Bearer known")
    for (let at = 0; at < 10; at++) assert.isUndefined(yield* count({ address, credential: token(at) }))
    assert.isDefined(yield* count({ address, credential: token(10) }))
    assert.isDefined(yield* count({ address }))
    assert.isUndefined(yield* count({ address, credential: "Bearer known" }))
    assert.isUndefined(yield* count({ address: "203.0.113.10", credential: token(11) }))
    // No flood of inventions makes a known credential forgotten.
    for (let at = 0; at < 30_000; at++)
      yield* count({ address: `198.51.${at >> 8}.${at & 255}`, credential: token(at) })
    for (let at = 0; at < 8; at++) assert.isUndefined(yield* count({ address, credential: "Bearer known" }))
  }).pipe(Effect.provide(limitOf(10))),
)

it.effect("reports to accounts that no carrier has signed for count together by address", () =>
  Effect.gen(function* () {
    const { admitReports, count } = yield* RateLimit
    const address = "203.0.113.9"
    const reportTo = (account: string) => count({ address, reports: `/carriers/twilio/${account}` })
    admitReports("/carriers/twilio/known")
    for (let at = 0; at < 10; at++) assert.isUndefined(yield* reportTo(`made-up-${at}`))
    assert.isDefined(yield* reportTo("made-up-10"))
    assert.isUndefined(yield* reportTo("known"))
  }).pipe(Effect.provide(limitOf(10))),
)

it.effect("of IPv6 a network of 64 bits is one address", () =>
  Effect.gen(function* () {
    const { count } = yield* RateLimit
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:ffff::7", "2001:db8:1:2:3:4:5:6"]) {
      assert.isUndefined(yield* count({ address }))
    }
    assert.isDefined(yield* count({ address: "2001:db8:1:2::9" }))
    assert.isUndefined(yield* count({ address: "2001:db8:1:3::9" }))
    for (let at = 0; at < 3; at++) assert.isUndefined(yield* count({ address: "::ffff:192.0.2.1" }))
    assert.isUndefined(yield* count({ address: "::ffff:192.0.2.2" }))
    assert.isUndefined(yield* count({ address: "::1" }))
  }).pipe(Effect.provide(limitOf(3))),
)

it.layer(TestServer.layerWith({ PARLEY_REQUESTS_PER_MINUTE: "100" }), {
  timeout: "120 seconds",
  excludeTestServices: true,
})("a stranger", (it) => {
  it.effect("has one limit for all tokens, and leaves members theirs", () =>
    onServer(async (server) => {
      const owner = await server.ownerOf("limited")
      assert.strictEqual((await owner.get("/api/tools")).status, 200)
      const statuses = new Set<number>()
      // The limit is the clock's minute: one that begins in the middle allows at most twice as many.
      for (let at = 0; at < 201; at++) {
        const answer = await server.request("GET", "/api/tools", { token: `bogus-${at}`, account: "limited" })
        statuses.add(answer.status)
      }
      assert.deepStrictEqual([...statuses].toSorted(), [401, 429])
      assert.strictEqual((await owner.get("/api/tools")).status, 200)
    }),
  )
})
