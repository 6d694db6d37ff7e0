import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { samplesOf, spokenRate } from "../../src/speech/Audio.ts"
import { Playout, type PlayoutListener } from "../../src/speech/Playout.ts"

const frame = samplesOf(spokenRate)
/** This many milliseconds of sound. Every sample says which piece it belongs to. */
const marked = (piece: number, ms: number) =>
  Int16Array.from({ length: (spokenRate * ms) / 1_000 }, (_, at) => piece * 1_000 * (-1) ** at)

/** A line whose far side plays what it gets, in real time, unless it is told otherwise. */
class Stage {
  now = 0
  accepts = true
  readonly sent: Array<{ readonly number: number; readonly piece: number; readonly at: number }> = []
  readonly told: Array<string> = []
  readonly playout: Playout
  #buffer: Array<number> = []
  #delay: number
  #held = false

  constructor(delay = 0) {
    this.#delay = delay
    const listener: PlayoutListener = {
      send: (number, samples) => {
        if (!this.accepts) return false
        this.sent.push({ number, piece: Math.abs(samples[0] ?? 0) / 1_000, at: this.now })
        this.#buffer.push(number)
        return true
      },
      began: (piece) => this.told.push(`began ${piece}`),
      played: (piece, from, to) => this.told.push(`played ${piece} ${from}-${to}`),
    }
    this.playout = new Playout(listener, { rate: spokenRate, leadMs: 200 })
  }

  /** Time in ticks of 20 ms: the far side plays a frame each. */
  run(ms: number, plays = true): this {
    for (const until = this.now + ms; this.now < until;) {
      this.playout.tick(this.now)
      this.now += 20
      if (!plays || this.#held || this.now < this.#delay) continue
      const number = this.#buffer.shift()
      if (number !== undefined) this.playout.heard(number, this.now)
    }
    return this
  }
  says(piece: number, ms: number): this {
    this.playout.begin(piece, "x".repeat(ms / 50), 1)
    this.playout.add(piece, marked(piece, ms))
    this.playout.end(piece, this.now)
    return this
  }
  hold() {
    this.playout.hold()
    this.#held = true
    return this
  }
  resume() {
    this.playout.resume(this.now)
    this.#held = false
    return this
  }
  cut() {
    this.playout.cut(this.now)
    this.#buffer = []
    this.#held = false
    return this
  }
}

describe("what the agent says, on its way to an ear", () => {
  it("goes out no more than 200 ms ahead, and is told when it was heard", () => {
    const stage = new Stage().says(1, 1_000)
    stage.run(20, false)
    assert.strictEqual(stage.sent.length, 10)
    stage.run(1_100)
    assert.strictEqual(stage.sent.length, 50)
    for (const [at, { at: sentAt }] of stage.sent.entries()) assert.isAtMost(at * 20 - sentAt, 200)
    assert.deepStrictEqual(stage.told, ["began 1", "played 1 20-1020"])
    assert.isNull(stage.playout.position())
    assert.isNull(stage.playout.sentDb)
  })
  it("is silent from the moment at which it is held, and goes on with the same frame", () => {
    const stage = new Stage().says(1, 1_000).run(300).hold()
    const before = stage.playout.position()
    const sent = stage.sent.length
    stage.run(900)
    assert.strictEqual(stage.sent.length, sent)
    assert.deepStrictEqual(stage.playout.position(), before)
    stage.resume().run(1_000)
    assert.deepStrictEqual(
      stage.sent.map(({ number }) => number),
      Array.from({ length: 50 }, (_, at) => at + 1),
    )
    assert.isTrue(stage.playout.isEmpty)
  })
  it("is forgotten when it is cut: no frame of it comes any more, whatever the voice still gives", () => {
    const stage = new Stage().says(1, 2_000).says(2, 2_000).run(500).cut()
    const { next } = stage.playout
    assert.isFalse(stage.playout.add(1, marked(1, 500)))
    stage.playout.end(1, stage.now)
    stage.run(200).says(3, 200).run(600)
    assert.isTrue(stage.sent.filter(({ number }) => number >= next).every(({ piece }) => piece === 3))
    assert.deepStrictEqual(
      stage.told.map((what) => what.split(" ", 2).join(" ")),
      ["began 1", "began 3", "played 3"],
    )
  })
  it("waits for an ear that does not take it, and does not lose a frame", () => {
    const stage = new Stage().says(1, 1_000).run(200)
    stage.accepts = false
    stage.run(3_000)
    stage.accepts = true
    stage.run(2_000)
    assert.strictEqual(stage.sent.length, 50)
  })
  it("sends no more than two seconds to an ear that never says that it hears, and knows that it is silent", () => {
    const stage = new Stage().says(1, 10_000)
    stage.run(9_000, false)
    assert.strictEqual(stage.sent.length, 100)
    assert.isAtLeast(stage.playout.silentMs(stage.now), 8_900)
  })
  it("does not count the time in which no receiver was connected", () => {
    const stage = new Stage().says(1, 10_000).run(400).run(1_000, false)
    assert.isAtLeast(stage.playout.silentMs(stage.now), 980)
    stage.playout.stoodStill(stage.now + 60_000)
    assert.strictEqual(stage.playout.silentMs(stage.now + 60_000), 0)
    assert.strictEqual(stage.playout.silentMs(stage.now + 61_000), 1_000)
  })
  it("begins anew for another ear with the first frame that the one before it had not heard", () => {
    const stage = new Stage().says(1, 600).says(2, 400).run(300)
    stage.playout.rewind(stage.now)
    const heard = Math.round((stage.playout.position()?.played_ms ?? 0) / 20)
    const before = stage.sent.length
    stage.run(20, false)
    assert.strictEqual(stage.sent[before]?.number, heard + 1)
    assert.strictEqual(stage.sent[before]?.piece, 1)
  })
  it("believes no ear that has heard what was never sent", () => {
    const stage = new Stage().says(1, 1_000)
    stage.run(20, false)
    stage.playout.heard(4_000_000, 20)
    assert.strictEqual(stage.playout.position()?.played_ms, 200)
  })
  it("does not make anybody wait for a voice's own silence", () => {
    const stage = new Stage()
    stage.playout.begin(1, "Hello.", 1)
    stage.playout.add(1, new Int16Array(frame * 20))
    stage.playout.add(1, marked(1, 200))
    stage.playout.end(1, 0)
    stage.run(1_000)
    assert.strictEqual(stage.sent.length, 12)
  })
  it("is over at once where there is no sound", () => {
    const stage = new Stage()
    stage.playout.begin(1, "Hello.", 1)
    stage.playout.end(1, 40)
    assert.deepStrictEqual(stage.told, ["began 1", "played 1 40-40"])
  })

  const step = fc.oneof(
    fc.record({ do: fc.constant("says" as const), ms: fc.integer({ min: 0, max: 1_500 }) }),
    fc.record({ do: fc.constantFrom("hold" as const, "resume" as const, "cut" as const, "rewind" as const) }),
    fc.record({ do: fc.constant("run" as const), ms: fc.integer({ min: 1, max: 60 }).map((ticks) => ticks * 20) }),
  )
  it("whatever is done: frames go out once and in order, none of what was cut, each piece heard once", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const stage = new Stage()
        let piece = 0
        let [cutAt, rewound] = [0, false]
        const since: Array<number> = []
        for (const one of steps) {
          if (one.do === "says") stage.says(++piece, one.ms)
          else if (one.do === "run") stage.run(one.ms)
          else if (one.do === "hold") stage.hold()
          else if (one.do === "resume") stage.resume()
          else if (one.do === "cut") {
            stage.cut()
            cutAt = piece
            since.push(stage.sent.length)
          } else {
            stage.playout.rewind(stage.now)
            rewound = true
          }
          const tail = stage.sent.slice(since.at(-1) ?? 0)
          assert.isTrue(tail.every(({ piece }) => piece > cutAt || piece === 0))
        }
        if (!rewound) stage.sent.forEach(({ number }, at) => assert.strictEqual(number, at + 1))
        const played = stage.told.filter((what) => what.startsWith("played"))
        assert.strictEqual(new Set(played.map((what) => what.split(" ")[1])).size, played.length)
      }),
    )
  })
})
