import { assert, describe, it } from "@effect/vitest"
import { type Heard, Stretches } from "../../src/speech/providers/Stretches.ts"
import type { Transcript } from "../../src/speech/SpeechToText.ts"

const rate = 8_000
const frame = new Int16Array(rate / 50)
const second = 50

const staged = () => {
  const results: Array<Transcript> = []
  const stretches = new Stretches(rate, (result) => void results.push(result))
  /** What each connection was sent: seconds of sound, and requests for final words. */
  const sent: Array<{ seconds: number; asked: number }> = []
  return {
    results,
    stretches,
    sent,
    finals: () => results.flatMap((result) => (result.final ? [result.text] : [])),
    connect: (now: number) => {
      const line = { seconds: 0, asked: 0 }
      sent.push(line)
      const hear = (samples: Int16Array) => void (line.seconds += samples.length / rate)
      stretches.join({ hear, finalise: () => void line.asked++ }, now)
    },
    push: (seconds: number) => {
      for (let at = 0; at < seconds * second; at++) stretches.push(frame)
    },
    hear: (from: number, to: number, text: string, how: Partial<Heard> = {}) =>
      stretches.take({ from: from * rate, to: to * rate, text, isFinal: false, isFlush: false, ...how }),
  }
}
const final = { isFinal: true }
const flush = { isFinal: true, isFlush: true }

describe("stretches of speech", () => {
  it("joins a stretch's final words and those so far", () => {
    const { connect, finals, hear, push, results, stretches } = staged()
    connect(0)
    push(2)
    hear(0, 1, "one", final)
    hear(1, 1.5, "two")
    hear(1, 1.5, "two")
    stretches.finalise(0, 2_000, 2_000)
    hear(1, 2, "two three", flush)
    assert.deepStrictEqual(
      results.map(({ text }) => text),
      ["one", "one two", "one two three"],
    )
    assert.deepStrictEqual(finals(), ["one two three"])
    assert.isTrue(stretches.isEmpty)
  })
  it("repeats over a new connection only what has no final words, and asks again for what is over", () => {
    const { connect, finals, hear, push, sent, stretches } = staged()
    connect(0)
    push(2)
    hear(0, 1.5, "one", final)
    stretches.finalise(0, 2_000, 2_000)
    push(0.2)
    stretches.discard(2_200)
    push(1)
    stretches.part()
    push(1)
    connect(2_500)
    assert.approximately(sent[1]?.seconds ?? 0, 0.5 + 2, 0.01)
    assert.strictEqual(sent[1]?.asked, 1)
    hear(0, 0.5, "two", flush)
    stretches.finalise(3_000, 5_000, 5_000)
    hear(0.5, 2.5, "three", flush)
    assert.deepStrictEqual(finals(), ["one two", "three"])
  })
  it("does not give the late words of a stretch to the next one", () => {
    const { connect, finals, hear, push, stretches } = staged()
    connect(0)
    push(1)
    hear(0, 0.8, "one")
    stretches.finalise(0, 1_000, 1_000)
    assert.isTrue(stretches.check(2_600))
    push(1)
    hear(0, 1, "one, late", flush)
    stretches.finalise(3_000, 4_000, 4_000)
    hear(1, 2, "two", flush)
    assert.deepStrictEqual(finals(), ["one", "two"])
  })
  it("ends a stretch that got no answer when the next one has words", () => {
    const { connect, finals, hear, push, stretches } = staged()
    connect(0)
    push(1)
    stretches.finalise(0, 1_000, 1_000)
    push(1)
    hear(1, 2, "two")
    stretches.finalise(1_500, 2_500, 2_500)
    hear(1, 2, "two", flush)
    assert.deepStrictEqual(finals(), ["", "two"])
  })
  it("needs no answer for the silence after final words", () => {
    const { connect, finals, hear, push, stretches } = staged()
    connect(0)
    push(1)
    hear(0, 0.94, "one", final)
    stretches.finalise(0, 1_000, 1_000)
    assert.deepStrictEqual(finals(), ["one"])
  })
  it("has the connection replaced after 2.5 s without an answer, and gives the words up after 6 s", () => {
    const { connect, finals, push, stretches } = staged()
    connect(0)
    push(1)
    stretches.finalise(0, 1_000, 1_000)
    assert.isTrue(stretches.check(3_500))
    assert.isFalse(stretches.check(3_501))
    stretches.part()
    connect(3_600)
    assert.isTrue(stretches.check(6_100))
    assert.deepStrictEqual(finals(), [])
    stretches.check(7_001)
    assert.deepStrictEqual(finals(), [null])
  })
  it("gives the words up after 3 s without a connection", () => {
    const { finals, push, stretches } = staged()
    push(1)
    stretches.finalise(0, 1_000, 1_000)
    stretches.check(4_000)
    assert.deepStrictEqual(finals(), [])
    stretches.check(4_001)
    assert.deepStrictEqual(finals(), [null])
  })
  it("gives up at once what is over while connections are refused, and keeps what goes on for the next one", () => {
    const { connect, finals, hear, push, results, stretches } = staged()
    push(1)
    stretches.finalise(0, 1_000, 1_000)
    stretches.refuse()
    push(1)
    stretches.finalise(1_500, 2_500, 2_500)
    assert.deepStrictEqual(finals(), [null, null])
    assert.isTrue(results.every((result) => result.final && result.isRefused === true))
    push(1)
    connect(3_000)
    stretches.finalise(3_000, 4_000, 4_000)
    hear(0, 1, "three", flush)
    assert.deepStrictEqual(finals(), [null, null, "three"])
  })
  it("keeps half a minute of sound", () => {
    const { connect, push, sent } = staged()
    push(60)
    connect(0)
    assert.approximately(sent[0]?.seconds ?? 0, 32, 0.01)
  })
})
