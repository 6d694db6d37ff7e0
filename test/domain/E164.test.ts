import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parsePhoneNumber } from "libphonenumber-js/max"
import { E164, isE164 } from "../../src/domain/E164.ts"

describe("E.164", () => {
  it("is + and 7 to 15 ASCII digits, the first not 0", () => {
    for (const text of ["+1234567", "+123456789012345", "+4915112345678"]) assert.isTrue(isE164(text))
    for (const text of ["+123456", "+1234567890123456", "+0123456789", "4915112345678", "+", "", "+49 151 12345678"]) {
      assert.isFalse(isE164(text))
    }
  })

  it("refuses what a number library takes for a number", () => {
    assert.strictEqual(parsePhoneNumber("=+14155550132").number, "+14155550132")
    for (const text of ["=+14155550132", "+14155550132\u200b", "+１４１５５５５０１３２", "+14155550132\n"]) {
      assert.isFalse(Schema.is(E164)(text))
    }
  })
})
