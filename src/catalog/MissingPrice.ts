/** Which price is missing for the reservations of a cap on spending, and what to do about it. */
import { Clock, Effect } from "effect"
import type { Carrier } from "../domain/PhoneNumber.ts"
import type { Prices } from "../domain/PriceList.ts"
import { invalid } from "../domain/Refusals.ts"
import { InstallationPrices } from "./PriceFile.ts"

interface Wanted {
  /** Null: the carriers are not known, so only the prices that all of them need are checked. */
  readonly carrier: Carrier | null
  readonly at: Date
}

/** Returns the end of a sentence about a cap, without its last advice; null if no price is missing. */
export const find = (prices: Prices | null, { at, carrier }: Wanted): string | null => {
  if (prices === null) {
    return "cannot be kept: this installation has no price list. Set PARLEY_PRICES_FILE (docs/costs.md) and restart Parley"
  }
  // A web page has no carrier, so its tariff has what all calls need.
  const tariff = prices.tariffOf({ carrier: carrier ?? "web", direction: "outbound", to: null, at })
  const missing = [
    ...(carrier !== null && tariff.carrier === null ? [`carriers has no price of outbound calls over ${carrier}`] : []),
    ...(tariff.agent_at_most === null ? ["agent_at_most has no price"] : []),
  ]
  if (missing.length === 0) return null
  return `cannot be kept: in today's price list, ${missing.join(", and ")}. Add it to the file that PARLEY_PRICES_FILE names (docs/costs.md) and restart Parley`
}

/** The sentence of a refusal because of an account's cap. */
export const ofDailyCap = (missing: string) =>
  `The account's daily_spend_cap ${missing}, or let a platform administrator remove the cap.`

/** For the setting of an account's cap: a fault of the field. The account's carriers may change at any time. */
export const checkDailyCap = Effect.fn("MissingPrice.checkDailyCap")(function* ({
  daily_spend_cap = null,
}: {
  readonly daily_spend_cap?: string | null
}) {
  if (daily_spend_cap === null) return
  const at = new Date(yield* Clock.currentTimeMillis)
  const missing = find(yield* InstallationPrices, { carrier: null, at })
  if (missing !== null) return yield* invalid("/daily_spend_cap", `${missing}, or leave out daily_spend_cap`)
})
