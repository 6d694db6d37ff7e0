/**
 * Refuses a cap on spending whose reservations cannot be computed, because a price is missing. A campaign that is
 * already running waits in that case, since no call fits without a price.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import type { CampaignStatus } from "../domain/Campaign.ts"
import { Carrier } from "../domain/PhoneNumber.ts"
import { invalid, InvalidState } from "../domain/Refusals.ts"
import * as Rows from "../tenancy/Rows.ts"

interface Capped {
  readonly max_spend: string | null
  readonly phone_number_id: string
}

const CarrierOfNumber = Schema.Struct({ carrier: Carrier })

/** Returns which price is missing and what to do about it; null if none is. */
const findMissing = Effect.fnUntraced(function* ({ max_spend, phone_number_id }: Capped) {
  if (max_spend === null) return null
  const prices = yield* InstallationPrices
  if (prices === null) {
    return "cannot be kept: this installation has no price list. Set PARLEY_PRICES_FILE (docs/costs.md) and restart Parley, or leave out max_spend"
  }
  const sql = yield* SqlClient.SqlClient
  const number = yield* Effect.orDie(
    Rows.first(CarrierOfNumber)(sql`select carrier from phone_numbers where id = ${phone_number_id}`),
  )
  // A number that was deleted ends the campaign in its first pass.
  if (number === undefined) return null
  const { carrier } = number
  const at = new Date(yield* Clock.currentTimeMillis)
  const { agent_at_most, carrier: price } = prices.tariffOf({ carrier, direction: "outbound", to: null, at })
  const missing = [
    ...(price === null ? [`carriers has no price of outbound calls over ${carrier}`] : []),
    ...(agent_at_most === null ? ["agent_at_most has no price"] : []),
  ]
  if (missing.length === 0) return null
  return `cannot be kept: in today's price list, ${missing.join(", and ")}. Add it to the file that PARLEY_PRICES_FILE names (docs/costs.md) and restart Parley, or leave out max_spend`
})

/** For a setting that is written: a fault of the field. */
export const checkSetting = Effect.fn("SpendCheck.checkSetting")(function* (capped: Capped) {
  const missing = yield* findMissing(capped)
  if (missing !== null) return yield* invalid("/max_spend", missing)
})

/** For a start: a conflict with the installation's state. */
export const checkStart = Effect.fn("SpendCheck.checkStart")(function* (
  campaign: Capped & { readonly status: CampaignStatus },
) {
  const missing = yield* findMissing(campaign)
  if (missing === null) return
  return yield* new InvalidState({ state: campaign.status, detail: `The campaign's max_spend ${missing}.` })
})
