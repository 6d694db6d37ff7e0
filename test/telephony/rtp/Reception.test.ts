import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Reception } from "../../../src/telephony/rtp/Reception.ts"

const counted = (sequences: ReadonlyArray<number>) => {
  const reception = new Reception(1)
  return { reception, kinds: sequences.map((sequence) => reception.count(sequence & 0xffff)) }
}
const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at)

describe("the counts of a stream", () => {
  it("show no loss in a complete stream, also when sequence numbers wrap around", () => {
    const { reception } = counted(from(65_000, 70_000))
    assert.deepStrictEqual([reception.expected, reception.received, reception.lost], [70_000, 70_000, 0])
    assert.strictEqual(reception.report().highest, 65_000 + 70_000 - 1)
  })
  it("show losses, duplicates and reordered packets", () => {
    const sequences = from(65_500, 100).filter((sequence) => sequence % 10 !== 0)
    const { kinds, reception } = counted([...sequences.slice(0, 50), sequences[10] ?? 0, ...sequences.slice(50)])
    assert.strictEqual(kinds[50], "duplicate")
    assert.deepStrictEqual([reception.duplicates, reception.lost], [1, 9])
    assert.deepStrictEqual(counted([1, 3, 2, 5, 4]).kinds, ["new", "new", "new", "new", "new"])
  })
  it("leave out a packet with a distant sequence number, and restart if the next packet continues from it", () => {
    const { kinds, reception } = counted([...from(100, 50), 30_000, ...from(150, 50)])
    assert.strictEqual(kinds[50], "stray")
    assert.deepStrictEqual([reception.expected, reception.lost], [100, 0])
    const again = counted([...from(100, 50), ...from(40_000, 50)])
    assert.strictEqual(again.kinds.filter((kind) => kind === "stray").length, 1)
    assert.deepStrictEqual([again.reception.expected, again.reception.lost], [99, 0])
  })
  it("show the share that was lost since the last report", () => {
    const { reception } = counted(from(0, 100))
    assert.strictEqual(reception.report().fractionLost, 0)
    for (const sequence of from(100, 100)) if (sequence % 4 !== 0) reception.count(sequence)
    assert.deepInclude(reception.report(), { fractionLost: 64, lost: 25 })
    assert.strictEqual(reception.report().fractionLost, 0)
  })
  it("show the jitter of RFC 3550: none for an even stream, and a 16th of each deviation", () => {
    const even = new Reception(1)
    for (let at = 0; at < 500; at++) even.time(at * 160, 1_000 + at * 20)
    assert.strictEqual(even.jitterMs, 0)
    const uneven = new Reception(1)
    for (let at = 0; at < 500; at++) uneven.time(at * 160, 1_000 + at * 20 + (at % 2) * 10)
    assert.closeTo(uneven.jitterMs, 10, 0.1)
  })
  it("count each packet once, in any order within a hundred", () => {
    const shuffled = fc.shuffledSubarray(from(0, 90), { minLength: 1 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), shuffled, (first, order) => {
        const { reception } = counted([
          first,
          ...order.map((at) => first + 1 + at),
          ...order.map((at) => first + 1 + at),
        ])
        assert.strictEqual(reception.received, order.length + 1)
        assert.strictEqual(reception.duplicates, order.length)
        assert.strictEqual(reception.expected, Math.max(...order) + 2)
      }),
    )
  })
})
