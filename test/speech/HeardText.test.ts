import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { heardText } from "../../src/speech/HeardText.ts"

describe("what was heard of a text", () => {
  const text = "We are open from nine to five."
  const heard: ReadonlyArray<readonly [played: number, heard: string]> = [
    [0, ""],
    [150, ""],
    [300, "We"],
    [1_000, "We are"],
    [2_000, "We are open from"],
    [2_999, "We are open from nine to"],
    [3_000, text],
    [9_000, text],
  ]
  for (const [played, words] of heard) {
    it(`after ${played} of 3,000 ms is "${words}"`, () =>
      assert.strictEqual(heardText(text, played, 3_000, "en"), words))
  }

  it("is by the length of what is said, not of what is written", () => {
    // "12.50 euros and no more": the amount is over after half of it.
    const amount = "€12.50 and no more"
    const heard = (played: number) => heardText(amount, played, 2_300, "en")
    assert.deepStrictEqual([400, 1_150, 1_300, 1_700].map(heard), ["", "", "€12.50", "€12.50 and"])
    const number = "Call +14155550100 now please"
    assert.strictEqual(heardText(number, 2_000, 4_000, "en"), "Call")
    assert.strictEqual(heardText(number, 3_400, 4_000, "en"), "Call +14155550100")
  })

  const anything = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc
      .array(
        fc.constantFrom(
          "€5",
          "12,50 €",
          "7 %",
          "a.b@c.example",
          "+14155550100",
          "(415) 555-0100",
          "2026-11-21",
          "now",
          ".",
        ),
        { maxLength: 8 },
      )
      .map((words) => words.join(" ")),
  )

  it("is whole words from its beginning, never less with more time", () => {
    fc.assert(
      fc.property(anything, fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), (text, a, b, length) => {
        const heard = (played: number) => heardText(text, played, length, "en")
        const [early, late] = [heard(Math.min(a, b)), heard(Math.max(a, b))]
        assert.isTrue(text.startsWith(late))
        assert.isTrue(late.startsWith(early))
        assert.isTrue(early === text || early === "" || /^(?:\s|$)/u.test(text.slice(early.length)))
      }),
    )
  })
})
