/** A person answered, and no agent spoke within two seconds. */
import { assert, describe, it } from "@effect/vitest"
import { abandonedShare, isAbandoned, isTooMany } from "../../src/domain/Abandonment.ts"

const said = (...words: ReadonlyArray<number | null>) => words.map((first_word_ms) => ({ first_word_ms }))

describe("an abandoned call", () => {
  it.each([
    ["the agent speaks at once", "answered", said(900, 5_000), 20_000, false],
    ["the agent speaks after 2.1 s", "answered", said(2_100), 20_000, true],
    ["the agent never speaks", "answered", said(), 4_000, true],
    ["its first turn was silent, its second is late", "answered", said(null, 3_000), 8_000, true],
    ["the person hangs up before the agent could", "answered", said(), 1_500, false],
    ["a machine answers", "voicemail", said(9_000), 20_000, null],
    ["the phone rings out", "no_answer", said(), 0, null],
  ] as const)("%s: %s", (_, outcome, turns, talked_ms, abandoned) => {
    assert.strictEqual(isAbandoned({ outcome, turns, talked_ms, speed: 1 }), abandoned)
  })
  it("is not one that only a lab faster than the clock makes late", () => {
    const call = { outcome: "answered", turns: said(2_500), talked_ms: 9_000 } as const
    assert.deepStrictEqual([isAbandoned({ ...call, speed: 60 }), isAbandoned({ ...call, speed: 1 })], [false, true])
  })
  it("has a share of the answered ones, none where there are none", () => {
    assert.deepStrictEqual(
      [abandonedShare({ answered: 200, abandoned: 6 }), abandonedShare({ answered: 0, abandoned: 0 })],
      [0.03, 0],
    )
  })
  it.each([
    [{ answered: 100, abandoned: 3 }, false],
    [{ answered: 100, abandoned: 4 }, true],
    // One of one is no share.
    [{ answered: 1, abandoned: 1 }, false],
  ])("%o is too many: %s", (calls, tooMany) => {
    assert.strictEqual(isTooMany(calls), tooMany)
  })
})
