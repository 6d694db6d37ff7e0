import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { threadCpuUsage } from "node:process"
import * as Speech from "../../src/brain/model/Speech.ts"
import { pieces } from "../../src/brain/Pieces.ts"

/** A model's text, some letters at a time, and what is spoken of it. */
const spoken = (text: string, size = 3): ReadonlyArray<string> => {
  const all: Array<string> = []
  let speech = Speech.nothing
  for (let at = 0; at < text.length; at += size) {
    const [rest, texts] = Speech.add(speech, text.slice(at, at + size))
    speech = rest
    all.push(...texts)
  }
  return [...all, ...Speech.end(speech)[1]]
}

describe("a text that is there already", () => {
  it("is cut at the ends of sentences, joined up to 200 characters, and nothing is lost", () => {
    const sentence = "This is a sentence of forty characters!!"
    const [first = "", ...more] = pieces(Array.from({ length: 12 }, () => sentence).join(" "))
    assert.isAtMost(first.length, 200)
    assert.isTrue([first, ...more].every((piece) => piece.endsWith("!!")))
    assert.deepStrictEqual(pieces("Thank you. Goodbye."), ["Thank you. Goodbye."])
  })

  it("may be a megabyte long, when a variable of a call is", () => {
    const before = threadCpuUsage()
    assert.lengthOf(pieces("This is a sentence that has some words. ".repeat(25_000)), 5_000)
    const { system, user } = threadCpuUsage(before)
    assert.isBelow((system + user) / 1_000, 1_000)
  })

  it("of any kind is its pieces, joined by single spaces", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 180 }), { maxLength: 12 }), (words) => {
        const text = words.join(" ")
        assert.strictEqual(pieces(text).join("").replaceAll(/\s/gu, ""), text.replaceAll(/\s/gu, ""))
        assert.isTrue(pieces(text).every((piece) => piece.length <= 400))
      }),
    )
  })
})

describe("a model's text is spoken as it comes", () => {
  const said: ReadonlyArray<readonly [what: string, text: string, pieces: ReadonlyArray<string>]> = [
    ["its first sentence at once", "Sure, I can. We open at nine.", ["Sure, I can.", "We open at nine."]],
    ["not at an end that is too early", "Sure. I will look that up.", ["Sure. I will look that up."]],
    [
      "its first clause early",
      "I have looked that up for you, and there are three of them left",
      ["I have looked that up for you,", "and there are three of them left"],
    ],
    [
      "at a space where nothing else is",
      "this goes on and on without any end that anybody could hear or speak for long",
      ["this goes on and on without any end that anybody could hear", "or speak for long"],
    ],
    ["never inside a number", "It costs 1,299.50 dollars. Good?", ["It costs 1,299.50 dollars.", "Good?"]],
    [
      "nor after an abbreviation",
      "Please see Dr. Miller at 5 p.m. on Monday.",
      ["Please see Dr. Miller at 5 p.m. on Monday."],
    ],
    ["nor after an initial", "You speak with J. R. Smith. Hello.", ["You speak with J. R. Smith.", "Hello."]],
    [
      "nor inside an address",
      "Write to a.b@mail.example.com today. Bye.",
      ["Write to a.b@mail.example.com today.", "Bye."],
    ],
    ["with points of a list as sentences", "You can:\n- call us\n- write", ["You can:", "call us.", "write."]],
    ["without its code", "Here you are: ```js\nlet x = 1. And so on.\n``` Done now.", ["Here you are: Done now."]],
    [
      "without its thoughts",
      "<think>They are angry. Be kind.</think>I am very sorry. Truly.",
      ["I am very sorry.", "Truly."],
    ],
    ["with the words of a link", "See [our page. Now](https://x.example/a). Yes.", ["See our page.", "Now.", "Yes."]],
    ["without a tool's call that was written", '{"name":"end_call","arguments":{"reason":"x. y"}}', []],
  ]
  for (const [what, text, expected] of said) {
    it(`${what}, however it is cut on the way`, () => {
      for (const size of [1, 3, 7, 1_000]) {
        const found = spoken(text, size)
        // Much at once may be joined; the words are the same.
        if (size < 1_000) assert.deepStrictEqual(found, expected, `${size} at a time`)
        else assert.strictEqual(found.join(" "), expected.join(" "))
      }
    })
  }
})
