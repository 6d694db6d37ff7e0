/** The caps on spending of a campaign: its own `max_spend` and the account's `daily_spend_cap`. */
import { Schema } from "effect"

export const SpendCap = Schema.Literals(["max_spend", "daily_spend_cap"])
export type SpendCap = typeof SpendCap.Type

/** The cap that a campaign waits for. */
export interface SpendWait {
  readonly cap: SpendCap
  /** Which price is missing and what to do, as a sentence for people; null if the cap does not cover the next call. */
  readonly missing_price: string | null
}

/** What a campaign with `waiting_for` `spend_cap` waits for, as a sentence for people. */
export const spendCapSentences: Record<SpendCap, string> = {
  max_spend:
    "What is left of the campaign's max_spend does not cover the next call. Dialling continues when a call ends that cost less than it reserved, or when max_spend is raised.",
  daily_spend_cap:
    "What is left of the account's daily_spend_cap does not cover the next call. Dialling continues when a call ends that cost less than it reserved, at midnight in the account's time zone, or when a platform administrator raises the cap.",
}
