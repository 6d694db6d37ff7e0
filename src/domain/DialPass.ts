/**
 * One pass of a campaign's dialler as two pure functions. `allowance` says how many calls may begin and how many
 * contacts to look at; `plan` says what to do with each of them, what to leave to other campaigns, and when to look
 * again. The dialler runs them on what it has read under the budget's lock, a preflight on virtual time.
 */
import type { CallingWindow } from "./CallingWindow.ts"
import type { WaitingFor } from "./Campaign.ts"
import { type Admission, admission, type Cap, type CapUsage, placesOf, limitAdmission } from "./Cap.ts"
import {
  choose,
  type Decided,
  type DialFacts,
  type JudgeRules,
  type PlaceRetry,
  type TimedWait,
} from "./DialDecision.ts"
import { batchOf, type Pace, waitingFor, callsWanted } from "./DialPlan.ts"
import { grant, type Standing } from "./FairShare.ts"
import { holds, nextInMs, type NumberPace } from "./NumberPace.ts"

/** What a pass knows of a running campaign and its account before it looks at contacts. */
export interface PassFacts {
  readonly id: string
  readonly pace: Pace
  /**
   * Milliseconds until the campaign's own limit per minute has a place; null if it has one now, or if the time is
   * unknown.
   */
  readonly minute_frees_in_ms: number | null
  readonly usage: Record<Cap, CapUsage>
  readonly numberPace: NumberPace
  /** The number of calls that all processes together can still take on. */
  readonly room: number
  /** The account's running campaigns, including this one. */
  readonly standings: ReadonlyArray<Standing>
  readonly window: CallingWindow | null
  /** Whether the campaign has rule packs, which may refuse many contacts. */
  readonly has_rules?: boolean
  /** Whether a quiet period after answered calls, or the time of day, may put contacts off. */
  readonly puts_off?: boolean
  /** Whether contacts without a consent are skipped. */
  readonly requires_consent: boolean
  /** Whether contacts may have to wait for one of several numbers while the others are free. */
  readonly has_pool?: boolean
  /** What the campaign waited for after the previous pass. */
  readonly waiting_for: WaitingFor | null
  readonly now: Date
}

export interface Allowance {
  /** Calls that may begin. */
  readonly calls: number
  /** Contacts to look at for them. */
  readonly contacts: number
  /** What the campaign's own limits leave. */
  readonly own: ReturnType<typeof callsWanted>
  /** What the account's caps leave of that, minus the share of other campaigns; null if nothing is wanted. */
  readonly admission: Admission | null
  /** The campaign's round in the fair share of the running campaigns (FairShare.ts). */
  readonly round: number
  /** Whether the campaign may begin more calls, and only the room of the processes keeps it from that. */
  readonly is_full: boolean
}

/** A pass looks at least at this many contacts if a window, rules, a wait, a consent or a pool may rule out many. */
const leastLookedAt = 500

export const allowance = ({
  has_pool = false,
  has_rules = false,
  id,
  now,
  numberPace,
  pace,
  puts_off = false,
  requires_consent,
  room,
  standings,
  usage,
  window,
}: PassFacts): Allowance => {
  const own = callsWanted(pace)
  const asked = Math.min(own.calls, numberPace.free)
  const admitted = asked === 0 ? null : admission(asked, usage, now)
  const wish = { id, calls: own.calls, number_places: numberPace.free }
  const share = grant(wish, admitted === null ? 0 : placesOf(usage), standings)
  const shared = admitted === null ? null : limitAdmission(admitted, share.by_caps)
  const permitted = Math.min(shared?.admitted ?? 0, share.by_number)
  const calls = Math.min(permitted, room)
  const rulesOut = window !== null || has_rules || has_pool || puts_off || requires_consent
  const contacts = calls === 0 || !rulesOut ? calls : Math.max(calls, leastLookedAt)
  return { calls, contacts, own, admission: shared, round: share.round, is_full: calls < permitted }
}

/** A contact that a pass looks at. */
export interface PassContact extends DialFacts {
  /** Whether the contact was never dialled or put off. */
  readonly fresh: boolean
}

/** The contacts of a campaign that are due, and what is known of the others. */
export interface PassContacts<C extends PassContact> {
  /**
   * The due contacts, in order, and at most as many as the allowance permits. The plan stops reading when no further
   * call may begin.
   */
  readonly candidates: Iterable<C>
  /** Whether more contacts are due after the first `looked` candidates. */
  readonly hasMore: (looked: number) => boolean
  /** What is known of the contacts that are not candidates. Called after all candidates were read, and only then. */
  readonly upcoming: () => Upcoming
  /** The time zones that the called party may be in. */
  readonly zonesOf: (contact: C) => ReadonlyArray<string>
  /** Where a retry that is due goes in the day; absent if the campaign leaves that open. */
  readonly anotherPart?: PlaceRetry<C> | undefined
  /** What rule packs and window say; absent without packs. */
  readonly rules?: JudgeRules<C> | undefined
  /** Whether a call to this number is live (I1). */
  readonly inCall: (phone_number: string) => boolean
  /** Takes one of the pool's numbers for a contact (`DialDecision.Circumstances`). */
  readonly takeCaller?: ((contact: C) => boolean) | undefined
  /** The contact with each of its person's other numbers (`DialDecision.Circumstances`). */
  readonly othersOf?: ((contact: C) => ReadonlyArray<C>) | undefined
}

export interface Upcoming {
  /** Whether some due contacts wait only because their number is in a call. */
  readonly behind_calls: boolean
  /** The next contact that becomes due, among those that wait for a time. */
  readonly timed: { readonly due_at: Date; readonly waits_for: TimedWait } | null
}

export interface PassPlan<C> {
  /** The verdict on each contact that was looked at. */
  readonly decided: ReadonlyArray<Decided<C>>
  /** The contacts among them that are dialled. */
  readonly dialled: ReadonlyArray<C>
  /** What the allowances of other campaigns need to know of this pass. */
  readonly share: {
    readonly round: number
    readonly begun: number
    /**
     * The number of calls that the campaign would have begun in addition if the caps and its number's pace had left
     * places.
     */
    readonly wants: number
    readonly wants_of_number: number
  }
  readonly waiting_for: WaitingFor | null
  /** Whether no contact is due: the campaign has nothing to do until something changes. */
  readonly quiet: boolean
  /**
   * Milliseconds until the next pass; 0 means at once. Null if nothing that the campaign waits for has a known time.
   */
  readonly next_ms: number | null
}

export const plan = <C extends PassContact>(
  facts: PassFacts,
  { admission, calls, is_full, own, round }: Allowance,
  { anotherPart, candidates, hasMore, inCall, othersOf, rules, takeCaller, upcoming, zonesOf }: PassContacts<C>,
): PassPlan<C> => {
  const { now, window } = facts
  const decided = choose(candidates, calls, {
    status: "running",
    window,
    zonesOf,
    anotherPart,
    rules,
    inCall,
    takeCaller,
    othersOf,
    now,
  })
  const dialled = decided.flatMap(({ contact, verdict }) => (verdict._tag === "Dial" ? [contact] : []))
  const begun = dialled.length
  const passed = (wanted: number) => ({ decided, dialled, share: shareOf(facts, round, begun, wanted) })
  const waitsFor = (due: boolean, next: Upcoming["timed"]) =>
    waitingFor({ own: own.stopped_by, admission, begun, due, next })

  // Contacts were skipped or put off: others may follow them, or the campaign may be finished.
  if (begun < calls && decided.some(hasMoved)) {
    return { ...passed(own.calls - begun), waiting_for: facts.waiting_for, quiet: false, next_ms: 0 }
  }

  // The campaign wants more calls only if it began all that it was allowed. If the processes are full, it wants none:
  // no other campaign can leave it room.
  const wanted = begun === calls && !is_full ? own.calls - begun : 0
  if (hasMore(decided.length)) {
    const next_ms = untilAnother(facts, admission, begun)
    return { ...passed(wanted), waiting_for: waitsFor(true, null), quiet: false, next_ms }
  }

  const { behind_calls, timed } = restOf(decided, upcoming())
  return {
    ...passed(behind_calls ? wanted : 0),
    waiting_for: waitsFor(behind_calls, timed),
    quiet: !behind_calls,
    next_ms: timed === null ? null : Math.max(0, timed.due_at.getTime() - now.getTime()),
  }
}

/** `wanted`: the calls that the campaign would have begun in addition. */
const shareOf = (
  { numberPace }: PassFacts,
  round: number,
  begun: number,
  wanted: number,
): PassPlan<never>["share"] => ({
  round,
  begun,
  wants: holds(numberPace, begun) ? 0 : Math.min(wanted, numberPace.free),
  wants_of_number: numberPace.calls_per_second === null ? 0 : wanted,
})

/** The contacts that still wait once the results of the pass are written. */
const restOf = <C>(decided: ReadonlyArray<Decided<C>>, { behind_calls, timed }: Upcoming): Upcoming => {
  let next = timed
  let isBehind = behind_calls
  for (const { verdict } of decided) {
    if (verdict._tag !== "Wait") continue
    const { reason, until } = verdict
    if (until === null) isBehind = true
    else if (next === null || until < next.due_at) {
      next = { due_at: until, waits_for: reason }
    }
  }
  return { behind_calls: isBehind, timed: next }
}

const hasMoved = <C extends PassContact>({ contact, verdict }: Decided<C>): boolean =>
  verdict._tag === "Skip" || (verdict._tag === "Wait" && (verdict.until !== null || contact.fresh))

/**
 * Milliseconds to wait if the caps leave places that belong to another campaign by its round. Either that campaign
 * takes them at once, or its dialler is dead.
 */
const othersTurnMs = 200

/**
 * Milliseconds until another call may begin, if contacts are due and only a place is missing: the longest wait of the
 * limits that hold the campaign back. Null if the wait for one of them is unknown. The wait for a slot always is, since
 * nothing tells when a call will end.
 */
const untilAnother = (
  { minute_frees_in_ms, numberPace, pace }: PassFacts,
  admission: Admission | null,
  begun: number,
): number | null => {
  const after = { ...pace, active_calls: pace.active_calls + begun, last_minute: pace.last_minute + begun }
  const own = callsWanted(after)
  if (own.calls === 0 && own.stopped_by === null) return null
  // The batch was full, and the limits leave room for another.
  if (own.calls > 0 && begun === batchOf(pace)) return 0
  const times = [
    ...(own.calls === 0 ? [minute_frees_in_ms] : []),
    ...(holds(numberPace, begun) ? [nextInMs(numberPace, begun)] : []),
    ...(admission === null || admission.stopped_by === null
      ? []
      : [untilFreed(admission, admission.stopped_by, begun)]),
  ]
  const known = times.filter((ms) => ms !== null)
  return known.length < times.length || known.length === 0 ? null : Math.max(1, ...known)
}

const untilFreed = ({ now, usage }: Admission, cap: Cap, begun: number): number | null => {
  const { limit, resets_at, used } = usage[cap]
  if (used + begun < limit) return othersTurnMs
  return cap === "concurrent_cap" ? null : resets_at.getTime() - now.getTime()
}
