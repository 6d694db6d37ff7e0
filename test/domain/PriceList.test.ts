/** What a call costs by a price list, and the most that it can cost. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { amountOf, canonical, microsOf } from "../../src/domain/Money.ts"
import { compile, costOf, mostOf, type PriceList } from "../../src/domain/PriceList.ts"

const list: PriceList = {
  currency: "USD",
  carriers: [
    { carrier: "sip", prefix: "+", from: "2026-01-01", per_minute: "0.5", increment_seconds: 60 },
    { carrier: "sip", prefix: "+1", from: "2026-01-01", per_minute: "0.012", increment_seconds: 6 },
    { carrier: "sip", prefix: "+1", from: "2026-06-01", per_minute: "0.018", increment_seconds: 6, per_call: "0.001" },
    { carrier: "sip", prefix: "+1907", from: "2027-01-01", per_minute: "0.09", increment_seconds: 60 },
  ],
  recogniser: [{ from: "2026-01-01", per_minute: "0.0077" }],
  voice: [{ from: "2026-01-01", per_1000_characters: "0.05" }],
  agent_at_most: [{ from: "2026-01-01", per_minute: "0.2" }],
}
const prices = Result.getOrThrow(compile(list, new Set(["openai/m"])))
const tariff = (to: string, day: string, carrier: "sip" | "twilio" | "web" = "sip") =>
  prices.tariffOf({ carrier, direction: carrier === "web" ? "web" : "outbound", to, at: new Date(`${day}T12:00:00Z`) })
const used = { talked_ms: 61_000, brain: 4_000, models: ["openai/m"], characters: 100 }

describe("a price", () => {
  it.each([
    ["of the longest prefix", "+442012345678", "2026-07-01", 1],
    ["of the day on which the call began", "+14155550100", "2026-05-31", 0.0132],
    ["of a later day, with a price for each call", "+14155550100", "2026-06-01", 0.0208],
    ["of a shorter prefix, while the longer one has none yet", "+19075550100", "2026-12-31", 0.0208],
    ["of the longer prefix, from its day on", "+19075550100", "2027-01-01", 0.18],
  ])("of the carrier is that %s", (_, to, day, telephony) => {
    assert.strictEqual(costOf(tariff(to, day), used).parts["telephony"], telephony)
  })

  it("is charged for each part, and the parts add up exactly", () => {
    assert.deepStrictEqual(costOf(tariff("+14155550100", "2026-07-01"), used), {
      amount: 0.037629,
      currency: "USD",
      parts: { telephony: 0.0208, brain: 0.004, recogniser: 0.007829, voice: 0.005 },
    })
  })

  it("that is missing makes its part unpriced, and not free", () => {
    const { not_priced, parts } = costOf(tariff("+14155550100", "2025-12-31", "twilio"), { ...used, models: ["x/y"] })
    assert.deepStrictEqual([not_priced, parts], [["telephony", "brain", "recogniser", "voice"], {}])
  })

  it("of speech counts only where Parley recognised and spoke, and of a carrier only on a telephone", () => {
    const { not_priced, parts } = costOf(tariff("", "2026-07-01", "web"), { ...used, characters: null })
    assert.deepStrictEqual([not_priced, parts], [undefined, { brain: 0.004 }])
  })

  it("of all other numbers must be in the list", () => {
    const [, ...withoutAll] = list.carriers
    assert.strictEqual(
      Result.merge(compile({ ...list, carriers: withoutAll }, new Set())),
      "carriers: sip outbound has no price for the prefix +, which is all other numbers",
    )
  })
})

describe("the most that a call may cost", () => {
  it("is never below what it costs, as long as it ends in time and its agent stays below the ceiling", () => {
    const call = fc.record({
      to: fc.constantFrom("+14155550100", "+19075550100", "+442012345678"),
      day: fc.constantFrom("2026-05-31", "2026-06-01", "2027-01-01"),
      seconds: fc.integer({ min: 10, max: 14_400 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(call, ({ day, part, seconds, to }) => {
        const talked_ms = Math.floor(part * (seconds + 60) * 1_000)
        const rates = tariff(to, day)
        // The recogniser takes its share of the ceiling, and the model the rest.
        const brain = Math.floor((talked_ms * (200_000 - 7_700)) / 60_000) - 1
        const cost = costOf(rates, { talked_ms, brain: Math.max(0, brain), models: ["openai/m"], characters: 0 })
        assert.isAtMost(Math.round(cost.amount * 1_000_000), mostOf(rates, seconds) ?? -1)
      }),
    )
  })

  it("is unknown without a price of the carrier, or without a ceiling for the agent", () => {
    const { agent_at_most: _, ...withoutCeiling } = list
    const other = Result.getOrThrow(compile(withoutCeiling, new Set()))
    const asked = { carrier: "sip", direction: "outbound", to: "+1", at: new Date("2026-07-01") } as const
    assert.isNull(mostOf(other.tariffOf(asked), 60))
    assert.isNull(mostOf(prices.tariffOf({ ...asked, carrier: "twilio" }), 60))
  })
})

describe("an amount", () => {
  it("keeps each millionth, in a text with two decimals or more", () => {
    assert.deepStrictEqual(["50", "0", "12.4", "0.000001"].map(canonical), ["50.00", "0.00", "12.40", "0.000001"])
    const micros = fc.integer({ min: 0, max: 999_999_999_999_999 })
    fc.assert(fc.property(micros, (amount) => assert.strictEqual(microsOf(amountOf(amount)), amount)))
  })
})
