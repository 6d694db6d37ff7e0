/**
 * Refuses caps on spending whose reservations cannot be computed, because a price is missing. A campaign that is already
 * running waits in that case, since no call fits without a price.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as MissingPrice from "../catalog/MissingPrice.ts"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import type { CampaignStatus } from "../domain/Campaign.ts"
import { Carrier } from "../domain/PhoneNumber.ts"
import { invalid, InvalidState } from "../domain/Refusals.ts"
import type { SpendCap } from "../domain/SpendCap.ts"
import * as Rows from "../tenancy/Rows.ts"

interface Capped {
  readonly max_spend: string | null
  readonly phone_number_id: string
}

/** The number's carrier; null if the number was deleted, which ends the campaign in its first pass. */
const Facts = Schema.Struct({ carrier: Schema.NullOr(Carrier), account_is_capped: Schema.Boolean })

const readFacts = Effect.fnUntraced(function* (phone_number_id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.orDie(
    Rows.one(Facts)(sql`
      select (select carrier from phone_numbers where id = ${phone_number_id}) as carrier,
        daily_spend_cap is not null as account_is_capped
      from budget`),
  )
})

const findMissing = Effect.fnUntraced(function* (carrier: Carrier | null) {
  if (carrier === null) return null
  const at = new Date(yield* Clock.currentTimeMillis)
  return MissingPrice.find(yield* InstallationPrices, { carrier, at })
})

const orLeaveOut = (missing: string) => `${missing}, or leave out max_spend`

/** Why a campaign does not start under a cap, from what `MissingPrice.find` returned. */
export const refusals: Record<SpendCap, (missing: string) => string> = {
  max_spend: (missing) => `The campaign's max_spend ${orLeaveOut(missing)}.`,
  daily_spend_cap: MissingPrice.ofDailyCap,
}

/** For a setting that is written: a fault of the field. */
export const checkSetting = Effect.fn("SpendCheck.checkSetting")(function* ({ max_spend, phone_number_id }: Capped) {
  if (max_spend === null) return
  const { carrier } = yield* readFacts(phone_number_id)
  const missing = yield* findMissing(carrier)
  if (missing !== null) return yield* invalid("/max_spend", orLeaveOut(missing))
})

/** For a start: a conflict with the installation's state. */
export const checkStart = Effect.fn("SpendCheck.checkStart")(function* ({
  max_spend,
  phone_number_id,
  status,
}: Capped & { readonly status: CampaignStatus }) {
  const { account_is_capped, carrier } = yield* readFacts(phone_number_id)
  if (max_spend === null && !account_is_capped) return
  const missing = yield* findMissing(carrier)
  if (missing === null) return
  const detail = refusals[max_spend === null ? "daily_spend_cap" : "max_spend"](missing)
  return yield* new InvalidState({ state: status, detail })
})
