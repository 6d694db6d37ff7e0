import { assert, describe, it } from "@effect/vitest"
import { languageOf, languages } from "../../src/languages/Languages.ts"
import { hintedKindOf, machineKindOf } from "../../src/languages/MachineGreeting.ts"
import { wantsNoCalls } from "../../src/languages/OptOut.ts"
import { makeExactRecogniser, makeFinder, makeRecogniser } from "../../src/languages/Phrases.ts"

describe("the languages", () => {
  it("are twelve, found by the first part of a tag; English stands in for any other", () => {
    assert.strictEqual(languages.length, 12)
    assert.strictEqual(languageOf("de-AT").tag, "de")
    assert.strictEqual(languageOf("PT-br").tag, "pt")
    assert.strictEqual(languageOf("xx").tag, "en")
    assert.strictEqual(languageOf("").tag, "en")
  })

  it.each(languages.map(({ sentences, tag }) => [tag, sentences] as const))(
    "%s: no sentence of the agent would count as a machine's or as a caller's wish",
    (_, sentences) => {
      // A person who is asked to press a key hears what a menu says.
      const { handover, optedOut, pressToOptOut, ...others } = sentences
      assert.strictEqual(handover.split("{reason}").length, 2)
      assert.isFalse(wantsNoCalls(handover))
      assert.strictEqual(pressToOptOut.split("{key}").length, 2)
      assert.isFalse(wantsNoCalls(pressToOptOut))
      for (const sentence of Object.values(others).flat()) {
        assert.isFalse(wantsNoCalls(sentence), sentence)
        assert.isNull(machineKindOf(sentence), sentence)
        assert.isNull(hintedKindOf([sentence]), sentence)
      }
      assert.isNotEmpty(optedOut)
    },
  )

  it.each(languages.map(({ optOuts, tag }) => [tag, optOuts] as const))(
    "%s: each part is in a phrase, and each phrase of a wish begins with words, so that most are never tried",
    (_, { lookalikes, parts, phrases, unlessTimed }) => {
      const wishes = [...phrases, ...unlessTimed]
      const all = [...wishes, ...lookalikes].join(" ")
      assert.deepStrictEqual(
        Object.keys(parts).filter((part) => !all.includes(`{${part}}`)),
        [],
      )
      assert.deepStrictEqual(
        wishes.filter((phrase) => /^(?:\S+\? )*[*$]/u.test(phrase)),
        [],
      )
    },
  )

  it.each(languages.map((language) => [language.tag, language] as const))(
    "%s: what acknowledges does not demand silence",
    (_, { acknowledgements, stops }) => {
      const demands = makeRecogniser(stops)
      const words = acknowledgements.flatMap((phrase) => phrase.replaceAll(/[()]/gu, "").split("|"))
      assert.deepStrictEqual(words.filter(demands), [])
    },
  )
})

describe("a phrase", () => {
  it("is found whatever its case, accents, apostrophes and punctuation, but never across two sentences", () => {
    const found = makeRecogniser(["(do not|don't) ever? call", "después"])
    for (const text of ["DON’T call.", "please, do not - ever - call", "dont call", "despues"])
      assert.isTrue(found(text), text)
    for (const text of ["Don't. Call!", "do not recall", "", "..."]) assert.isFalse(found(text), text)
  })
  it("may leave a gap of eight words, and be bound to the end", () => {
    const found = makeRecogniser(["take me * off", "stop $"])
    assert.isTrue(found("take me and my wife and my two sons off"))
    assert.isFalse(found("take me one two three four five six seven eight nine off"))
    assert.isTrue(found("now stop!"))
    assert.isFalse(found("stop it"))
  })
  it("may name a part, begin or end a word, and leave a gap of its own length", () => {
    const find = makeFinder(["{call} *1 (me|{here})", "hang- up", "my -list"], {
      call: "ring|phone",
      here: "this number",
    })
    for (const text of ["phone me", "ring ring this number", "hanging up", "my checklist"])
      assert.isNotNull(find(` ${text} `), text)
    for (const text of ["phone you and not me", "ring this", "change up", "my lists"])
      assert.isNull(find(` ${text} `), text)
    assert.throws(() => makeFinder(["{nothing}"], {}), /nothing/u)
  })
  it("may have to be all that is said, any number of times", () => {
    const isAll = makeExactRecogniser(["yes|okay", "thank you"])
    for (const text of ["Yes", "yes, okay. Thank you!"]) assert.isTrue(isAll(text), text)
    for (const text of ["", "yes but", "thank"]) assert.isFalse(isAll(text), text)
  })
})
