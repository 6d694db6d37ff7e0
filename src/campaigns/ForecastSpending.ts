/** The caps on spending of a campaign for its forecast, from the figures of its snapshot and the price list. */
import { costAtMost, mostAt } from "../calls/Calls.ts"
import type { PlannedMoney } from "../domain/ForecastMoney.ts"
import { microsOf } from "../domain/Money.ts"
import type { StoredNumber } from "../domain/PlannedNumber.ts"
import { assumedOf } from "../domain/Preflight.ts"
import type { Prices } from "../domain/PriceList.ts"
import type { SpendCap } from "../domain/SpendCap.ts"

/** What of the row of a snapshot the caps depend on. Amounts are texts, null without the cap. */
export interface Spending {
  readonly spent: string
  readonly reserved: string
  readonly max_spend: string | null
  readonly day_spent: string
  readonly day_reserved: string
  readonly daily_spend_cap: string | null
  readonly outcomes: Readonly<Record<string, number>>
  readonly max_call_seconds: number
  readonly numbers: ReadonlyArray<StoredNumber>
  readonly sample: ReadonlyArray<{
    readonly phone_number: string
    readonly additional_numbers: ReadonlyArray<string> | null
  }>
  readonly at: Date
}

interface Circumstances {
  readonly prices: Prices | null
  /** The part of the account's caps that the campaign gets while others run. */
  readonly share: number
  /** Whether the campaign begins or continues on the present day. */
  readonly isToday: boolean
  readonly isObserved: boolean
}

/** Null without a cap, or if the campaign's number was deleted, with which the campaign ends. */
export const planMoney = (row: Spending, circumstances: Circumstances): PlannedMoney | null => {
  const { daily_spend_cap, day_reserved, day_spent, max_spend, reserved, spent } = row
  const { isToday, share } = circumstances
  const carrier = row.numbers[0]?.carrier
  if ((max_spend === null && daily_spend_cap === null) || carrier === undefined) return null
  const perCall = priceCall(row, carrier, circumstances)
  // Calls in progress hold their reservation only until they end.
  const ends = perCall.reserved === 0 ? 0 : Math.min(1, perCall.cost / perCall.reserved)
  const planned = (cap: SpendCap, limit: string | null, used: number, part: number): PlannedMoney["caps"] =>
    limit === null ? [] : [{ cap, limit: microsOf(limit) * part, used: used * part }]
  const usedToday = isToday ? microsOf(day_spent) + microsOf(day_reserved) * ends : 0
  return {
    caps: [
      ...planned("max_spend", max_spend, microsOf(spent) + microsOf(reserved) * ends, 1),
      ...planned("daily_spend_cap", daily_spend_cap, usedToday, share),
    ],
    ...perCall,
  }
}

const assumed = assumedOf({})

/** The average over the sample. What the campaign's own calls cost is used if enough of them have ended. */
const priceCall = (
  { at, max_call_seconds, outcomes, sample, spent }: Spending,
  carrier: StoredNumber["carrier"],
  { isObserved, prices }: Circumstances,
): Pick<PlannedMoney, "reserved" | "cost"> => {
  // Without a sample, the price of numbers without a price of their own.
  const people =
    sample.length === 0 ? [["+"]] : sample.map((one) => [one.phone_number, ...(one.additional_numbers ?? [])])
  const talked_ms = Math.min(max_call_seconds, assumed.average_call_seconds) * 1_000
  let reserved = 0
  let cost = 0
  for (const numbers of people) {
    const most = numbers.map((to) => mostAt(prices, { carrier, to, now: at, max_call_seconds }) ?? Infinity)
    reserved += Math.max(...most) / people.length
    const answered = costAtMost(prices, { carrier, to: numbers[0] ?? "+", now: at }, talked_ms) ?? Infinity
    cost += (assumed.answer_rate * answered) / people.length
  }
  // Without a price no call begins.
  if (reserved === Infinity) return { reserved, cost: 0 }
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  return { reserved, cost: isObserved && ended > 0 ? microsOf(spent) / ended : cost }
}
