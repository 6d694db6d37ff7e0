/**
 * How many calls of a preflight the caps on spending cover at least: each call counts with what the dialler reserves for
 * it, the most that it may cost (decisions 0079 and 0083). Pure.
 */
import { Schema } from "effect"
import { dearestOf } from "./Dearest.ts"
import { Amount, amountOf, currency } from "./Money.ts"
import { SpendCap } from "./SpendCap.ts"
import { nextDay } from "./ZoneClock.ts"

export const PreflightSpendCap = Schema.Struct({
  cap: SpendCap.annotate({
    description: "`max_spend`: the campaign's limit. `daily_spend_cap`: the account's limit for a day.",
  }),
  limit: Amount.annotate({ description: "The limit." }),
  spent: Amount.annotate({
    description:
      "What is spent of it now: by the campaign, or by the account on the day of `starting_at`. Zero if that is a later day.",
  }),
  reserved: Amount.annotate({ description: "The most that calls in progress may cost." }),
  currency: Schema.Literal(currency).annotate({ description: "Always US dollars." }),
  covers: Schema.NullOr(Schema.Int).annotate({
    description:
      "How many of the `attempts` the limit covers at least, in the order in which they would begin: the worst case, in which each costs what is reserved for it. For `daily_spend_cap` the attempts of each day count against the limit for that day, as if the account placed no other calls from `starting_at` on. Null if a price is missing.",
  }),
  reserved_per_call: Schema.NullOr(
    Schema.Struct({
      least: Schema.String.annotate({ description: "For the cheapest of the calls." }),
      most: Schema.String.annotate({ description: "For the dearest of the calls." }),
    }),
  ).annotate({
    description: "What is reserved for a call before it is dialled. Null without calls, or if a price is missing.",
  }),
  needed: Schema.NullOr(Schema.String).annotate({
    description: "The lowest limit that covers all `attempts` even in the worst case. Null if a price is missing.",
  }),
  warning: Schema.NullOr(Schema.String).annotate({
    description:
      "If the limit may not cover all attempts, or cannot be kept because a price is missing: what to do, as a sentence for people. Otherwise null.",
  }),
}).annotate({
  identifier: "PreflightSpendCap",
  examples: [
    {
      cap: "max_spend",
      limit: "50.00",
      spent: "0.00",
      reserved: "0.00",
      currency,
      covers: 121,
      reserved_per_call: { least: "0.41", most: "0.41" },
      needed: "123.00",
      warning:
        "What is left of max_spend, 50.00 USD, covers at least 121 of 300 calls, at 0.41 USD reserved for each. Calls that cost less leave more. To cover all of them in any case, raise max_spend to 123.00 or shorten the agent's max_call_seconds.",
    },
  ],
})
export type PreflightSpendCap = typeof PreflightSpendCap.Type

/** A cap at the start of the simulation, in millionths. */
export interface PlannedCap {
  readonly cap: SpendCap
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  /** Why the cap cannot be kept, as a sentence for people; null if no price is missing. */
  readonly unpriced: string | null
}

export interface SpendPlan {
  readonly starting_at: number
  readonly account: { readonly time_zone: string }
  readonly spend: {
    readonly caps: ReadonlyArray<PlannedCap>
    /** The millionths that a call to the number reserves at a time. */
    readonly mostAt: (number: string, at: number) => number
    /** The millionths that a call to the number costs that talks for this long, at most. */
    readonly costOf: (number: string, at: number, talked_ms: number) => number
  }
}

/** A cap during the simulation. `used` is what it counts so far, as if each call cost what it reserved. */
interface CountedCap {
  readonly planned: PlannedCap
  used: number
  /** The highest `used` after a call. */
  needed: number
  covers: number
}

export class PreflightSpend {
  private readonly plan: SpendPlan
  private readonly caps: ReadonlyArray<CountedCap>
  private calls = 0
  private readonly perCall = { least: Infinity, most: 0 }
  private dayEnds: number

  constructor(plan: SpendPlan) {
    this.plan = plan
    this.caps = plan.spend.caps.map((planned) => ({
      planned,
      used: planned.spent + planned.reserved,
      needed: 0,
      covers: 0,
    }))
    this.dayEnds = nextDay(plan.account.time_zone, plan.starting_at)
  }

  /**
   * Counts a call to a person with these numbers, of which the dearest counts. The caller counts calls in the order in
   * which they begin.
   */
  begin(numbers: ReadonlyArray<string>, now: number): void {
    if (this.caps.length === 0) return
    if (now >= this.dayEnds) this.beginDay(now)
    const most = dearestOf(numbers, (number) => this.plan.spend.mostAt(number, now)) ?? Infinity
    this.calls++
    this.perCall.least = Math.min(this.perCall.least, most)
    this.perCall.most = Math.max(this.perCall.most, most)
    for (const cap of this.caps) {
      // A call that does not fit is counted as used, too: the dialler passes over none, so none after it is covered.
      cap.used += most
      cap.needed = Math.max(cap.needed, cap.used)
      if (cap.used <= cap.planned.limit) cap.covers++
    }
  }

  reports(): ReadonlyArray<PreflightSpendCap> {
    return this.caps.map((counted) => {
      const { cap, limit, reserved, spent, unpriced } = counted.planned
      const figures = {
        limit: amountOf(limit),
        spent: amountOf(spent),
        reserved: amountOf(reserved),
        currency,
      } as const
      return unpriced === null
        ? { cap, ...figures, ...this.coverage(counted) }
        : { cap, ...figures, covers: null, reserved_per_call: null, needed: null, warning: unpriced }
    })
  }

  private coverage({ covers, needed, planned }: CountedCap) {
    const { calls, perCall } = this
    if (calls === 0) return { covers, reserved_per_call: null, needed: amountOf(needed), warning: null }
    const reserved_per_call = { least: amountOf(perCall.least), most: amountOf(perCall.most) }
    const coverage = { covers, reserved_per_call, needed: amountOf(needed) }
    return { ...coverage, warning: covers < calls ? warningOf(planned, calls, coverage) : null }
  }

  private beginDay(now: number): void {
    this.dayEnds = nextDay(this.plan.account.time_zone, now)
    for (const cap of this.caps) if (cap.planned.cap === "daily_spend_cap") cap.used = 0
  }
}

interface Coverage {
  readonly covers: number
  readonly reserved_per_call: { readonly least: string; readonly most: string }
  readonly needed: string
}

const warningOf = (
  { cap, limit, reserved, spent }: PlannedCap,
  calls: number,
  { covers, needed, reserved_per_call: { least, most } }: Coverage,
): string => {
  const used = spent + reserved
  const each = least === most ? most : `${least} to ${most}`
  const coverage = `${covers} of ${calls} calls, at ${each} ${currency} reserved for each`
  const toDo = "or shorten the agent's max_call_seconds."
  if (cap === "max_spend") {
    const left = amountOf(Math.max(0, limit - used))
    return `What is left of max_spend, ${left} ${currency}, covers at least ${coverage}. Calls that cost less leave more. To cover all of them in any case, raise max_spend to ${needed} ${toDo}`
  }
  const held = used === 0 ? "" : `, of which ${amountOf(used)} are spent or reserved today`
  return `The account's daily_spend_cap of ${amountOf(limit)} ${currency}${held}, covers at least ${coverage}, each on its day; the others may wait for the next day. Other calls of the account take from it, too. To cover all of them in any case, let a platform administrator raise the cap to ${needed} ${toDo}`
}
