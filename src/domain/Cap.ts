/** The cost caps of an account: concurrent calls, calls a minute, calls a day (spec §7, §8; decisions §5). */
import { Schema } from "effect"
import { limitFields } from "./Refusals.ts"

export const Cap = Schema.Literals(["concurrent_cap", "per_minute_cap", "daily_cap"])
export type Cap = typeof Cap.Type

/**
 * How much of a cap is used, and when a place becomes free. For `concurrent_cap` the time is only a suggestion when to
 * ask again.
 */
export interface CapUsage {
  readonly used: number
  readonly limit: number
  readonly resets_at: Date
}

/** How many calls may begin now, and which cap holds back the others. */
export interface Admission {
  readonly admitted: number
  /** The cap that stopped the other calls; null if all were admitted. */
  readonly stopped_by: Cap | null
  readonly usage: Record<Cap, CapUsage>
  /** The database's clock, while the budget was locked. */
  readonly now: Date
}

/** In the order of how long a cap holds back calls once it is reached, longest first. */
const caps: ReadonlyArray<Cap> = [
  "daily_cap", // guard: no call is admitted beyond calls_per_day (I9)
  "per_minute_cap", // guard: no call is admitted beyond calls_per_minute (I9)
  "concurrent_cap", // guard: no call is admitted beyond concurrent_max (I3)
]

/** The cap that leaves the fewest places, and how many it leaves. Among equal ones, the cap that holds longest. */
const scarcest = (usage: Record<Cap, CapUsage>) => {
  let found: { readonly cap: Cap; readonly places: number } = { cap: "daily_cap", places: Infinity }
  for (const cap of caps) {
    const places = Math.max(0, usage[cap].limit - usage[cap].used)
    if (places < found.places) found = { cap, places }
  }
  return found
}

/** The number of calls that may begin now, of all campaigns together. */
export const placesOf = (usage: Record<Cap, CapUsage>): number => scarcest(usage).places

/** How many of `wanted` calls the caps let begin. */
export const admission = (wanted: number, usage: Record<Cap, CapUsage>, now: Date): Admission => {
  const { cap, places } = scarcest(usage)
  return places < wanted
    ? { admitted: places, stopped_by: cap, usage, now }
    : { admitted: wanted, stopped_by: null, usage, now }
}

/**
 * Lowers an admission to `calls`, because the account leaves the other places to other campaigns. The scarcest cap then
 * counts as the one that stopped the rest.
 */
export const limitAdmission = (admission: Admission, calls: number): Admission =>
  calls < admission.admitted ? { ...admission, admitted: calls, stopped_by: scarcest(admission.usage).cap } : admission

/** A direct call was refused because a cap is reached: a 429 (spec §7). A campaign waits instead. */
export class CapReached extends Schema.TaggedError<CapReached>()("CapReached", {
  code: Cap.annotate({ description: "The cap that was reached." }),
  ...limitFields,
  /** Widget and inbound calls may use only a part of the cap; the rest is left to outbound calls. */
  share_of: Schema.optionalKey(Schema.Literals(["widget", "inbound"])).annotate({
    description: "The kind of call whose share of the cap is used up. Absent if the whole cap is.",
  }),
}) {
  override get message() {
    if (this.share_of === "widget") {
      return `Widget conversations already use all ${this.limit} concurrent calls that they may have in this account`
    }
    if (this.share_of === "inbound") {
      return `Incoming phone calls already use all ${this.limit} concurrent calls that they may have in this account`
    }
    const what = {
      concurrent_cap: "concurrent calls",
      per_minute_cap: "calls in 60 seconds",
      daily_cap: "calls today",
    }[this.code]
    return `The account has used ${this.used} of its ${this.limit} ${what}`
  }
}

/** The refusal of a call that cannot wait; null if the caps let it begin. */
export const capReachedIn = ({ stopped_by, usage }: Admission): CapReached | null => {
  if (stopped_by === null) return null
  const { limit, resets_at, used } = usage[stopped_by]
  return new CapReached({ code: stopped_by, limit, used, resets_at })
}

/** How many of the account's `concurrent_max` calls may be of a kind that has a share of `percent`; at least one. */
export const shareOf = (concurrentMax: number, percent: number): number =>
  Math.max(1, Math.floor((concurrentMax * percent) / 100))
