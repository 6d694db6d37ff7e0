/** Names of time zones, as clients and lists write them. */
import { assert, describe, it } from "@effect/vitest"
import { zoneNamed } from "../../src/domain/TimeZone.ts"

describe("the name of a time zone", () => {
  it("may be in any case", () => {
    assert.strictEqual(zoneNamed("europe/BERLIN"), "Europe/Berlin")
  })

  it("that does not exist is asked for once, since a list may have it in every row", () => {
    const format = Intl.DateTimeFormat
    let asked = 0
    Intl.DateTimeFormat = new Proxy(format, {
      construct: (target, args) => {
        asked++
        return Reflect.construct(target, args)
      },
    })
    for (let row = 0; row < 2_000; row++) assert.isNull(zoneNamed("Europe/Nowhere"))
    Intl.DateTimeFormat = format
    assert.strictEqual(asked, 1)
  })
})
