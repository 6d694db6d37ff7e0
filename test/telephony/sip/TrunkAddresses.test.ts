/** The addresses of all trunks: known however many an account lists, and without holding the event loop. */
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { setTimeout } from "node:timers/promises"
import { AddressGuard, HostUnreachable } from "../../../src/outbound/AddressGuard.ts"
import { ServiceRecords } from "../../../src/outbound/ServiceRecords.ts"
import { SipSettings } from "../../../src/telephony/sip/SipSettings.ts"
import { TrunkAddresses } from "../../../src/telephony/sip/TrunkAddresses.ts"
import { InboundNumbers } from "../../../src/tenancy/InboundNumbers.ts"
import * as TickScheduler from "../../../src/TickScheduler.ts"
import { longestTick, mostMs } from "../../support/LongestTick.ts"
import { testConfig } from "../../support/TestConfig.ts"
import { until } from "../../support/Until.ts"

const listed = Array.from({ length: 320_000 }, (_, at) => `8.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`)

it("are known within seconds of being listed, and hold the loop for less than 50 ms", async () => {
  const servers = [{ server: "9.9.9.9", accounts: ["a"] }]
  const directory = Layer.mock(InboundNumbers, {
    revision: Effect.sync(() => crypto.randomUUID()),
    trunks: Effect.succeed({ servers, addresses: listed }),
  })
  const layer = TrunkAddresses.layer.pipe(
    Layer.provide([directory, AddressGuard.layer, ServiceRecords.layer, SipSettings.layer]),
    Layer.provide(ConfigProvider.layer(testConfig({ PARLEY_SIP_PORT: "5060" }))),
  )
  const watch = Effect.gen(function* () {
    const trunks = yield* TrunkAddresses
    yield* Effect.promise(() => until(() => trunks.has("9.9.9.9")))
    // They change every second.
    const turn = yield* Effect.promise(() => longestTick(() => setTimeout(1_500)))
    assert.isTrue(trunks.has(listed.at(-1) ?? ""))
    assert.deepStrictEqual(trunks.serversAt("9.9.9.9"), ["9.9.9.9"])
    assert.isFalse(trunks.has("9.9.9.8"))
    assert.isBelow(turn, mostMs)
  })
  await Effect.runPromise(watch.pipe(Effect.provide(layer), Effect.provide(TickScheduler.layer)))
}, 60_000)

it("include those of the servers in a trunk's SRV and NAPTR records", async () => {
  const directory = Layer.mock(InboundNumbers, {
    revision: Effect.succeed("1"),
    trunks: Effect.succeed({ servers: [{ server: "trunk.test", accounts: ["a"] }], addresses: [] }),
  })
  const addresses: Record<string, string> = {
    "a.trunk.test": "9.9.9.1",
    "b.trunk.test": "9.9.9.2",
    "c.trunk.test": "2606:4700::1",
  }
  const guard = AddressGuard.layerWith((name) =>
    name in addresses ? Effect.succeed([addresses[name] ?? ""]) : new HostUnreachable(),
  )
  const named: Record<string, string> = {
    "_sip._udp.trunk.test": "a.trunk.test",
    "_sips._tcp.trunk.test": "b.trunk.test",
    "tcp.of.trunk.test": "c.trunk.test",
  }
  const records = Layer.succeed(ServiceRecords, {
    find: (service) => Effect.succeed(service in named ? [{ host: named[service] ?? "", port: 5_060 }] : []),
    findServices: () => Effect.succeed([{ service: "SIP+D2T", domain: "tcp.of.trunk.test" }]),
  })
  const layer = TrunkAddresses.layer.pipe(
    Layer.provide([directory, guard, records, SipSettings.layer]),
    Layer.provide(ConfigProvider.layer(testConfig({ PARLEY_SIP_PORT: "5060" }))),
  )
  const watch = Effect.gen(function* () {
    const trunks = yield* TrunkAddresses
    yield* Effect.promise(() => until(() => ["9.9.9.1", "9.9.9.2", "2606:4700::1"].every(trunks.has)))
    assert.deepStrictEqual(trunks.serversAt("9.9.9.2"), ["trunk.test"])
  })
  await Effect.runPromise(watch.pipe(Effect.provide(layer), Effect.provide(TickScheduler.layer)))
})

it("are known soon for each account, even if another account's names lead to silent name servers", async () => {
  const silent = Array.from({ length: 40 }, (_, at) => ({ server: `a${at}.silent.test`, accounts: ["a"] }))
  const shared = { server: "a40.shared.test", accounts: ["a", "b"] }
  const directory = Layer.mock(InboundNumbers, {
    revision: Effect.succeed("1"),
    trunks: Effect.succeed({
      servers: [...silent, shared, { server: "trunk.test", accounts: ["b"] }],
      addresses: [],
    }),
  })
  const answers: Record<string, string> = { "trunk.test": "9.9.9.1", "a40.shared.test": "9.9.9.2" }
  const guard = AddressGuard.layerWith((name) =>
    name in answers ? Effect.succeed([answers[name] ?? ""]) : Effect.never,
  )
  const records = Layer.succeed(ServiceRecords, {
    find: (service) => (service.endsWith("silent.test") ? Effect.never : Effect.succeed([])),
    findServices: (name) => (name.endsWith("silent.test") ? Effect.never : Effect.succeed([])),
  })
  const layer = TrunkAddresses.layer.pipe(
    Layer.provide([directory, guard, records, SipSettings.layer]),
    Layer.provide(ConfigProvider.layer(testConfig({ PARLEY_SIP_PORT: "5060" }))),
  )
  const watch = Effect.gen(function* () {
    const trunks = yield* TrunkAddresses
    yield* Effect.promise(() => until(() => ["9.9.9.1", "9.9.9.2"].every(trunks.has)))
  })
  await Effect.runPromise(watch.pipe(Effect.provide(layer), Effect.provide(TickScheduler.layer)))
}, 20_000)
