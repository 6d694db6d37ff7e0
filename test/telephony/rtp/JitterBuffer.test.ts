import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Block, JitterBuffer } from "../../../src/telephony/rtp/JitterBuffer.ts"
import { randomFrom } from "../../support/Mutants.ts"

interface Sent {
  readonly arrives: number
  readonly timestamp: number
  /** The first sample's place in the peer's sound, which every sample says of itself. */
  readonly place: number
  readonly length: number
}

const start = 1_000
/** The sample at a place: never 0, and the same only every four seconds. */
const sampleAt = (place: number) => (place % 32_000) + 1

/** Packets of `ms` each, sent evenly by a clock that is `ppm` too fast, with time stamps from `first` on. */
const stream = ({
  count = 500,
  delay = (_: number) => 0,
  first = 0,
  from = start,
  ms = 20,
  place = 0,
  ppm = 0,
}): Array<Sent> =>
  Array.from({ length: count }, (_, at) => ({
    arrives: from + (at * ms) / (1 + ppm / 1e6) + delay(at),
    timestamp: (first + at * ms * 8) >>> 0,
    place: place + at * ms * 8,
    length: ms * 8,
  }))

interface Played {
  readonly at: number
  readonly block: Block
  readonly place: number
}

/** What is played of them, with the place of each block's first sample; ticks come every 20 ms. */
const play = (packets: ReadonlyArray<Sent>, { ticks = (at: number) => [at], until = 0 } = {}) => {
  const buffer = new JitterBuffer()
  const waiting = packets.toSorted((a, b) => a.arrives - b.arrives)
  const end = Math.max(until, (waiting.at(-1)?.arrives ?? 0) + 200)
  const played: Array<Played> = []
  const block = new Int16Array(80)
  for (let due = start; due < end; due += 20) {
    for (const at of ticks(due)) {
      for (let [next] = waiting; next !== undefined && next.arrives <= at; [next] = waiting) {
        const { arrives, length, place, timestamp } = next
        waiting.shift()
        // A packet that waited for a process that was busy is read when that is over.
        const read = ticks(due).length > 1 ? at : arrives
        buffer.hear(
          timestamp,
          Int16Array.from({ length }, (_, index) => sampleAt(place + index)),
          read,
        )
      }
      buffer.schedule(at)
      for (let half = 0; half < 2; half++) {
        const kind = buffer.read(block)
        played.push({ at: at + half * 10, block: kind, place: (block[0] ?? 0) - 1 })
      }
    }
  }
  return { buffer, played, heard: played.filter(({ block }) => block === "sound" || block === "spliced") }
}
const lostOf = (played: ReadonlyArray<Played>, from: number, to: number) =>
  played.filter(({ at, block }) => block === "lost" && at >= from && at < to).length

/** Milliseconds between the sending of each block and its playing. */
const delaysOf = (heard: ReadonlyArray<Played>, ppm = 0) => {
  let laps = 0
  let before = 0
  return heard.map(({ at, place }) => {
    if (place < before) laps++
    before = place
    return at - start - (laps * 32_000 + place) / 8 / (1 + ppm / 1e6)
  })
}
const isInOrder = (heard: ReadonlyArray<Played>) =>
  heard.every(({ place }, at) => at === 0 || (place - (heard[at - 1]?.place ?? 0) + 32_000) % 32_000 < 16_000)

describe("the jitter buffer", () => {
  it.each([10, 20, 30, 60])("plays packets of %d ms in order, complete, 40 to 80 ms after they were sent", (ms) => {
    const { heard, played } = play(stream({ ms, count: 10_000 / ms }))
    assert.strictEqual(lostOf(played, 0, 10_900), 0)
    heard.slice(1).forEach(({ block, place }, at) => {
      if (block === "sound") assert.strictEqual((place - (heard[at]?.place ?? 0) + 32_000) % 32_000, 80)
    })
    assert.isAtMost(Math.max(...delaysOf(heard)), 80)
    assert.isAtLeast(Math.min(...delaysOf(heard)), 35)
  })
  it("reorders packets, and plays duplicates once", () => {
    const packets = stream({ delay: (at) => (at % 3 === 0 ? 30 : 0) })
    const { heard, played } = play([...packets, ...packets.map((one) => ({ ...one, arrives: one.arrives + 5 }))])
    assert.strictEqual(lostOf(played, 0, 10_900), 0)
    assert.isTrue(isInOrder(heard))
    assert.isAtMost(heard.length, 1_000)
    assert.isAtLeast(heard.length, 990)
  })
  it("goes on when time stamps wrap around", () => {
    const { heard, played } = play(stream({ first: 2 ** 32 - 20_000 }))
    assert.strictEqual(lostOf(played, 0, 10_900), 0)
    assert.isAtLeast(heard.length, 990)
    assert.isTrue(isInOrder(heard))
  })
  it("reports lost sound, and plays the rest at its time", () => {
    const { heard, played } = play(stream({}).filter((_, at) => at % 20 !== 10))
    assert.strictEqual(lostOf(played, 0, 10_900), 50)
    assert.isTrue(isInOrder(heard))
    assert.isAtMost(Math.max(...delaysOf(heard)), 80)
  })
  it("waits as long as the jitter requires, loses nothing, and waits less when the jitter is gone", () => {
    const random = randomFrom(7)
    const { buffer, heard, played } = play(stream({ count: 2_000, delay: (at) => (at < 1_000 ? random() * 60 : 0) }))
    assert.isAtMost(lostOf(played, 3_000, 20_000), 8)
    const delays = delaysOf(heard)
    assert.isAtLeast(Math.max(...delays.slice(400, 1_900)), 60)
    assert.isAtMost(Math.max(...delays.slice(400, 1_900)), 130)
    assert.isAtMost(Math.max(...delays.slice(3_400)), 80)
    assert.isAtMost(buffer.late, 30)
  })
  it.each([-1_000, -100, 100, 1_000])(
    "keeps its delay for a minute with a sender's clock that is %d ppm off",
    (ppm) => {
      const { heard, played } = play(stream({ count: 3_000, ppm }))
      assert.strictEqual(lostOf(played, 0, 59_000), 0)
      const delays = delaysOf(heard, ppm)
      assert.isAtMost(Math.max(...delays), 90)
      assert.isAtLeast(Math.min(...delays.slice(100)), 15)
    },
  )
  it("follows a network delay that grows by 150 ms at once, and one that shrinks again within 7 s", () => {
    const { heard, played } = play(stream({ count: 1_500, delay: (at) => (at >= 500 && at < 1_000 ? 150 : 0) }))
    assert.strictEqual(lostOf(played, 11_250, 20_900), 0)
    assert.strictEqual(lostOf(played, 21_500, 30_900), 0)
    assert.isTrue(isInOrder(heard))
    assert.isAtMost(Math.max(...delaysOf(heard).slice(500, 900)), 220)
    assert.isAtMost(Math.max(...delaysOf(heard).slice(-350)), 130)
  })
  it.each([30, 60, 100, 150, 200, 300, 400])("plays all that was sent when the network delay grows by %d ms", (ms) => {
    const { buffer, heard } = play(stream({ count: 1_000, delay: (at) => (at >= 500 ? ms : 0) }), { until: 22_000 })
    assert.strictEqual(buffer.late, 0)
    assert.strictEqual(heard.length, 2_000)
    assert.isTrue(isInOrder(heard))
    assert.isAtMost(Math.max(...delaysOf(heard).slice(-500)), ms + 120)
  })
  it.each([60, 150, 250])("plays all that was sent when the network stands still for %d ms, and catches up", (ms) => {
    const stall = start + 10_000
    const packets = stream({ count: 1_500 }).map((one) =>
      one.arrives >= stall && one.arrives < stall + ms ? { ...one, arrives: stall + ms } : one,
    )
    const { buffer, heard, played } = play(packets)
    assert.strictEqual(buffer.late, 0)
    assert.isAtLeast(heard.length, 3_000 - ms / 10)
    assert.strictEqual(lostOf(played, stall + ms + 20, 30_900), 0)
    assert.isAtMost(Math.max(...delaysOf(heard).slice(-500)), 130)
  })
  it("does not count a pause in sending as loss, and plays the next packet at once", () => {
    const pause = stream({ count: 100, from: start + 8_000, first: 64_000, place: 64_000 })
    const { heard, played } = play([...stream({ count: 100 }), ...pause])
    assert.isAtMost(lostOf(played, 0, 12_000), 40)
    assert.isAtLeast(heard.length, 398)
    assert.isAtMost(heard.find(({ at }) => at > 5_000)?.at ?? 0, start + 8_100)
  })
  it("plays at once when a peer continues after a pause without counting the pause in its time stamps", () => {
    const later = stream({ count: 100, from: start + 8_000, first: 16_000, place: 16_000 })
    const { heard } = play([...stream({ count: 100 }), ...later])
    assert.isAtLeast(heard.length, 398)
  })
  it("follows a jump of the time stamps, but not a single stray packet", () => {
    const jumped = stream({ count: 100, from: start + 2_000, first: 900_000_000, place: 16_000 })
    assert.isAtLeast(play([...stream({ count: 100 }), ...jumped]).heard.length, 390)
    const strays = stream({ count: 500 }).map((one, at) =>
      at % 50 === 25 ? { ...one, timestamp: 12_345_678 * at } : one,
    )
    assert.isAtLeast(play(strays).heard.length, 975)
  })
  it("plays the present sound after the process was stopped for a second", () => {
    // The clock skips what it missed, so that the tick after it is the only one.
    const ticks = (at: number) => (at > 3_000 && at < 4_000 ? [] : [at])
    const { heard, played } = play(stream({}), { ticks })
    assert.isAtMost(Math.max(...delaysOf(heard.filter(({ at }) => at > 4_200))), 160)
    assert.strictEqual(lostOf(played, 4_200, 10_900), 0)
  })
  it("reads nothing before the first packet, and nothing of the stream before a reset", () => {
    const buffer = new JitterBuffer()
    const block = new Int16Array(80)
    buffer.schedule(0)
    assert.strictEqual(buffer.read(block), "idle")
    buffer.hear(0, new Int16Array(1_600), 0)
    buffer.schedule(100)
    assert.strictEqual(buffer.read(block), "sound")
    buffer.reset()
    buffer.schedule(120)
    assert.strictEqual(buffer.read(block), "idle")
  })
  it("plays the packet that follows a long loss, and no earlier sound, even if more packets arrive while it waits", () => {
    const isLost = (at: number) => at >= 2 && at <= 5
    const { heard } = play(stream({ ms: 60, count: 60 }).filter((_, at) => !isLost(at)))
    const blocks = heard.map(({ place }) => place / 80)
    assert.deepStrictEqual(
      blocks.filter((block) => block < 48),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47],
    )
    assert.isTrue(isInOrder(heard))
  })
  it("on any network, every block is played once, in order, and at most 250 ms late", () => {
    const network = fc.record({
      seed: fc.integer(),
      jitter: fc.integer({ min: 0, max: 100 }),
      loss: fc.double({ min: 0, max: 0.3, noNaN: true }),
      twice: fc.double({ min: 0, max: 0.3, noNaN: true }),
      first: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      ms: fc.constantFrom(10, 20, 30, 40, 60),
    })
    fc.assert(
      fc.property(network, ({ first, jitter, loss, ms, seed, twice }) => {
        const random = randomFrom(seed)
        const sent = stream({ count: 3_000 / ms, first, ms, delay: () => random() * jitter })
        const arrived = sent.flatMap((one) =>
          random() < loss ? [] : random() < twice ? [one, { ...one, arrives: one.arrives + random() * 200 }] : [one],
        )
        const { heard } = play(arrived)
        assert.isTrue(isInOrder(heard))
        assert.strictEqual(new Set(heard.map(({ place }) => place)).size, heard.length)
        assert.isAtMost(Math.max(0, ...delaysOf(heard)), 250)
      }),
      { numRuns: 60 },
    )
  })
})
