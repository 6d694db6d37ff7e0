/** Numbers as people write them, and the zones they may be in. */
import { assert, describe, it } from "@effect/vitest"
import { isNational, normalise } from "../../src/campaigns/lists/NumberFormat.ts"
import { zonesOf, zonesOfContact } from "../../src/catalog/NumberZones.ts"

describe("a number (decisions §2, CSV)", () => {
  it.each([
    ["+14155550132", undefined, "+14155550132"],
    [" +1 (415) 555-0132 ", undefined, "+14155550132"],
    ["+44 20 7946 0018", undefined, "+442079460018"],
    ["020 7946 0018", "GB", "+442079460018"],
    ["(415) 555-0132", "US", "+14155550132"],
    ["+1 555 0142", undefined, "+15550142"],
    ["+15555550142", undefined, "+15555550142"],
    ["+14155550132\u200b", undefined, "+14155550132"],
    ["\u202a+1\u00a0(415)\u202f555\u2011\u20100132\u202c", undefined, "+14155550132"],
    ["\uff0b\uff11\uff14\uff11\uff15\u3000555\uff0d0132", undefined, "+14155550132"],
    ["\u200e020\u00a07946 0018", "GB", "+442079460018"],
  ])("%s (%s) is %s", (text, country, number) => {
    assert.strictEqual(normalise(text, country), number)
  })

  it("for examples is one, whatever was read before it", () => {
    assert.isUndefined(normalise("555 1234", "US"))
    assert.strictEqual(normalise("555 0142", "US"), "+15550142")
  })

  it.each([
    "",
    "nobody",
    "12345",
    "+",
    "+1",
    "+12345",
    "+1415555013",
    "+999123456789",
    "=+14155550132",
    "+14155550132x5",
    "+١٤١٥٥٥٥٠١٣٢",
    "+1415555013299999",
    "020 7946 0018",
  ])("%j is none, without a country", (text) => {
    assert.isUndefined(normalise(text, undefined))
  })

  it("decides the same for each of many numbers with one beginning as for the first", () => {
    for (let last = 0; last < 10_000; last += 97) {
      const number = `+1415555${String(last).padStart(4, "0")}`
      assert.strictEqual(normalise(number, undefined), number)
      assert.isUndefined(normalise(`${number}0`, undefined))
    }
  })

  it("is national when it has no country code", () => {
    assert.isTrue(isNational("020 7946 0018"))
    assert.isFalse(isNational(" +442079460018"))
  })
})

describe("the zones of a number", () => {
  it.each([
    ["+442079460018", ["Europe/London"]],
    ["+14155550132", ["America/Los_Angeles"]],
    ["+4930123456", ["Europe/Berlin"]],
  ])("%s: %j", (number, zones) => {
    assert.deepStrictEqual(zonesOf(number), zones)
  })

  it("are several where its prefix does not tell", () => {
    assert.isAbove(zonesOf("+15555550142").length, 1)
  })

  it("are none where the format is unknown", () => {
    assert.deepStrictEqual(zonesOf("+999123456"), [])
  })

  it("give way to the row's own column, and a column that names none is no reason to guess", () => {
    assert.deepStrictEqual(zonesOfContact("+442079460018", { time_zone: "Asia/Tokyo" }), ["Asia/Tokyo"])
    assert.deepStrictEqual(zonesOfContact("+442079460018", { time_zone: " " }), ["Europe/London"])
    for (const time_zone of ["Mars/Olympus", "+02:00", "GMT+5", "Europe/Berlin; drop"]) {
      assert.deepStrictEqual(zonesOfContact("+442079460018", { time_zone }), [], time_zone)
    }
  })

  it("have one spelling, whatever the row's", () => {
    assert.deepStrictEqual(zonesOfContact("+442079460018", { time_zone: "europe/BERLIN" }), ["Europe/Berlin"])
  })
})
