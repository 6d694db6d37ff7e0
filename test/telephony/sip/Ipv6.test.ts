/** SIP over IPv6: its messages (RFC 5118), and calls over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue } from "effect"
import { networkInterfaces } from "node:os"
import { trunkOf, trunkUri } from "../../../src/domain/SipConfig.ts"
import { ServiceRecords } from "../../../src/outbound/ServiceRecords.ts"
import { fieldOf } from "../../../src/telephony/sip/Message.ts"
import { parseMessage } from "../../../src/telephony/sip/MessageParser.ts"
import { parseUri } from "../../../src/telephony/sip/Uri.ts"
import { freePort } from "../../support/FreePorts.ts"
import { answered, eventsOf, openAgent, orderTo, placed } from "../../support/SipAgents.ts"

const message = (uri: string, { body = "", via = "SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bKas3-111" } = {}) => {
  const lines = [
    `REGISTER ${uri} SIP/2.0`,
    `Via: ${via}`,
    "To: sip:user@example.com",
    "From: sip:user@[2001:db8::9:1];tag=81x2",
    "Call-ID: SSG9559905523997077@hlau_4100",
    'Contact: "Caller" <sip:caller@[2001:db8::1]>',
    "CSeq: 98176 REGISTER",
    `Content-Length: ${body.length}`,
  ]
  return parseMessage(Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`), { isStream: false })
}
const requestTo = (...parts: Parameters<typeof message>) => {
  const read = message(...parts)
  return read.kind === "request" ? read : assert.fail(read.kind)
}

describe("the messages of RFC 5118", () => {
  it("name an IPv6 address in brackets (§4.1), and are refused without them (§4.2)", () => {
    assert.strictEqual(parseUri(requestTo("sip:[2001:db8::10]").uri)?.host, "2001:db8::10")
    const refused = message("sip:2001:db8::10")
    assert.strictEqual(refused.kind === "unreadable" ? refused.refusal?.status : refused.kind, 400)
  })
  it("have a port behind the brackets (§4.4), and none within them (§4.3)", () => {
    assert.include(parseUri(requestTo("sip:[2001:db8::10:5070]").uri), { host: "2001:db8::10:5070", port: null })
    assert.include(parseUri(requestTo("sip:[2001:db8::10]:5070").uri), { host: "2001:db8::10", port: 5_070 })
  })
  it.each(["[2001:db8::9:255]", "2001:db8::9:255"])("are read where received is %s (§4.5)", (received) => {
    const via = `SIP/2.0/UDP [2001:db8::9:1]:6050;received=${received};branch=z9hG4bKas3-111`
    const [{ host, params, port }] = requestTo("sip:[2001:db8::10]", { via }).vias
    assert.deepStrictEqual([host, port, params.get("branch")], ["2001:db8::9:1", 6_050, "z9hG4bKas3-111"])
  })
  it("hold IPv4 addresses in IPv6 ones (§4.9), and three colons that old grammar allowed (§4.10)", () => {
    const via = "SIP/2.0/UDP [::ffff:192.0.2.10]:19823;branch=z9hG4bKbh19"
    assert.include(requestTo("sip:user@example.com", { via }).vias[0], { host: "::ffff:192.0.2.10", port: 19_823 })
    assert.include(parseUri(requestTo("sip:user@[2001:db8:::192.0.2.1]").uri), { host: "2001:db8:::192.0.2.1" })
  })
})

it("a trunk's IPv6 addresses are kept as sockets spell them", () => {
  const config = { server: "[2001:DB8:0::1]:5080", addresses: ["2001:db8:0:0::2", "192.0.2.1"], transport: "tcp" }
  const trunk = trunkOf(config)
  if (trunk === null) return assert.fail("No trunk")
  assert.include(trunk, { host: "2001:db8::1", port: 5_080 })
  assert.deepStrictEqual(trunk.addresses, ["2001:db8::2", "192.0.2.1"])
  assert.strictEqual(trunkUri(trunk), "sip:[2001:db8::1]:5080;transport=tcp")
  assert.include(trunkOf({ server: "2001:db8::1" }), { host: "2001:db8::1", port: null })
})

const hasIpv6 = Object.values(networkInterfaces()).some((list = []) => list.some(({ address }) => address === "::1"))

describe.skipIf(!hasIpv6)("a call over IPv6", () => {
  it.effect.each(["udp", "tcp"] as const)("rings, is answered, and is hung up over %s", (transport) =>
    Effect.gen(function* () {
      const [ours, theirs] = [yield* openAgent(), yield* openAgent()]
      const { call, close, progress } = yield* placed(ours, yield* orderTo(ours, theirs, transport, {}, "::1"))
      const incoming = yield* Queue.take(theirs.calls)
      assert.strictEqual(incoming.source.address, "::1")
      assert.include(fieldOf(incoming.request, "via"), `[::1]:${ours.localPort(transport)}`)
      assert.include(fieldOf(incoming.request, "contact"), `@[::1]:${ours.localPort(transport)}`)
      incoming.ring()
      yield* progress
      const far = incoming.answer(answered)
      if (far === null) return assert.fail("The call was given up")
      const { session } = yield* Fiber.join(call)
      assert.strictEqual(session.dialog.place.address, "::1")
      const heard = yield* eventsOf(session)
      yield* theirs.hangUp(far)
      assert.deepStrictEqual(yield* heard, { _tag: "HungUp", cause: 16 })
      yield* close
    }),
  )

  it.live(
    "goes to a server's IPv4 address first, and if nothing listens there, the next one goes to its IPv6 address",
    () =>
      Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        const records = Layer.succeed(ServiceRecords, {
          find: () => Effect.succeed([{ host: "localhost", port }]),
          findServices: () => Effect.succeed([]),
        })
        const ours = yield* openAgent(undefined, null, records)
        const find = ours.find({ host: "trunk.test", port: null, transport: "tcp" })
        const addresses = Effect.map(find, (hops) => hops.map(({ address }) => address))
        assert.deepStrictEqual(yield* addresses, ["127.0.0.1"])
        const order = yield* orderTo(ours, { localPort: () => port }, "tcp", { hops: yield* find })
        const { call } = yield* placed(ours, order)
        assert.include(yield* Effect.flip(Fiber.join(call)), { detail: "the trunk could not be reached" })
        assert.deepStrictEqual(yield* addresses, ["::1"])
      }).pipe(Effect.scoped),
  )

  it.live("is not placed to a network that the operator has not allowed", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent((address) => address === "127.0.0.1")
      for (const host of ["::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "::"]) {
        const { message } = yield* Effect.flip(ours.find({ host, port: 5_060, transport: "udp" }))
        assert.include(message, "is not public", host)
      }
    }).pipe(Effect.scoped),
  )
})

describe("a trunk that leaves the transport to its records", () => {
  const hopsWith = (services: ReadonlyArray<[service: string, domain: string]>, known: Record<string, number>) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const find = (service: string) => {
        asked.push(service)
        return Effect.succeed(service in known ? [{ host: "127.0.0.1", port: known[service] ?? 0 }] : [])
      }
      const findServices = () => Effect.succeed(services.map(([service, domain]) => ({ service, domain })))
      const agent = yield* openAgent(undefined, null, Layer.succeed(ServiceRecords, { find, findServices }))
      const hops = yield* agent.find({ host: "localhost", port: null, transport: "auto" })
      return { asked, hops: hops.map(({ port, transport }) => [transport, port] as const) }
    }).pipe(Effect.scoped)

  it.live("is reached by its NAPTR records, over the transport that it prefers, then over the others", () =>
    Effect.gen(function* () {
      const services: Array<[string, string]> = [
        ["SIPS+D2T", "_sips._tcp.pop.test"],
        ["SIP+D2U", "_sip._udp.pop.test"],
      ]
      const { hops } = yield* hopsWith(services, { "_sips._tcp.pop.test": 5_071, "_sip._udp.pop.test": 5_070 })
      assert.deepStrictEqual(hops, [
        ["tls", 5_071],
        ["udp", 5_070],
      ])
    }),
  )
  it.live("is reached by the SRV records of its first transport if it has no NAPTR records", () =>
    Effect.gen(function* () {
      const { hops } = yield* hopsWith([], { "_sip._tcp.localhost": 5_072, "_sips._tcp.localhost": 5_073 })
      assert.deepStrictEqual(hops, [["tcp", 5_072]])
    }),
  )
  it.live("is reached over UDP if it has no records at all", () =>
    Effect.gen(function* () {
      const { hops } = yield* hopsWith([], {})
      assert.deepStrictEqual(hops[0], ["udp", 5_060])
    }),
  )
  it.live("is reached over UDP also if its records lead nowhere", () =>
    Effect.gen(function* () {
      const { hops } = yield* hopsWith([["SIP+D2T", "_sip._tcp.gone.test"]], {})
      assert.deepStrictEqual(hops[0], ["udp", 5_060])
    }),
  )
})
