/**
 * The numbers that a campaign calls from, and the choice among them for each call (decision 0084). A number that rests
 * or has used up its calls of the day is left out until it may call again; no other number replaces it in the pool.
 * Pure: `campaigns/DialNumbers` reads the facts.
 */
import type { E164 } from "./E164.ts"
import { type NumberPace, spacingSeconds } from "./NumberPace.ts"
import type { PhoneNumberId } from "./PhoneNumber.ts"
import type { Place } from "./Place.ts"

/** A number of the pool at the moment of a dial pass. */
export interface CallerNumber {
  readonly id: PhoneNumberId
  readonly number: E164
  readonly place: Pick<Place, "country" | "state">
  readonly pace: NumberPace
  /** The calls that its limit per day leaves; Infinity without a limit. */
  readonly left_today: number
  /** Milliseconds until its rest ends: 0 if it does not rest, Infinity if only a user ends it. */
  readonly rests_ms: number
  /** Its last call, in milliseconds; -Infinity if it has had none lately. */
  readonly last_at: number
  /** The calls that it began today. The calls of a pass begin at the same moment, so this decides among them. */
  readonly begun_today: number
}

export interface CallerPool {
  readonly numbers: ReadonlyArray<CallerNumber>
  readonly local_presence: boolean
  /** Milliseconds until the next day of the account. */
  readonly tomorrow_ms: number
}

/** What decides how many calls a number may begin. */
type Limited = Pick<CallerNumber, "pace" | "left_today" | "rests_ms">

const freeOf = ({ left_today, pace, rests_ms }: Limited): number =>
  // guard: a number that rests or has had its calls of the day begins none (decision 0084)
  rests_ms > 0 ? 0 : Math.max(0, Math.min(pace.free, left_today))
// end of guard

/** Milliseconds until the number may call. */
const freeInMs = (number: Limited, tomorrow_ms: number): number =>
  Math.max(number.rests_ms, number.left_today > 0 ? 0 : tomorrow_ms, number.pace.free_in_ms)

/** How many calls the pool permits at this moment, as if it were one number. */
export const paceOfPool = ({
  numbers,
  tomorrow_ms,
}: Pick<CallerPool, "tomorrow_ms"> & { readonly numbers: ReadonlyArray<Limited> }): NumberPace => {
  const working = numbers.filter(({ left_today, rests_ms }) => rests_ms === 0 && left_today > 0)
  const rates = working.flatMap(({ pace }) => pace.calls_per_second ?? [])
  const isPaced = working.length > 0 && rates.length === working.length
  return {
    calls_per_second: isPaced ? rates.reduce((sum, rate) => sum + rate, 0) : null,
    free: numbers.reduce((sum, number) => sum + freeOf(number), 0),
    free_in_ms: Math.min(...numbers.map((number) => freeInMs(number, tomorrow_ms))),
  }
}

/** A campaign that has to wait no longer than this for a number dials as fast as it may, and waits for nothing. */
const shortWaitMs = 5_000

/** Whether a campaign waits for one of its numbers to be free. */
export const isHeld = ({ free, free_in_ms }: NumberPace): boolean => free === 0 && free_in_ms > shortWaitMs

export type ChoiceReason = "only_number" | "same_person" | "local_presence" | "least_recently_used"

export interface Choice {
  readonly id: PhoneNumberId
  readonly number: E164
  readonly because: ChoiceReason
}

/** What a choice depends on besides the pool. */
export interface ChoiceFacts<C> {
  /** The number of the pool that called this person first; undefined if none has. */
  readonly earlierOf: (contact: C) => string | undefined
  readonly placeOf: (contact: C) => Pick<Place, "country" | "state">
  /** Whether the rules of the campaign's packs let the contact be called from the number. */
  readonly permits: (contact: C, from_number: string) => boolean
}

export interface Chooser<C> {
  /** Takes a number for a contact that is dialled now. Returns false if none may call it at this moment. */
  readonly take: (contact: C) => boolean
  /** The number that was taken for the contact. */
  readonly choiceOf: (contact: C) => Choice | undefined
}

/** The longest wait for the pace of the number that called a person first. After a longer one, another number calls. */
const longestLoyaltyMs = 60_000

interface Use {
  readonly number: CallerNumber
  left: number
  begun: number
  last: number
}

/**
 * Returns the chooser of a pass. It takes the number that called this person first, otherwise, with local presence, one
 * of the person's state or country, otherwise any; among equals the one whose last call is the longest ago.
 */
export const makeChooser = <C>(
  { local_presence, numbers }: CallerPool,
  { earlierOf, permits, placeOf }: ChoiceFacts<C>,
): Chooser<C> => {
  const uses: ReadonlyArray<Use> = numbers.map((number) => ({
    number,
    left: freeOf(number),
    begun: 0,
    last: number.last_at,
  }))
  const choices = new Map<C, Choice>()
  let latest = Math.max(0, ...uses.map(({ last }) => last))
  const take = (contact: C, use: Use, because: ChoiceReason) => {
    use.left--
    use.begun++
    use.last = ++latest
    choices.set(contact, { id: use.number.id, number: use.number.number, because })
    return true
  }
  return {
    take: (contact) => {
      const usable = uses.filter(({ number }) => permits(contact, number.number))
      const earlier = earlierOf(contact)
      const same = earlier === undefined ? undefined : usable.find(({ number }) => number.id === earlier)
      if (same !== undefined && same.left > 0) return take(contact, same, "same_person")
      if (same !== undefined && isFreeWithin(same, longestLoyaltyMs)) return false
      const there = placeOf(contact)
      let best: Use | undefined
      let nearest = 0
      for (const use of usable) {
        if (use.left === 0) continue
        const near = local_presence ? nearness(use.number.place, there) : 0
        if (best !== undefined && (near < nearest || (near === nearest && !isLessUsed(use, best)))) continue
        best = use
        nearest = near
      }
      if (best === undefined) return false
      if (uses.length === 1) return take(contact, best, "only_number")
      return take(contact, best, nearest > 0 ? "local_presence" : "least_recently_used")
    },
    choiceOf: (contact) => choices.get(contact),
  }
}

/** Whether the last call of `one` is longer ago or, at the same moment, whether it began fewer calls today. */
const isLessUsed = (one: Use, other: Use): boolean =>
  one.last !== other.last ? one.last < other.last : callsOf(one) < callsOf(other)

const callsOf = ({ begun, number }: Use): number => number.begun_today + begun

/** Whether only its pace keeps the number from calling, and for no longer than this. */
const isFreeWithin = ({ begun, number }: Use, ms: number): boolean => {
  const { left_today, pace, rests_ms } = number
  if (rests_ms > 0 || left_today <= begun || pace.calls_per_second === null) return false
  return (begun > 0 ? spacingSeconds(pace.calls_per_second, begun) * 1_000 : pace.free_in_ms) <= ms
}

/** 2 in the same state, 1 in the same country, otherwise 0. */
const nearness = (here: Pick<Place, "country" | "state">, there: Pick<Place, "country" | "state">): number => {
  if (here.country === null || here.country !== there.country) return 0
  return here.state !== null && here.state === there.state ? 2 : 1
}
