/** TwiML beside what Twilio's own package writes, read by a parser that is strict. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import twilio from "twilio"
import * as Twiml from "../../../src/telephony/twilio/Twiml.ts"
import { parse } from "../../chaos/carrier/Twiml.ts"

const next = 'https://parley.example/talk/s1?language=en-US&more="quoted"'
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 })

describe("TwiML", () => {
  it("is written as Twilio's own library writes it", () => {
    const response = new twilio.twiml.VoiceResponse()
    response.say({ language: "en-US" }, 'Fish & chips < 5 > 3 "quoted" it\'s')
    response.redirect({ method: "POST" }, next)
    const own = Twiml.say('Fish & chips < 5 > 3 "quoted" it\'s', next, "en-US")
    assert.deepStrictEqual(parse(own), parse(response.toString()))
  })

  it("is well-formed for any text, and loses nothing that can be spoken", () => {
    fc.assert(
      fc.property(text, (text) => {
        const [say] = parse(Twiml.say(text, next, "en-US"))
        const speakable = [...text].filter((char) => !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(char) || /\s/.test(char))
        assert.strictEqual(say?.text.replaceAll(/\s/g, ""), speakable.join("").replaceAll(/\s/g, ""))
      }),
    )
  })

  it("has at most as many words as fit into one request", () => {
    assert.isAtMost(Twiml.say('"'.repeat(Twiml.longestPiece), next, "en-US").length, 4_000)
  })

  it("asks for voices and recognisers by language and region", () => {
    const locales = ["en", "de", "de-AT", "pt", "ja", "zh-Hans"].map(Twiml.localeOf)
    assert.deepStrictEqual(locales, ["en-US", "de-DE", "de-AT", "pt-BR", "ja-JP", "zh-CN"])
  })
})
