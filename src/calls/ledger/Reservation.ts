/** What a call reserves of a cap on spending before it is dialled: the most that it may cost (decisions 0079 and 0083). */
import { Effect } from "effect"
import * as MissingPrice from "../../catalog/MissingPrice.ts"
import type { Admission } from "../../domain/Cap.ts"
import { type DailySpend, spendCapReachedBy } from "../../domain/DailySpend.ts"
import type { Carrier } from "../../domain/PhoneNumber.ts"
import { dayOf, mostFor, mostOf, type Prices } from "../../domain/PriceList.ts"
import { InvalidState } from "../../domain/Refusals.ts"

/** The transaction is shorter than this, and its calls begin before its end. */
const transactionMs = 60_000

interface Asked {
  readonly carrier: Carrier
  readonly to: string
  readonly now: Date
  readonly max_call_seconds: number
}

/**
 * The most that a call may cost, in millionths; null if a price is missing. If it may begin on the next day, when other
 * prices may hold, the higher amount counts.
 */
export const mostAt = (prices: Prices | null, { carrier, max_call_seconds, now, to }: Asked): number | null => {
  if (prices === null) return null
  const soon = new Date(now.getTime() + transactionMs)
  let most = 0
  for (const at of dayOf(now) === dayOf(soon) ? [now] : [now, soon]) {
    const there = mostOf(prices.tariffOf({ carrier, direction: "outbound", to, at }), max_call_seconds)
    if (there === null) return null
    most = Math.max(most, there)
  }
  return most
}

/**
 * The most that a call may cost, in millionths, if it talks for this long; null if a price is missing. A call without an
 * answer costs nothing.
 */
export const costAtMost = (
  prices: Prices | null,
  { carrier, now, to }: Omit<Asked, "max_call_seconds">,
  talked_ms: number,
): number | null => {
  if (prices === null) return null
  return talked_ms === 0 ? 0 : mostFor(prices.tariffOf({ carrier, direction: "outbound", to, at: now }), talked_ms)
}

/** When the end of a live call may have freed money. It cannot be predicted, so the value is fixed. */
const askAgainAfterMs = 5_000

type Admitted = Pick<Admission, "now" | "usage"> & { readonly daily_spend: DailySpend | null }

/**
 * Returns what a single call reserves of the account's `daily_spend_cap`, in millionths; null if the account has none.
 * Fails if the amount does not fit, or if a price is missing. The caller's transaction holds the budget's lock.
 */
export const reserveFor = Effect.fnUntraced(function* (
  { daily_spend, now, usage }: Admitted,
  prices: Prices | null,
  asked: Omit<Asked, "now">,
) {
  if (daily_spend === null) return null
  const most = mostAt(prices, { ...asked, now })
  if (most === null) {
    const missing = MissingPrice.find(prices, { carrier: asked.carrier, at: now })
    return yield* new InvalidState({ state: "no_price", detail: MissingPrice.ofDailyCap(missing ?? "") })
  }
  const frees = daily_spend.reserved > 0 ? new Date(now.getTime() + askAgainAfterMs) : usage.daily_cap.resets_at
  const refusal = spendCapReachedBy(most, daily_spend, frees)
  return refusal === null ? most : yield* refusal
})
