import { assert, describe, it } from "@effect/vitest"
import { SourceAllowance } from "../../../src/telephony/sip/SourceAllowance.ts"

const opened = () => {
  const clock = { ms: 0 }
  const allowance = new SourceAllowance(() => clock.ms)
  /** How many of these messages are read. */
  const read = (address: string, messages: number, bytes = 800) =>
    Array.from({ length: messages }, () => allowance.admits(address, bytes)).filter(Boolean).length
  return { clock, read }
}

describe("messages of SIP", () => {
  it("of one address are read up to 2,000 a second", () => {
    const { clock, read } = opened()
    assert.strictEqual(read("192.0.2.1", 5_000), 2_000)
    assert.strictEqual(read("192.0.2.2", 5), 5)
    clock.ms = 999
    assert.strictEqual(read("192.0.2.1", 5), 0)
    clock.ms = 1_000
    assert.strictEqual(read("192.0.2.1", 5), 5)
  })
  it("of many addresses that flood leave another address its share", () => {
    const { read } = opened()
    const flooding = Array.from({ length: 32 }, (_, at) => `192.0.2.${at}`)
    const taken = flooding.map((address) => read(address, 2_000))
    assert.strictEqual(taken[0], 2_000)
    // 10,000 / 6 for the sixth, 10,000 / 7 for the seventh, and so on.
    assert.isAtMost(
      taken.reduce((sum, one) => sum + one, 0),
      30_000,
    )
    assert.isAtLeast(read("198.51.100.7", 200), 200)
  })
  it("count by their length", () => {
    const { read } = opened()
    assert.strictEqual(read("192.0.2.1", 5_000, 65_535), 63)
    assert.strictEqual(read("192.0.2.2", 5_000, 2_049), 1_000)
  })
  it("are read again after the clock was set back", () => {
    const { clock, read } = opened()
    clock.ms = 60_000
    assert.strictEqual(read("192.0.2.1", 5_000), 2_000)
    clock.ms = 0
    assert.strictEqual(read("192.0.2.1", 5), 5)
  })
})
