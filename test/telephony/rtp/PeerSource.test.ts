import { assert, describe, it } from "@effect/vitest"
import { PacketAllowance } from "../../../src/telephony/rtp/PacketAllowance.ts"
import { PeerSource } from "../../../src/telephony/rtp/PeerSource.ts"

const signalled = { host: "192.0.2.10", port: 4_000 }
const behindNat = { host: "198.51.100.7", port: 61_234 }
const stranger = { host: "203.0.113.66", port: 5_004 }

const signal = () => {
  const source = new PeerSource()
  source.signal(signalled)
  return source
}

describe("the source of the peer's sound", () => {
  it("is the address of the session description from its first packet on", () => {
    const source = signal()
    assert.deepStrictEqual(source.destination, signalled)
    assert.isTrue(source.accepts(signalled, 1, 0))
    assert.deepStrictEqual(source.latched, signalled)
  })
  it("is another address after three packets of one stream, and the described one again as soon as it sends", () => {
    const source = signal()
    const taken = [0, 20, 40, 60].map((now) => source.accepts(behindNat, 1, now))
    assert.deepStrictEqual(taken, [false, false, true, true])
    assert.deepStrictEqual(source.destination, behindNat)
    assert.isTrue(source.accepts(signalled, 1, 80))
    assert.deepStrictEqual(source.destination, signalled)
    assert.isFalse(source.accepts(behindNat, 1, 100))
  })
  it("does not follow packets of several streams, or of several ports", () => {
    const source = signal()
    for (let at = 0; at < 20; at++) {
      assert.isFalse(source.accepts(stranger, at, at))
      assert.isFalse(source.accepts({ ...stranger, port: 5_004 + at }, 1, at))
    }
  })
  it("stays on the described machine even if a stranger sends much, and takes another port after a second", () => {
    const source = signal()
    for (let now = 0; now < 10_000; now += 20) {
      assert.isTrue(source.accepts(signalled, 1, now))
      for (let burst = 0; burst < 5; burst++) assert.isFalse(source.accepts(stranger, 9, now))
    }
    for (let now = 10_000; now < 60_000; now += 20) assert.isFalse(source.accepts(stranger, 9, now))
    assert.deepStrictEqual(source.destination, signalled)
    const elsewhere = { ...signalled, port: 4_444 }
    assert.deepStrictEqual(
      [60_000, 60_020, 60_040].map((now) => source.accepts(elsewhere, 1, now)),
      [false, false, true],
    )
    assert.deepStrictEqual(source.destination, elsewhere)
  })
  it("that is behind NAT moves to another machine after five seconds of silence", () => {
    const source = signal()
    const taken = (from: typeof stranger, begin: number) =>
      [0, 20, 40].map((ms) => source.accepts(from, 9, begin + ms)).at(-1)
    assert.isTrue(taken(behindNat, 0))
    assert.isFalse(taken(stranger, 1_100))
    assert.isFalse(taken(stranger, 4_900))
    assert.isTrue(taken(stranger, 5_100))
  })
  it("starts over with another address in a session description, but not with the same one", () => {
    const source = signal()
    source.accepts(signalled, 1, 0)
    source.signal(signalled)
    assert.deepStrictEqual(source.latched, signalled)
    source.signal({ ...signalled, port: 4_010 })
    assert.isNull(source.latched)
    assert.deepStrictEqual(source.destination, { ...signalled, port: 4_010 })
  })
  it("recognises an IPv6 address in any spelling", () => {
    const source = new PeerSource()
    source.signal({ host: "2001:DB8:0::0:1", port: 4_000 })
    assert.isTrue(source.accepts({ host: "2001:db8::1", port: 4_000 }, 1, 0))
  })
})

describe("the allowance of packets", () => {
  const taken = (allowance: PacketAllowance, isPeer: boolean, from: number, count: number, everyMs: number) =>
    Array.from({ length: count }, (_, at) => allowance.take(isPeer, from + at * everyMs)).filter(Boolean).length

  it("admits a call's packets, also those that waited while this process was stopped", () => {
    const allowance = new PacketAllowance()
    assert.strictEqual(taken(allowance, true, 0, 1_000, 10), 1_000)
    assert.strictEqual(taken(allowance, true, 10_000, 200, 0), 200)
  })
  it("drops further packets, and a stranger's flood does not use up the peer's allowance", () => {
    const allowance = new PacketAllowance()
    assert.approximately(taken(allowance, false, 0, 4_000, 0.25), 100, 5)
    assert.isFalse(allowance.isFlooded)
    assert.strictEqual(taken(allowance, true, 1_000, 100, 10), 100)
    assert.approximately(taken(allowance, true, 3_000, 2_000, 0.5), 500, 5)
  })
  it("reports a flood that the socket should not be kept open for", () => {
    const allowance = new PacketAllowance()
    taken(allowance, false, 0, 5_000, 0.1)
    assert.isTrue(allowance.isFlooded)
  })
})
