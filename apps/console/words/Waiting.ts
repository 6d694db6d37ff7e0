/** Why a campaign does not dial now, in words: the reason, and what happens next. */
import type { Outputs } from "../data/AccountPulse.ts"
import { count, counted } from "./Figures.ts"
import { clock, duration, placeOf, planned, secondsBetween } from "./Times.ts"

export type Snapshot = Pick<
  Outputs["campaigns"]["get"],
  "status" | "waiting_for" | "counts" | "max_concurrent_calls"
> & {
  readonly active_calls: number
  readonly missing_price?: string | undefined
  readonly spend?: Money | undefined
  readonly daily_spend?: Money | undefined
  readonly waiting: {
    readonly per_minute: Usage
    readonly per_day: Usage
    readonly budget: Usage
    readonly slots: Usage
    readonly window: { readonly open: number; readonly closed: number; readonly next_open_at: string | null }
    readonly retries: { readonly due: number; readonly waiting: number; readonly next_at: string | null }
    readonly callbacks: { readonly due: number; readonly waiting: number; readonly next_at: string | null }
  }
  readonly caller_numbers?: CallerNumbers
}

interface CallerNumbers {
  readonly total: number
  readonly resting: number
  readonly at_daily_limit: number
  readonly next_at: string | null
}

interface Money {
  readonly spent: string
  readonly reserved: string
  readonly limit: string
}

const leftOf = ({ limit, reserved, spent }: Money) => Number(limit) - Number(spent) - Number(reserved)

/** Whether the account's daily cap leaves less than the campaign's own cap. */
export const isHeldByDay = ({ daily_spend, spend }: Pick<Snapshot, "daily_spend" | "spend">) =>
  daily_spend !== undefined && (spend === undefined || leftOf(daily_spend) < leftOf(spend))

interface Usage {
  readonly used: number
  readonly limit: number
}

export interface Why {
  readonly first: string
  readonly second: string
}

export const whyItWaits = (
  snapshot: Snapshot,
  now: Date,
  zone: string,
  /** When the account's next call may begin. Null if it may begin now. */
  minuteFreesAt: string | null = null,
): Why => {
  const { active_calls, max_concurrent_calls, status, waiting, waiting_for } = snapshot
  const at = (moment: string | null) => (moment === null ? "later" : `at ${clock(new Date(moment), zone)}`)
  switch (waiting_for) {
    case "concurrent_cap":
      return {
        first: `The account's ${count(waiting.budget.limit)} calls are all in use.`,
        second: "The next call starts when one of them ends.",
      }
    case "per_minute_cap":
      return {
        first: `${count(waiting.per_minute.limit)} calls a minute are used up.`,
        second:
          minuteFreesAt === null
            ? "Dialling continues within the minute."
            : `Next call in ${Math.max(1, Math.ceil(secondsBetween(now, new Date(minuteFreesAt))))} s.`,
      }
    case "daily_cap":
      return {
        first: `Today's ${count(waiting.per_day.limit)} calls are used up.`,
        second: `Dialling continues at midnight in ${placeOf(zone)}.`,
      }
    case "caller_number":
      return {
        first: "None of the campaign's numbers may call now.",
        second: whenNumbersCall(snapshot.caller_numbers, now, zone),
      }
    case "rule":
      return {
        first: "A rule of the campaign's packs puts off each contact that is left.",
        second: "Each contact's page names the rule, and the time from which it permits the call.",
      }
    case "time_of_day":
      return {
        first: "Everyone left is waiting for a retry at another time of the day.",
        second: "Each contact's page says when it is called.",
      }
    case "quiet_period":
      return {
        first: "Everyone left answered a call too recently.",
        second: "Each contact's page names that call, and the time from which they may be called.",
      }
    case "spend_cap":
      if (snapshot.missing_price !== undefined) {
        return {
          first: "A price is missing, so Parley cannot keep the limit on spending.",
          second: snapshot.missing_price,
        }
      }
      if (isHeldByDay(snapshot)) {
        return {
          first: "What the account may still spend today doesn't cover the next call.",
          second: `Dialling continues at midnight in ${placeOf(zone)}, or when calls end cheaper than planned.`,
        }
      }
      return {
        first: "What is left to spend doesn't cover the next call.",
        second:
          active_calls === 0
            ? "Raise the campaign's limit to continue."
            : "Calls that end cheaper than planned free some of it. Raise the limit to continue.",
      }
    case "calling_window": {
      const next = waiting.window.next_open_at
      return {
        first: "It is outside calling hours for everyone left.",
        second:
          next === null
            ? `${counted(waiting.window.closed, "contact waits", "contacts wait")}.`
            : `Opens ${planned(new Date(next), now, zone)} for ${counted(waiting.window.closed, "contact")}.`,
      }
    }
    case "budget":
      return {
        first: `Needs ${counted(max_concurrent_calls, "slot")}, ${slotsLeft(waiting.budget.limit - waiting.budget.used)} left.`,
        second: `Starts automatically when ${slotsLeft(max_concurrent_calls)} free.`,
      }
    case "retry_delay":
      return {
        first: "Everyone left is waiting for a retry.",
        second: `${counted(waiting.retries.waiting, "contact")}, the next ${at(waiting.retries.next_at)}.`,
      }
    case "callback":
      return {
        first: "Everyone left asked to be called back.",
        second: `${counted(waiting.callbacks.waiting, "callback")}, the next ${
          waiting.callbacks.next_at === null ? "later" : planned(new Date(waiting.callbacks.next_at), now, zone)
        }.`,
      }
    case "carrier":
      return {
        first: "The carrier failed so many calls that the campaign was paused.",
        second: "Check the number's credentials, then resume.",
      }
    case "restored":
      return {
        first: "The account was restored from a backup.",
        second: "It dials again when a platform administrator reactivates the account.",
      }
    default:
      if (status === "paused") return { first: "Paused.", second: stillOn(active_calls) }
      if (active_calls >= max_concurrent_calls) {
        return { first: "Every slot is in use.", second: "The next call starts when one ends." }
      }
      return { first: "Dialling.", second: `${counted(max_concurrent_calls - active_calls, "slot")} free right now.` }
  }
}

/** "2 of 3 rest, 1 has had its calls of today. The next may call today at 4:00 PM." */
const whenNumbersCall = (numbers: CallerNumbers | undefined, now: Date, zone: string): string => {
  if (numbers === undefined) return "Its page under Phone numbers says why."
  const { at_daily_limit, next_at, resting, total } = numbers
  const states = [
    ...(resting > 0 ? [`${count(resting)} of ${count(total)} rest`] : []),
    ...(at_daily_limit > 0 ? [`${count(at_daily_limit)} of ${count(total)} have had their calls of today`] : []),
  ]
  const seen = states.length === 0 ? "They keep their seconds between calls." : `${states.join(", ")}.`
  return next_at === null
    ? `${seen} End a rest under Phone numbers to continue.`
    : `${seen} The next may call ${planned(new Date(next_at), now, zone)}.`
}

const slotsLeft = (slots: number) => (slots === 1 ? "1 is" : `${count(Math.max(0, slots))} are`)

const stillOn = (calls: number) => (calls === 0 ? "No calls in progress." : `${counted(calls, "call")} in progress.`)

/** "in 2 h 28 min". */
export const inTime = (at: Date, now: Date): string => `in ${duration(secondsBetween(now, at))}`
