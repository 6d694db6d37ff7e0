/** The moment of a planned start, as it is typed in the account's zone. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { localInput, momentIn } from "../../apps/console/pages/new-campaign/LocalTime.ts"

const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC"]
const momentOf = (text: string, zone: string) => momentIn(text, zone)?.toISOString()

describe("a time that was typed in the account's zone", () => {
  it("is the first of the two where clocks show it twice", () => {
    assert.strictEqual(momentOf("2026-10-25T02:30", "Europe/Berlin"), "2026-10-25T00:30:00.000Z")
    assert.strictEqual(momentOf("2026-11-01T01:30", "America/New_York"), "2026-11-01T05:30:00.000Z")
  })

  it("is shown an hour later where clocks never show it", () => {
    assert.strictEqual(momentOf("2026-03-29T02:30", "Europe/Berlin"), "2026-03-29T01:30:00.000Z")
    assert.strictEqual(momentOf("2026-03-08T02:30", "America/New_York"), "2026-03-08T07:30:00.000Z")
  })

  it("is the moment that clocks in the zone show with these words", () => {
    const minutes = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2035, 0) / 60_000 })
    fc.assert(
      fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
        const shown = localInput(new Date(minute * 60_000), zone)
        const found = momentIn(shown, zone)
        assert.isDefined(found)
        assert.strictEqual(found && localInput(found, zone), shown)
        assert.isAtMost(Number(found), minute * 60_000)
      }),
      { numRuns: 2_000 },
    )
  })

  it("is none where it is no time", () => assert.isUndefined(momentIn("tomorrow", "UTC")))
})
