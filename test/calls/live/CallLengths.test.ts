/** How long calls last, as far as a process knows. */
import { assert, describe, it } from "@effect/vitest"
import { CallLengths } from "../../../src/calls/live/CallLengths.ts"

const start = 1_764_000_000_000

describe("the length of calls", () => {
  it("is assumed to be long until calls have ended, and then follows those that ended last", () => {
    const lengths = new CallLengths(start)
    assert.strictEqual(lengths.mean(start), 10_000)
    for (let at = 0; at < 500; at++) {
      lengths.begin(start + at)
      lengths.end(start + at, start + at + 3)
    }
    assert.isBelow(lengths.mean(start + 600), 10)
    assert.strictEqual(lengths.inProgress, 0)
  })
  it("is at least the age of the calls in progress: those that fail at once are the first to end", () => {
    const lengths = new CallLengths(start)
    for (let at = 0; at < 400; at++) {
      lengths.begin(start)
      if (at % 2 === 0) lengths.end(start, start + 50)
    }
    assert.isBelow(lengths.mean(start + 60), 300)
    assert.strictEqual(lengths.mean(start + 8_000), 8_000)
    for (let at = 0; at < 170; at++) lengths.leave(start)
    assert.strictEqual(lengths.inProgress, 30)
    assert.isBelow(lengths.mean(start + 8_000), 300)
  })
})
