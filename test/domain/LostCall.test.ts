/** What a call cost whose process died, by the length that its carrier gives (decision 0083). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import type { Cost } from "../../src/domain/Call.ts"
import { lostCostOf } from "../../src/domain/LostCall.ts"
import { microsFrom } from "../../src/domain/Money.ts"
import { compile, mostOf } from "../../src/domain/PriceList.ts"

const from = "2026-01-01"
const prices = Result.getOrThrow(
  compile(
    {
      currency: "USD",
      carriers: [
        { carrier: "twilio", prefix: "+", from, per_minute: "0.02", per_call: "0.001", increment_seconds: 60 },
      ],
      recogniser: [{ from, per_minute: "0.006" }],
      agent_at_most: [{ from, per_minute: "0.1" }],
    },
    new Set(),
  ),
)
const tariffOver = (carrier: "twilio" | "sip") =>
  prices.tariffOf({ carrier, direction: "outbound", to: "+14155550100", at: new Date("2026-11-28") })
const tariff = tariffOver("twilio")
/** As a live call writes it: no minute of the carrier is known before the end. */
const recorded: Cost = {
  amount: 0.006,
  currency: "USD",
  parts: { telephony: 0.001, brain: 0.004, recogniser: 0, voice: 0.001 },
}

describe("a lost call", () => {
  it("costs what was recorded, with the carrier's and the recogniser's part for its length", () => {
    assert.deepStrictEqual(lostCostOf(tariff, recorded, { ms: 90_000, is_answered: true }), {
      cost: {
        amount: 0.055,
        currency: "USD",
        parts: { telephony: 0.041, brain: 0.004, recogniser: 0.009, voice: 0.001 },
      },
      at_most: 41_000 + 150_000,
    })
  })

  it("costs nothing if it was certainly not answered", () => {
    const none = { amount: 0, currency: "USD", parts: {} } as const
    assert.deepStrictEqual(lostCostOf(tariff, null, null), { cost: none, at_most: 0 })
  })

  it("is charged nothing, and counts with the most, if it is not known whether it was answered", () => {
    const none = { amount: 0, currency: "USD", parts: {} } as const
    const unknown = lostCostOf(tariff, null, { ms: 30_000, is_answered: false })
    assert.deepStrictEqual(unknown, { cost: none, at_most: 21_000 + 50_000 })
  })

  it("names the carrier's part if that has no price, and then has no upper bound", () => {
    const { at_most, cost } = lostCostOf(tariffOver("sip"), recorded, { ms: 60_000, is_answered: true })
    assert.deepStrictEqual([cost.not_priced, at_most], [["telephony"], null])
  })

  it("never counts with more than its reservation, or with less than it cost", () => {
    const lost = fc.record({
      seconds: fc.integer({ min: 10, max: 7_200 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(lost, ({ part, seconds }) => {
        const ms = Math.floor(part * (seconds + 60) * 1_000)
        const { at_most, cost } = lostCostOf(
          tariff,
          { ...recorded, parts: { recogniser: 0 } },
          { ms, is_answered: true },
        )
        assert.isAtMost(at_most ?? Infinity, mostOf(tariff, seconds) ?? -1)
        assert.isAtMost(microsFrom(cost.amount), at_most ?? -1)
      }),
    )
  })
})
