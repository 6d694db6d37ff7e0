import { assert, describe, it } from "@effect/vitest"
import { searchTerms } from "../../src/domain/SearchTerms.ts"

describe("what is searched for", () => {
  it.each([
    ["+1 212 357 8200", "+12123578200"],
    ["(212) 357-8200", "2123578200"],
    ["+1\u00a0212\u00a0357\u00a08200", "+12123578200"],
    ["\u202a+12123578200\u202c", "+12123578200"],
    ["＋１ ２１２", "+1212"],
    ["212.357", "212357"],
    ["00 49 30 901820", "4930901820"],
    ["030 901820", "30901820"],
    ["+44 (0)20 7946 0000", "+442079460000"],
  ])("%s is the number %s", (typed, digits) => {
    assert.deepStrictEqual(searchTerms(typed), { words: [typed.trim()], digits })
  })

  it.each([
    ["Ada Lovelace", ["Ada", "Lovelace"]],
    ["  Lovelace,  Ada ", ["Lovelace,", "Ada"]],
    ["7", ["7"]],
    ["room 12", ["room", "12"]],
    ["   ", []],
  ])("%s is words", (typed, words) => {
    assert.deepStrictEqual(searchTerms(typed), { words, digits: undefined })
  })
})
