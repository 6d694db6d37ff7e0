/** Signatures and TwiML beside Twilio's own package, so that we do not agree with our own misreading. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { setImmediate } from "node:timers/promises"
import twilio from "twilio"
import { isSigned } from "../../../src/telephony/twilio/TwilioSignature.ts"
import { longestTick, mostMs } from "../../support/LongestTick.ts"

const { getExpectedTwilioSignature, validateRequest } = twilio as unknown as {
  getExpectedTwilioSignature: (token: string, url: string, form: object) => string
  validateRequest: (token: string, signature: string, url: string, form: object) => boolean
}

const token = "0123456789abcdef0123456789abcdef"
const url = "https://parley.example/carriers/twilio/acme/0198f2c4-6a53-7b8e-9c1e-2f0a9d3b7c11/talk/s3.1?language=en-US"
const form = {
  CallSid: "CA1",
  CallStatus: "in-progress",
  SpeechResult: "Yes, that’s fine & good + more = 5",
  From: "+1415",
}

const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => text.isWellFormed())
const forms = fc.dictionary(
  text.filter((name) => name !== ""),
  text,
  { maxKeys: 8, noNullPrototype: true },
)

describe("X-Twilio-Signature", () => {
  it("is what Twilio's package expects, for any parameters", () => {
    fc.assert(
      fc.property(forms, (form) => {
        const signature = getExpectedTwilioSignature(token, url, form)
        assert.isTrue(isSigned(token, [url], new URLSearchParams(form), signature))
        assert.isTrue(validateRequest(token, signature, url, form))
      }),
    )
  })

  it("takes repeated names once each, as Twilio's package does", () => {
    const signature = getExpectedTwilioSignature(token, url, { Digits: ["2", "1", "2"], CallSid: "CA1" })
    const sent = new URLSearchParams([
      ["Digits", "2"],
      ["Digits", "1"],
      ["Digits", "2"],
      ["CallSid", "CA1"],
    ])
    assert.isTrue(isSigned(token, [url], sent, signature))
  })

  it.each([
    ["https://parley.example:443/status", "https://parley.example/status"],
    ["https://parley.example/status", "https://parley.example:443/status"],
    ["http://127.0.0.1/status", "http://127.0.0.1:3000/status"],
  ])("holds for %s when it was given as %s", (signed, given) => {
    const signature = getExpectedTwilioSignature(token, signed, form)
    assert.isTrue(isSigned(token, [given], new URLSearchParams(form), signature))
  })

  it("takes linear time in the number of names, for any form", async () => {
    const names = Array.from({ length: 9_000 }, (_, at) => [`k${at}`, ""])
    const sent = new URLSearchParams(names)
    const turn = await longestTick(async () => {
      assert.isFalse(isSigned(token, [url], sent, "wrong"))
      await setImmediate()
    })
    assert.isBelow(turn, mostMs)
  })

  it("fails with another token, path, query, parameter or signature, and without any", () => {
    const signature = getExpectedTwilioSignature(token, url, form)
    const sent = new URLSearchParams(form)
    assert.isFalse(isSigned(`${token}0`, [url], sent, signature))
    assert.isFalse(isSigned(token, [url.replace("acme", "globex")], sent, signature))
    assert.isFalse(isSigned(token, [url.replace("en-US", "de-DE")], sent, signature))
    assert.isFalse(isSigned(token, [url], new URLSearchParams({ ...form, CallStatus: "completed" }), signature))
    assert.isFalse(isSigned(token, [url], new URLSearchParams({ ...form, More: "" }), signature))
    for (const wrong of ["", "x", `${signature}A`, signature.toLowerCase(), "=".repeat(28)]) {
      assert.isFalse(isSigned(token, [url], sent, wrong), wrong)
    }
  })
})
