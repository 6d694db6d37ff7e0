import { assert, describe, it } from "@effect/vitest"
import { languages } from "../../src/languages/Languages.ts"
import { patienceIn } from "../../src/speech/Endpointing.ts"

describe("how long the agent waits after a person who said", () => {
  it.each([
    ["en", "What are your opening hours?", 300],
    ["en", "I would like to book a visit.", 300],
    ["en", "Yes", 300],
    ["en", "thank you", 300],
    ["en", "tomorrow morning", 600],
    ["en", "", 600],
    ["en", "I would like to.", 1_500],
    ["en", "and then I thought, um", 1_500],
    ["en", "My name is", 1_500],
    ["en", "Well...", 1_500],
    ["en", "Mornings would be best,", 1_500],
    ["en", "My number is four one five", 1_200],
    ["en", "It is 415 555.", 1_200],
    ["en", "Is it at 5?", 300],
    ["en", "That is A D A", 1_200],
    ["de", "Wie sind Ihre Öffnungszeiten?", 300],
    ["de", "Bitte rufen Sie mich morgen an.", 300],
    ["de", "Nein, nicht so.", 300],
    ["de", "Ja genau", 300],
    ["de", "Ich hätte gern einen", 1_500],
    ["de", "Meine Nummer ist null eins fünf", 1_200],
    ["fr", "Je voudrais un rendez-vous avec", 1_500],
    ["fr", "D'accord", 300],
    ["es", "Quería hablar con.", 1_500],
    ["nl", "Belt u mij morgen op.", 300],
    ["pl", "Chciałbym się umówić na", 1_500],
    ["hi", "मेरा नंबर है नौ आठ सात", 1_200],
    ["hi", "हाँ जी", 300],
    ["xx", "I would like to", 1_500],
  ] as const)("%s, %s: %d ms", (language, text, ms) => {
    assert.strictEqual(patienceIn(language)(text), ms)
  })

  it.each(languages.map((language) => [language.tag, language] as const))(
    "a short answer in %s is never taken for the beginning of a sentence",
    (tag, { answers }) => {
      const words = answers.flatMap((phrase) => phrase.replaceAll(/[()]/gu, "").split("|"))
      assert.deepStrictEqual(
        words.filter((word) => patienceIn(tag)(word) !== 300),
        [],
      )
    },
  )
})
