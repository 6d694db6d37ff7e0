import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import { ClientAddress } from "../../../src/http/edge/ClientAddress.ts"

const trusting = (PARLEY_TRUSTED_PROXIES: string) =>
  ClientAddress.layer.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ PARLEY_TRUSTED_PROXIES }))),
  )

/** Address of the connection, `X-Forwarded-For`, and the client that it tells. */
type Case = readonly [connection: string, forwarded: string | undefined, client: string]

const check = (trusted: string, cases: ReadonlyArray<Case>) =>
  Effect.gen(function* () {
    const { of } = yield* ClientAddress
    for (const [remoteAddress, forwarded, client] of cases) {
      const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
      assert.strictEqual(of({ headers, socket: { remoteAddress } }), client, `${remoteAddress} ${forwarded}`)
    }
  }).pipe(Effect.provide(trusting(trusted)))

it.effect("a client is where its connection comes from, whatever it says, when no proxy is trusted", () =>
  check("", [
    ["203.0.113.9", undefined, "203.0.113.9"],
    ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["::ffff:127.0.0.1", "198.51.100.1", "127.0.0.1"],
  ]),
)

it.effect("behind trusted proxies it is the last address that none of them has", () =>
  check("127.0.0.1, 10.0.0.0/8, fd00::/8", [
    ["127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["fd00::7", "2001:db8::1", "2001:db8::1"],
    ["10.1.2.3", "203.0.113.66, 198.51.100.1, 10.9.9.9", "198.51.100.1"],
    ["10.1.2.3", "198.51.100.1:4711", "198.51.100.1"],
    ["10.1.2.3", "[2001:db8::1]:4711", "2001:db8::1"],
    // Nothing that can be read: the proxy's own address, so that no invention is a new client.
    ["10.1.2.3", undefined, "10.1.2.3"],
    ["10.1.2.3", "198.51.100.1, unknown", "10.1.2.3"],
    ["10.1.2.3", ", ,", "10.1.2.3"],
    ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ]),
)

it.effect("an invalid range ends the start", () =>
  Effect.gen(function* () {
    for (const list of ["proxy.example", "10.0.0.0/33", "10.0.0.0/8/8", "10.0.0/8", "::/129", "10.0.0.0/"]) {
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Layer.build(trusting(list)))), list)
    }
  }).pipe(Effect.scoped),
)
