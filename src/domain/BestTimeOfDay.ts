/**
 * Retries in the part of the day in which people answer most (decision 0088): first by the number's own calls, then by
 * the calls of all campaigns of the account, and otherwise in rotation (TimeOfDay).
 */
import type { CallingWindow } from "./CallingWindow.ts"
import { DayPart, dayPartAt, openingsAt, type PartOpening } from "./DayParts.ts"
import { leastTried, type PartGrounds, type MovedRetry, type Retry } from "./TimeOfDay.ts"

/** Calls that reached a phone, and those of them that a person answered. A type, because an interface is not JSON. */
export type AnsweredOf = { readonly rang: number; readonly answered: number }
/** Parts without calls may be absent. */
export type CallsByPart = Readonly<Partial<Record<DayPart, AnsweredOf>>>

/** Calls of the last so many days count, of the account and of a number. */
export const answerDays = 90
/** Of a number, its last so many calls. */
export const callsOfNumber = 20

/**
 * The account's calls decide once two parts have so many calls each. The share of a part with 100 calls is known to
 * about four percentage points, which is less than what parts usually differ by.
 */
const leastCalls = 100
/** Each part's share is that of its own calls and of 50 calls that are answered like those of the whole account. */
const priorCalls = 50
/**
 * The number's own calls count as if it had been called twice before in each part, and had answered as people of the
 * account do. So an attempt without an answer lowers a part by a third.
 */
const priorAttempts = 2
/** A part is the number's own as long as it answered one in so many of the calls in that part. */
const oneIn = 3

export interface PastCall {
  /** When the call began, in milliseconds. */
  readonly at: number
  readonly answered: boolean
}

export interface RetryWithPast extends Retry {
  /** The number's calls of all campaigns that reached its phone. */
  readonly past: ReadonlyArray<PastCall>
}

/** Where a retry goes, and by which calls. */
export interface BestGrounds extends PartGrounds {
  readonly because: "person" | "account" | "rotation"
  /** The number's own calls by part. */
  readonly number: CallsByPart
  /** The account's. */
  readonly account: CallsByPart
}

export interface BestPart {
  readonly grounds: BestGrounds
  /** Null if the part is open now. */
  readonly put: (BestGrounds & MovedRetry) | null
}

/**
 * Returns a function that chooses the part of the day for a retry that is due at `now`, among the parts with hours of
 * the calling window within a week. It returns null if no part can be named: no part opens, the time zone is unknown,
 * or neither attempts nor answers are known.
 */
export const bestPartAt = (window: CallingWindow | null, account: CallsByPart, now: Date) => {
  const openingsIn = openingsAt(window, now)
  const shareIn = isTelling(account) ? shares(account) : undefined
  return ({ attempts, past, zones }: RetryWithPast): BestPart | null => {
    const [zone] = zones
    if (zone === undefined) return null
    const openings = openingsIn(zones)
    const number = countByPart(past, zone)
    const tried = attempts.map((at) => dayPartAt(zone, at))
    const chosen = byPerson(openings, number) ?? byAccount(openings, number, shareIn) ?? inRotation(openings, tried)
    if (chosen === undefined) return null
    const grounds = { part: chosen.part, zone, because: chosen.because, tried, number, account }
    const put = chosen.at <= now.getTime() ? null : { until: new Date(chosen.at).toISOString(), ...grounds }
    return { grounds, put }
  }
}

interface Chosen extends PartOpening {
  readonly because: BestGrounds["because"]
}

const callsIn = (calls: CallsByPart, part: DayPart): AnsweredOf => calls[part] ?? { rang: 0, answered: 0 }

const byPerson = (openings: ReadonlyArray<PartOpening>, number: CallsByPart): Chosen | undefined => {
  const own = openings.filter(({ part }) => {
    const { answered, rang } = callsIn(number, part)
    return answered > 0 && answered * oneIn >= rang
  })
  const best = highest(own, (part) => share(callsIn(number, part), priorAttempts, 1 / 2))
  return best && { ...best, because: "person" }
}

const byAccount = (
  openings: ReadonlyArray<PartOpening>,
  number: CallsByPart,
  shareIn: ((part: DayPart) => number) | undefined,
): Chosen | undefined => {
  if (shareIn === undefined) return undefined
  const best = highest(openings, (part) => share(callsIn(number, part), priorAttempts, shareIn(part)))
  return best && { ...best, because: "account" }
}

const inRotation = (openings: ReadonlyArray<PartOpening>, tried: ReadonlyArray<DayPart>): Chosen | undefined => {
  const first = tried.length === 0 ? undefined : leastTried(openings, tried)
  return first && { ...first, because: "rotation" }
}

/** The opening with the highest value, and among equal ones the first in time. */
const highest = (openings: ReadonlyArray<PartOpening>, valueOf: (part: DayPart) => number): PartOpening | undefined =>
  openings.toSorted((a, b) => valueOf(b.part) - valueOf(a.part) || a.at - b.at)[0]

/** The mean of a Beta distribution: these calls, and `prior` others of which the share `expected` was answered. */
const share = ({ answered, rang }: AnsweredOf, prior: number, expected: number): number =>
  (answered + prior * expected) / (rang + prior)

const isTelling = (account: CallsByPart): boolean =>
  DayPart.literals.filter((part) => callsIn(account, part).rang >= leastCalls).length >= 2

const shares = (account: CallsByPart) => {
  const sum = (of: keyof AnsweredOf) => DayPart.literals.reduce((total, part) => total + callsIn(account, part)[of], 0)
  const mean = sum("answered") / sum("rang")
  return (part: DayPart) => share(callsIn(account, part), priorCalls, mean)
}

const countByPart = (past: ReadonlyArray<PastCall>, zone: string): CallsByPart => {
  const counts: Partial<Record<DayPart, AnsweredOf>> = {}
  for (const { answered, at } of past) {
    const part = dayPartAt(zone, at)
    const before = callsIn(counts, part)
    counts[part] = { rang: before.rang + 1, answered: before.answered + (answered ? 1 : 0) }
  }
  return counts
}
