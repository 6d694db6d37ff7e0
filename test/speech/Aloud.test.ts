import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { aloud, spans } from "../../src/speech/Aloud.ts"

const spoken: ReadonlyArray<readonly [language: string, written: string, spoken: string]> = [
  ["en", "It is €12.50, $1 or £1,299.50.", "It is 12.50 euros, 1 dollar or 1,299.50 pounds."],
  ["en-GB", "That is 5 € (£ 1).", "That is 5 euros (1 pound)."],
  ["de", "Das kostet 12,50 € oder €1.299,50.", "Das kostet 12,50 Euro oder 1.299,50 Euro."],
  ["fr", "C'est 12,50\u00a0€, avec 5 % de remise.", "C'est 12,50 euros, avec 5 pour cent de remise."],
  ["es", "Son 2 $.", "Son 2 dólares."],
  ["en", "12% off, 3.5 % more.", "12 percent off, 3.5 percent more."],
  // One more form than two: by Intl, for languages that nothing here knows the money of.
  ["cs", "5 % a 2 %, 3 €", "5 procent a 2 procenta, 3 €"],
  ["en", "Write to a.b-c_d@mail.example.com.", "Write to a dot b dash c underscore d at mail dot example dot com."],
  ["de", "An info@example.de bitte.", "An info at example Punkt de bitte."],
  [
    "en",
    "See https://www.example.com/help or www.acme.example.",
    "See www dot example dot com slash help or www dot acme dot example.",
  ],
  ["en", "Call +14155550100 now.", "Call plus 1, 4 1 5, 5 5 5, 0 1 0 0 now."],
  ["en", "Call (415) 555-0100 or 415-555-0100.", "Call 4 1 5, 5 5 5, 0 1 0 0 or 4 1 5, 5 5 5, 0 1 0 0."],
  ["de-AT", "Unter +43 1 5056070.", "Unter plus 4 3, 1, 5 0 5 6 0 7 0."],
  ["en", "On 2026-11-21.", "On November 21, 2026."],
  ["en", "At 2026-11-21T14:30:00Z.", "At November 21, 2026 at 2:30 PM UTC."],
  ["de-AT", "Am 2026-11-21T14:30.", "Am 21. November 2026 um 14:30."],
]

const asWritten: ReadonlyArray<readonly [language: string, text: string]> = [
  ["en", "$5 million, $5M, A$5, $5–$10, €5-10, 5–10 %"],
  ["en", "v1.2%, 100%ish, 50%%, #1 of 3, 24/7, 9:30, 1,299.50"],
  ["en", "2026-13-45, 2026-02-30, 12026-11-21, 2026-11-211"],
  ["en", "@ home, a@b, me@@x.example, https://x.example/a?b=c, Node.js, e.g. this"],
  ["en", "+1 or +2, 1 + 1, +1000000, 555-0100, 12-345-6789"],
  ["xx", "5 € and 5 %"],
  ["no tag", "5 %"],
]

describe("a text is spoken", () => {
  for (const [language, written, expected] of spoken) {
    it(`${language}: ${written}`, () => assert.strictEqual(aloud(written, language), expected))
  }
  for (const [language, text] of asWritten) {
    it(`as it is written where nothing is certain, ${language}: ${text}`, () => {
      assert.strictEqual(aloud(text, language), text)
    })
  }

  const languages = fc.constantFrom("en", "en-GB", "de", "fr", "es", "it", "pt-BR", "nl", "ja", "")

  it("as it is written where there is nothing but words, times and small numbers", () => {
    const word = fc.oneof(
      fc.stringMatching(/^[\p{L}’'-]{1,12}[.,;:!?]?$/u),
      fc.nat(9_999).map(String),
      fc.constantFrom("9:30", "3.5", "1,299.50", "a.m.", "&", "C++", "(yes)", "24/7", "No. 5"),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 20 }), languages, (words, language) => {
        assert.strictEqual(aloud(words.join(" "), language), words.join(" "))
      }),
      { numRuns: 2_000 },
    )
  })

  it("whatever it is, with stretches that follow each other and are said in words", () => {
    const bit = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 6 }),
      fc.constantFrom(
        "€",
        "$",
        "%",
        "5",
        "12.50",
        "+1415",
        "555",
        "-",
        "@",
        "a.example",
        "www.",
        "https://",
        "/",
        "T14:30",
        " ",
      ),
    )
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 15 }), languages, (bits, language) => {
        const text = bits.join("")
        let end = 0
        for (const { from, spoken, to } of spans(text, language)) {
          assert.isAtLeast(from, end)
          assert.isAbove(to, from)
          assert.notStrictEqual(spoken.trim(), "")
          end = to
        }
        assert.isAtMost(end, text.length)
      }),
      { numRuns: 2_000 },
    )
  })

  it("in a moment, however odd it is", () => {
    for (const odd of [
      "1".repeat(50_000),
      "€".repeat(50_000),
      "a.".repeat(25_000) + "@",
      "+1 ".repeat(20_000),
      "1,111".repeat(10_000),
      "www." + "a-".repeat(25_000),
    ]) {
      const before = process.cpuUsage()
      aloud(odd.slice(0, 600), "en")
      assert.isBelow(process.cpuUsage(before).user, 200_000)
    }
  })
})
