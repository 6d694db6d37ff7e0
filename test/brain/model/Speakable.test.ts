import { assert, describe, it } from "@effect/vitest"
import { speakable } from "../../../src/brain/model/Speakable.ts"

const said: ReadonlyArray<readonly [what: string, text: string, spoken: string]> = [
  ["plain words as they are", "We open at 9:30, and close at 5 p.m.", "We open at 9:30, and close at 5 p.m."],
  ["emphasis as its words", "**Sure**, that is _really_ `easy`.", "Sure, that is really easy."],
  ["a name with underscores as it is", "The code is A_B_C.", "The code is A_B_C."],
  ["stars of a sum as they are", "2 * 3 * 4 is 24", "2 * 3 * 4 is 24"],
  ["a list as sentences", "You can:\n- call us\n- write to us!\n1. or come", "You can: call us. write to us! or come."],
  ["a heading as its words", "## Hours\nNine to five", "Hours Nine to five"],
  ["a link as its words", "See [our page](https://x.example/a?b=c).", "See our page."],
  ["no address", "Go to https://x.example/a now.", "Go to now."],
  ["no code", "Here: ```js\nlet x = 1\n``` done", "Here: done"],
  ["no tool call that was written as text", '{"name":"end_call","arguments":{}}', ""],
  ["no thoughts", "<think>They are angry.</think>I am sorry.", "I am sorry."],
  ["no pictures", "Great 👍🏽!", "Great !"],
  ["no white space but single", " a \n\n b ", "a b"],
]

describe("what a model wrote is spoken with", () => {
  for (const [what, text, spoken] of said) {
    it(`${what}`, () => assert.strictEqual(speakable(text), spoken))
  }
})
