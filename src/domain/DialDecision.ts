/**
 * Whether a contact may be dialled now, and if not, until when and why: the rules that the dialler, a preflight and the
 * tests share. How many calls may begin is decided in DialPlan; what is recorded of a decision, in DialRecord.
 */
import { Schema } from "effect"
import { linesOf, type Reachable } from "./AdditionalNumbers.ts"
import { type CallingWindow, type Verdict, verdictsAt, zonesIn } from "./CallingWindow.ts"
import type { CampaignStatus } from "./Campaign.ts"
import type { SkipReason } from "./Contact.ts"
import type { AppliedRule, RuleVerdict } from "./Rules.ts"
import type { MovedRetry } from "./TimeOfDay.ts"

/** Reasons to wait that end at a known time. */
export const TimedWait = Schema.Literals([
  "retry_delay",
  "calling_window",
  "callback",
  "rule",
  "quiet_period",
  "time_of_day",
])
export type TimedWait = (typeof TimedWait)["Type"]

/** The facts about a pending contact that the rules need. */
export interface DialFacts extends Reachable {
  /** The number of attempts, ended and live. */
  readonly attempts: number
  /** The earliest time of the next dial. Null for a contact that was never put off. */
  readonly due_at: Date | null
  readonly waits_for: TimedWait | null
  /** Whether the number is on the do-not-call list at this moment. */
  readonly suppressed: boolean
  /** Whether the campaign requires a consent that the number does not have at this moment. */
  readonly lacks_consent: boolean
  /** When the quiet period after the last answered call ends; null if the campaign has none, or for a callback. */
  readonly quiet_until: Date | null
}

/** Facts that all contacts of a campaign share at one moment. */
export interface Circumstances<C extends DialFacts> {
  readonly status: CampaignStatus
  readonly window: CallingWindow | null
  /** Candidate time zones of the called party. Empty means unknown, and a window then refuses the call. */
  readonly zonesOf: (contact: C) => ReadonlyArray<string>
  /** What the campaign's rule packs and its window say together. Absent if it has no packs. */
  readonly rules?: JudgeRules<C> | undefined
  /** Where a retry that is due goes in the day. Absent if the campaign leaves that open. */
  readonly anotherPart?: PlaceRetry<C> | undefined
  /** Whether a call to this number is live (I1). */
  readonly inCall: (phone_number: string) => boolean
  /** Takes a caller number for a contact that is dialled, and returns whether one may call it now. Absent without a pool. */
  readonly takeCaller?: ((contact: C) => boolean) | undefined
  /** The contact with each of its person's other numbers, in the order in which they are tried. Absent without any. */
  readonly othersOf?: ((contact: C) => ReadonlyArray<C>) | undefined
  readonly now: Date
}

export type PlaceRetry<C> = (contact: C) => MovedRetry | null
export type JudgeRules<C> = (contact: C) => RuleVerdict

export type DialVerdict =
  | { readonly _tag: "Dial" }
  | {
      readonly _tag: "Wait"
      readonly reason: TimedWait
      readonly until: Date
      /** For the reason `rule`: the rule that refuses now. */
      readonly rule?: AppliedRule
      /** For the reason `time_of_day`: why. */
      readonly time_of_day?: MovedRetry
    }
  /** The wait ends with a change whose time is unknown. */
  | { readonly _tag: "Wait"; readonly reason: "not_running" | "in_call" | "caller_number"; readonly until: null }
  | {
      readonly _tag: "Skip"
      readonly reason: Exclude<SkipReason, "erased" | "withdrawn" | "final_disposition">
      readonly rule?: AppliedRule
    }

/**
 * The window that applies to a campaign: its own, otherwise the account's. Without either, calls are allowed at any
 * hour.
 */
export const windowOf = (
  campaign: { readonly calling_window: CallingWindow | null },
  account: { readonly calling_window: CallingWindow | null },
): CallingWindow | null => campaign.calling_window ?? account.calling_window

/**
 * Returns the function that decides on one contact under these circumstances. Its checks run in order and the first
 * reason counts: a contact whose time has not come is not checked further.
 */
export const decide = <C extends DialFacts>({
  anotherPart,
  inCall,
  now,
  rules,
  status,
  window,
  zonesOf,
}: Circumstances<C>) => {
  // The rules are judged together with the window.
  const say = window === null || rules !== undefined ? null : verdictsAt(window, now)
  return (contact: C): DialVerdict =>
    byStatus[status] ??
    byDueTime(contact, now) ?? // guard: a contact is not dialled before its time has come (I5)
    (contact.suppressed ? onTheList : null) ?? // guard: a number on the do-not-call list is not dialled (I12)
    (contact.lacks_consent ? withoutConsent : null) ?? // guard: no dial without a required consent (decision 0077)
    byQuietPeriod(contact, now) ?? // guard: no dial in the quiet period after an answered call (decision 0085)
    (anotherPart === undefined || contact.waits_for !== "retry_delay" ? null : byTimeOfDay(anotherPart(contact))) ??
    // guard: no contact is dialled outside the calling window (I11)
    (window === null || say === null ? null : byWindow(say(zonesIn(window, () => zonesOf(contact))))) ??
    // end of guard
    (rules === undefined ? null : byRules(rules(contact))) ??
    (linesOf(contact).some(inCall) ? inACall : dial)
}

const dial: DialVerdict = { _tag: "Dial" }
const notRunning: DialVerdict = { _tag: "Wait", reason: "not_running", until: null }
const stopped: DialVerdict = { _tag: "Skip", reason: "stopped" }
const onTheList: DialVerdict = { _tag: "Skip", reason: "do_not_call" }
const withoutConsent: DialVerdict = { _tag: "Skip", reason: "no_consent" }
const neverOpen: DialVerdict = { _tag: "Skip", reason: "outside_window" }
const inACall: DialVerdict = { _tag: "Wait", reason: "in_call", until: null }
const withoutCaller: DialVerdict = { _tag: "Wait", reason: "caller_number", until: null }

/** Only a running campaign dials (I7, I8); contacts that wait in an ended campaign are skipped. */
const byStatus: Record<CampaignStatus, DialVerdict | null> = {
  draft: notRunning,
  running: null,
  paused: notRunning,
  completed: stopped,
  failed: stopped,
}

const byDueTime = ({ due_at, waits_for }: DialFacts, now: Date): DialVerdict | null =>
  due_at === null || due_at <= now ? null : { _tag: "Wait", reason: waits_for ?? "retry_delay", until: due_at }

const byQuietPeriod = ({ quiet_until }: DialFacts, now: Date): DialVerdict | null =>
  quiet_until === null || quiet_until <= now ? null : { _tag: "Wait", reason: "quiet_period", until: quiet_until }

/** Moves only the end of the retry delay. If another reason puts the contact off afterwards, it is not moved again. */
const byTimeOfDay = (moved: MovedRetry | null): DialVerdict | null =>
  moved === null ? null : { _tag: "Wait", reason: "time_of_day", until: new Date(moved.until), time_of_day: moved }

const byWindow = (say: Verdict): DialVerdict | null => {
  if (say._tag === "Never") return neverOpen
  return say._tag === "Open" ? null : { _tag: "Wait", reason: "calling_window", until: say.at }
}

const byRules = (say: RuleVerdict): DialVerdict | null => {
  if (say._tag === "Open") return null
  const { by } = say
  if (say._tag === "Never") return by === "window" ? neverOpen : { _tag: "Skip", reason: "rule", rule: by }
  return by === "window"
    ? { _tag: "Wait", reason: "calling_window", until: say.at }
    : { _tag: "Wait", reason: "rule", until: say.at, rule: by }
}

export interface Decided<C> {
  readonly contact: C
  readonly verdict: DialVerdict
}

/**
 * Decides on contacts in order until `free` of them are dialled, and reads no contact beyond that. A number that occurs
 * twice among them is called once; the other contact waits for the end of that call. A number that may never be called
 * is passed over if the person has another one; a contact is skipped only if none of its numbers may be called.
 */
export const choose = <C extends DialFacts>(
  offered: Iterable<C>,
  free: number,
  circumstances: Circumstances<C>,
): ReadonlyArray<Decided<C>> => {
  const decided: Array<Decided<C>> = []
  const chosen = new Set<string>()
  let dialled = 0
  const inCall = (number: string) =>
    chosen.has(number) || // guard: a number that stands twice in a batch is dialled once (I1)
    circumstances.inCall(number)
  const decideOn = decide({ ...circumstances, inCall })
  if (free === 0) return decided
  const { othersOf = () => [], takeCaller = () => true } = circumstances
  for (const first of offered) {
    const { contact, verdict: judged } = firstCallable(first, othersOf, decideOn)
    const verdict = judged._tag === "Dial" && !takeCaller(contact) ? withoutCaller : judged
    decided.push({ contact, verdict })
    if (verdict._tag === "Dial") {
      dialled++
      for (const line of linesOf(contact)) chosen.add(line)
    }
    if (dialled >= free) break
  }
  return decided
}

/** The first number of the person that may be called, now or later. If there is none, why the first one may not. */
const firstCallable = <C extends DialFacts>(
  contact: C,
  othersOf: (contact: C) => ReadonlyArray<C>,
  decideOn: (contact: C) => DialVerdict,
): Decided<C> => {
  const first = { contact, verdict: decideOn(contact) }
  if (first.verdict._tag !== "Skip") return first
  for (const other of othersOf(contact)) {
    const verdict = decideOn(other)
    if (verdict._tag !== "Skip") return { contact: other, verdict }
  }
  return first
}
