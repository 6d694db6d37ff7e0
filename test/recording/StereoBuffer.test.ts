import { assert, describe, it } from "@effect/vitest"
import { ofListener, pausing, StereoBuffer } from "../../src/recording/StereoBuffer.ts"
import { ArrivalTimes } from "../../src/telephony/ArrivalTimes.ts"

const rate = 8_000
const phone = { heard: rate, spoken: rate }
const frameOf = (value: number, length = 160) => new Int16Array(length).fill(value)

/** The two sides of everything that the buffer gives from now on, one value a slot: the middle sample. */
const reader = (buffer: StereoBuffer) => {
  const left: Array<number> = []
  const right: Array<number> = []
  const read = (isOver = false) => {
    for (let part = buffer.take(isOver); part !== null; part = buffer.take(isOver)) {
      const samples = new Int16Array(part.bytes.buffer)
      const perSlot = buffer.slotBytes / 2
      assert.strictEqual(part.slot, left.length)
      for (let slot = 0; slot < samples.length / perSlot; slot++) {
        const middle = slot * perSlot + perSlot / 2
        left.push(samples[middle] ?? NaN)
        right.push(samples[middle + 1] ?? NaN)
      }
    }
  }
  return { left, right, read }
}

describe("the two sides of a recording", () => {
  it("lie where they were spoken, and between them is silence", () => {
    const buffer = new StereoBuffer(phone)
    const { left, read, right } = reader(buffer)
    for (let slot = 0; slot < 100; slot++) {
      buffer.tick(slot * 20 + 7)
      if (slot >= 20 && slot < 40) buffer.spoken(frameOf(500), slot * 20 + 7)
      if (slot >= 50 && slot < 60) buffer.heard(frameOf(-300), slot * 20 + 7)
      if (slot % 25 === 0) read()
    }
    read(true)
    assert.deepStrictEqual(
      right.slice(0, 99).map((value) => value === 500),
      Array.from({ length: 99 }, (_, slot) => slot >= 20 && slot < 40),
    )
    assert.deepStrictEqual(
      left.slice(0, 99).map((value) => value === -300),
      Array.from({ length: 99 }, (_, slot) => slot >= 50 && slot < 60),
    )
    assert.strictEqual(buffer.lost, 0)
  })

  it("have silence for the time that the clock skipped", () => {
    const buffer = new StereoBuffer(phone)
    const { left, read } = reader(buffer)
    const ticks = [...Array.from({ length: 50 }, (_, at) => at), ...Array.from({ length: 50 }, (_, at) => at + 80)]
    for (const tick of ticks) {
      buffer.tick(tick * 20)
      buffer.heard(frameOf(100), tick * 20)
      read()
    }
    read(true)
    assert.deepStrictEqual(
      left.slice(0, 129).map((value) => value === 100),
      Array.from({ length: 129 }, (_, slot) => slot < 50 || slot >= 80),
    )
  })

  it.each([-300, 0, 300])("stay within 40 ms over an hour with a sender whose clock is off by %i ppm", (ppm) => {
    const buffer = new StereoBuffer(phone)
    const { left, read, right } = reader(buffer)
    const times = new ArrivalTimes()
    const hour = 3_600_000
    const every = 20 * (1 + ppm / 1e6)
    // A second of the other side's sound in each minute, as it arrives: late by up to 15 ms.
    let next = every
    for (let tick = 0; tick * 20 < hour; tick++) {
      const now = tick * 20
      buffer.tick(now)
      buffer.spoken(frameOf(now % 60_000 < 1_000 ? 700 : 0), now)
      for (; next <= now; next += every) {
        const arrived = Math.min(now, next + ((tick * 7) % 16))
        buffer.heard(frameOf((next - every) % 60_000 < 1_000 ? 700 : 0), times.next(arrived) - 20)
      }
      if (tick % 25 === 0) read()
    }
    read(true)
    const onsets = (values: ReadonlyArray<number>) =>
      values.flatMap((value, slot) => (value === 700 && (values[slot - 1] ?? 0) === 0 ? [slot * 20] : []))
    const begins = Array.from({ length: 60 }, (_, minute) => minute * 60_000)
    assert.deepStrictEqual(onsets(right), begins)
    const heard = onsets(left).filter((onset, at, all) => onset - (all[at - 1] ?? -60_000) > 5_000)
    assert.lengthOf(heard, 60)
    for (const [minute, onset] of heard.entries()) assert.approximately(onset, begins[minute] ?? 0, 40)
  })

  it("keeps three seconds for a writer that is late, and counts what it drops", () => {
    const buffer = new StereoBuffer(phone)
    const { left, read } = reader(buffer)
    for (let slot = 0; slot < 500; slot++) {
      buffer.tick(slot * 20)
      buffer.heard(frameOf(100), slot * 20)
    }
    assert.strictEqual(buffer.lost, 350)
    read(true)
    assert.strictEqual(left.filter((value) => value === 100).length, 150)
    assert.approximately(left.length, 500, 1)
  })

  it("are silent while paused, also what was said before and comes late", () => {
    const buffer = new StereoBuffer(phone)
    const { left, read, right } = reader(buffer)
    for (let slot = 0; slot < 60; slot++) {
      buffer.tick(slot * 20)
      if (slot === 20 || slot === 40) buffer.pause(slot === 20)
      buffer.heard(frameOf(100), slot * 20)
      buffer.spoken(frameOf(200), slot * 20)
    }
    read(true)
    const loud = (values: ReadonlyArray<number>) => values.slice(0, 59).map((value) => value !== 0)
    const expected = Array.from({ length: 59 }, (_, slot) => slot < 20 || slot >= 40)
    assert.deepStrictEqual([loud(left), loud(right)], [expected, expected])
  })

  it("are silent from the first private frame on, however late a listener takes them", () => {
    const buffer = new StereoBuffer(phone, ofListener)
    let isPrivate = false
    const tap = pausing(buffer, () => isPrivate)
    const { left, read, right } = reader(buffer)
    for (let slot = 0; slot < 30; slot++) {
      tap.tick(slot * 20)
      isPrivate = slot >= 10 && slot < 20
      tap.heard(frameOf(100), slot * 20)
      tap.spoken(frameOf(200), slot * 20)
    }
    read(true)
    const loud = (values: ReadonlyArray<number>) => values.slice(0, 29).map((value) => value !== 0)
    const expected = Array.from({ length: 29 }, (_, slot) => slot < 10 || slot >= 20)
    assert.deepStrictEqual([loud(left), loud(right)], [expected, expected])
  })

  it("have the rate of the other side's sound, also where the agent's is higher", () => {
    const buffer = new StereoBuffer({ heard: 16_000, spoken: 24_000 })
    const { read, right } = reader(buffer)
    for (let slot = 0; slot < 50; slot++) {
      buffer.tick(slot * 20)
      buffer.spoken(frameOf(1_000, 480), slot * 20)
    }
    read(true)
    assert.strictEqual(buffer.slotBytes, 320 * 4)
    assert.isTrue(right.slice(1, 49).every((value) => Math.abs(value - 1_000) < 20))
  })
})
