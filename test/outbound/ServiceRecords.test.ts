/** The servers of a domain's service, as a name server tells them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { orderServers, ServiceRecords } from "../../src/outbound/ServiceRecords.ts"
import { longestTick, mostMs } from "../support/LongestTick.ts"
import { nameServer } from "../support/NameServer.ts"

const record = (name: string, priority: number, weight: number) => ({ name, priority, weight, port: 5_060 })

describe("the servers of a service", () => {
  it.live("come by priority, with their ports; a domain without any has none", () =>
    Effect.gen(function* () {
      const srv = (target: string, priority: number, port: number) => ({ target, priority, port, weight: 1 })
      const place = yield* nameServer({
        "_sip._udp.trunk.test": [srv("b.trunk.test", 20, 5_060), srv("a.trunk.test", 10, 5_080)],
        "_sip._udp.plain.test": [],
      })
      const find = (service: string) =>
        ServiceRecords.use((records) => records.find(service)).pipe(Effect.provide(ServiceRecords.layerWith([place])))
      assert.deepStrictEqual(yield* find("_sip._udp.trunk.test"), [
        { host: "a.trunk.test", port: 5_080 },
        { host: "b.trunk.test", port: 5_060 },
      ])
      assert.deepStrictEqual(yield* find("_sip._udp.plain.test"), [])
    }),
  )

  it.live("are named by NAPTR records for each transport, the one that the domain prefers first", () =>
    Effect.gen(function* () {
      const wanted = (service: string, order: number, preference: number, flags = "s") => ({
        service,
        order,
        preference,
        flags,
        replacement: `_${service.toLowerCase()}.trunk.test`,
      })
      const place = yield* nameServer({
        "trunk.test": [
          wanted("SIP+D2U", 20, 1),
          wanted("SIP+D2T", 10, 2),
          wanted("SIPS+D2T", 10, 1),
          wanted("SIP+D2S", 5, 1),
          wanted("SIP+D2U", 1, 1, "a"),
        ],
        "plain.test": [],
      })
      const find = (domain: string) =>
        ServiceRecords.use((records) => records.findServices(domain, (service) => !service.endsWith("S"))).pipe(
          Effect.provide(ServiceRecords.layerWith([place])),
        )
      const services = yield* find("trunk.test")
      assert.deepStrictEqual(
        services.map(({ domain }) => domain),
        ["_sips+d2t.trunk.test", "_sip+d2t.trunk.test", "_sip+d2u.trunk.test"],
      )
      assert.deepStrictEqual(yield* find("plain.test"), [])
    }),
  )

  it.effect("share calls by weight within a priority, and a server without a weight is rarely first", () =>
    Effect.gen(function* () {
      const records = [record("heavy", 1, 60), record("light", 1, 30), record("none", 1, 0), record("spare", 2, 100)]
      const first = new Map<string, number>()
      for (let round = 0; round < 3_000; round++) {
        const ordered = yield* orderServers(records)
        assert.lengthOf(ordered, 4)
        assert.strictEqual(ordered.at(-1)?.host, "spare")
        const host = ordered[0]?.host ?? ""
        first.set(host, (first.get(host) ?? 0) + 1)
      }
      assert.approximately(first.get("heavy") ?? 0, 2_000, 150)
      assert.approximately(first.get("light") ?? 0, 1_000, 150)
      assert.isBelow(first.get("none") ?? 0, 100)
    }).pipe(Random.withSeed("weights")),
  )

  it.effect("are none if the domain says that it does not offer the service", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* orderServers([{ name: "", priority: 0, weight: 0, port: 0 }]), [])
    }),
  )

  it("are ordered within 50 ms, whatever a domain's name server answers", async () => {
    const refusals = Array.from({ length: 3_400 }, () => record("", 1, 1))
    assert.isBelow(await longestTick(() => Effect.runPromise(orderServers(refusals))), mostMs)
  })
})
