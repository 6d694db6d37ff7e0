/**
 * What an account has spent and reserved on a day, and the refusal of a call beyond its `daily_spend_cap` (decision 0083).
 * Pure.
 */
import { Schema } from "effect"
import { Amount, amountOf, currency } from "./Money.ts"
import { timestamp } from "./Timestamp.ts"

/** The account's day under a cap, in millionths. */
export const DailySpend = Schema.Struct({ limit: Schema.Int, spent: Schema.Int, reserved: Schema.Int })
export type DailySpend = typeof DailySpend.Type

/** The same as clients see it. */
const figures = {
  spent: Amount.annotate({
    description:
      "The cost of the calls that began today and have ended, in the account's time zone, and the reservations of those whose cost was lost.",
  }),
  reserved: Amount.annotate({
    description: "What today's live calls have reserved: the most that each may cost. Incoming calls reserve nothing.",
  }),
  limit: Amount.annotate({ description: "The account's `daily_spend_cap`." }),
  currency: Schema.Literal(currency).annotate({ description: "Always US dollars." }),
}
export const DailySpendFigures = Schema.Struct(figures)

/** What may still be reserved today. Negative if incoming calls cost more than was left. */
export const leftOf = ({ limit, reserved, spent }: DailySpend): number => limit - spent - reserved

/** A direct call does not fit into the account's `daily_spend_cap`: a 429. A campaign waits instead. */
export class SpendCapReached extends Schema.TaggedError<SpendCapReached>()("SpendCapReached", {
  code: Schema.Literal("spend_cap").annotate({ description: "The stable name of the kind of problem." }),
  ...figures,
  needed: Amount.annotate({ description: "The most that the call may cost." }),
  resets_at: timestamp("The earliest time at which a retry may succeed."),
}) {
  override get message() {
    const held = `${this.spent} ${this.currency} spent and ${this.reserved} reserved of its ${this.limit} today`
    return `The account has ${held}, and this call may cost ${this.needed}`
  }
}

/** The refusal of a call that may cost `most` millionths; null if it fits. */
export const spendCapReachedBy = (most: number, daily: DailySpend, resets_at: Date): SpendCapReached | null => {
  // guard: a call is dialled only if its reservation fits the account's daily_spend_cap (I18)
  if (most <= leftOf(daily)) return null
  // end of guard
  return new SpendCapReached({
    code: "spend_cap",
    spent: amountOf(daily.spent),
    reserved: amountOf(daily.reserved),
    limit: amountOf(daily.limit),
    currency,
    needed: amountOf(most),
    resets_at,
  })
}
