import { assert, describe, it } from "@effect/vitest"
import { PlayQueue } from "../../apps/widget/sound/PlayQueue.ts"

const length = 480
const block = 128

/** Frames from and to these numbers, every sample of which is its frame's. */
const filled = (from: number, to: number, queue = new PlayQueue()) => {
  for (let number = from; number <= to; number++) queue.add(number, new Float32Array(length).fill(number))
  return queue
}
/** What is heard in so many milliseconds, one value a millisecond. */
const heard = (queue: PlayQueue, ms: number) => {
  const out: Array<number> = []
  for (let at = 0; at < ms * 24; at += block) {
    const samples = new Float32Array(block)
    queue.render(samples)
    out.push(...samples)
  }
  return out.filter((_, at) => at % 24 === 0)
}
const numbersIn = (samples: ReadonlyArray<number>) => [...new Set(samples)].filter((number) => number > 0)

describe("what is to be heard in a page", () => {
  it("is heard frame by frame, and counted when it was", () => {
    const queue = filled(1, 10)
    assert.deepStrictEqual(numbersIn(heard(queue, 205)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    assert.strictEqual(queue.played, 10)
    assert.isFalse(queue.isPlaying)
  })
  it("waits for a third frame before it begins, but not for ever", () => {
    const queue = filled(1, 2)
    assert.deepStrictEqual(numbersIn(heard(queue, 40)), [])
    assert.deepStrictEqual(numbersIn(heard(queue, 70)), [1, 2])
  })
  it("falls silent in the middle of a frame, and goes on with the next sample", () => {
    const queue = filled(1, 10)
    const before = heard(queue, 50)
    queue.order("hold", 11)
    const { played } = queue
    assert.deepStrictEqual(numbersIn(heard(queue, 500)), [])
    assert.strictEqual(queue.played, played)
    assert.isFalse(queue.isPlaying)
    queue.order("resume", 11)
    const all = [...before, ...heard(queue, 200)].filter((number) => number > 0)
    assert.approximately(all.length, 200, 2)
    assert.deepStrictEqual(
      all,
      all.toSorted((one, other) => one - other),
    )
  })
  it("forgets what is taken back, whenever it comes", () => {
    const queue = filled(1, 10)
    heard(queue, 50)
    queue.order("clear", 12)
    filled(8, 11, queue)
    assert.deepStrictEqual(numbersIn(heard(queue, 200)), [])
    filled(12, 15, queue)
    assert.deepStrictEqual(numbersIn(heard(queue, 200)), [12, 13, 14, 15])
    assert.strictEqual(queue.played, 15)
  })
  it("hears nothing twice", () => {
    const queue = filled(1, 5)
    filled(3, 6, queue)
    assert.approximately(heard(queue, 300).filter((number) => number > 0).length, 120, 2)
  })
  it("keeps five seconds at most", () => {
    const queue = filled(1, 1_000)
    assert.isAtMost(heard(queue, 20_000).filter((number) => number > 0).length, 5_002)
    assert.strictEqual(queue.played, 1_000)
  })
})
