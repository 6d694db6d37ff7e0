/** The caps on spending that hold for a campaign, with what is used of them now, for its preflight. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { costAtMost, mostAt } from "../../calls/Calls.ts"
import * as MissingPrice from "../../catalog/MissingPrice.ts"
import { microsOf } from "../../domain/Money.ts"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import type { PlannedCap, SpendPlan } from "../../domain/PreflightSpend.ts"
import type { Prices } from "../../domain/PriceList.ts"
import type { SpendCap } from "../../domain/SpendCap.ts"
import { amountFrom } from "../../tenancy/AmountText.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { dayCap, dayReserved, daySpent } from "../SnapshotQuery.ts"
import { refusals } from "../SpendCheck.ts"

const Row = Schema.Struct({
  spent: Schema.String,
  reserved: Schema.String,
  day_spent: Schema.String,
  day_reserved: Schema.String,
  daily_spend_cap: Schema.NullOr(Schema.String),
})

/** What the calls of a campaign reserve depends on these, and on the called number. */
interface Charged {
  readonly carrier: Carrier
  readonly max_call_seconds: number
  readonly prices: Prices | null
  readonly now: Date
}

export const read = Effect.fn("SpendCaps.read")(function* (
  campaign: { readonly id: string; readonly max_spend: string | null },
  { carrier, max_call_seconds, now, prices }: Charged,
) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* Rows.one(Row)(sql`
    select ${sql.literal(amountFrom("(p.cost + p.written_off)"))} as spent, ${sql.literal(amountFrom("p.reserved"))} as reserved,
      ${sql.literal(daySpent)} as day_spent, ${sql.literal(dayReserved)} as day_reserved,
      ${sql.literal(dayCap)} as daily_spend_cap
    from campaign_progress p, budget b, (select ${now}::timestamptz as now) t
    where p.campaign_id = ${campaign.id}`).pipe(Effect.orDie)
  const missing = MissingPrice.find(prices, { carrier, at: now })
  const planned = (cap: SpendCap, limit: string | null, spent: string, reserved: string): ReadonlyArray<PlannedCap> => {
    if (limit === null) return []
    const unpriced = missing === null ? null : refusals[cap](missing)
    return [{ cap, limit: microsOf(limit), spent: microsOf(spent), reserved: microsOf(reserved), unpriced }]
  }
  return {
    caps: [
      ...planned("max_spend", campaign.max_spend, row.spent, row.reserved),
      ...planned("daily_spend_cap", row.daily_spend_cap, row.day_spent, row.day_reserved),
    ],
    // If no price is missing now, every number has one from now on.
    mostAt: (to, at) => mostAt(prices, { carrier, to, now: new Date(at), max_call_seconds }) ?? Infinity,
    costOf: (to, at, talked_ms) => costAtMost(prices, { carrier, to, now: new Date(at) }, talked_ms) ?? Infinity,
  } satisfies SpendPlan["spend"]
})
