/**
 * The record of why a number was dialled, put off or skipped. It has everything that the decision depended on, as it
 * was while the account's budget was locked (decisions §2, `attempt_log.decision`).
 */
import { Schema } from "effect"
import type { Agent } from "./Agent.ts"
import { type CallingWindow, zonesIn } from "./CallingWindow.ts"
import type { ConsentStamp, RequiredConsent } from "./Consent.ts"
import type { Admission } from "./Cap.ts"
import type { DailySpend } from "./DailySpend.ts"
import type { DialFacts, DialVerdict } from "./DialDecision.ts"
import type { Pace } from "./DialPlan.ts"
import type { Party } from "./Rules.ts"
import type { QuietPeriod } from "./QuietPeriod.ts"
import { amountOf } from "./Money.ts"
import type { NumberPace } from "./NumberPace.ts"
import type { RetryByOutcome } from "./RetryByOutcome.ts"
import { attemptsAllowed } from "./Settlement.ts"
import type { BestGrounds } from "./BestTimeOfDay.ts"
import { Timestamp, timestamp } from "./Timestamp.ts"
import { clockText } from "./ZoneClock.ts"

/** What the window's verdict on a contact depended on. */
export interface WindowGrounds<C> {
  readonly window: CallingWindow | null
  readonly required_consent: RequiredConsent | null
  readonly zonesOf: (contact: C) => ReadonlyArray<string>
  /** What the rule packs depended on; absent without packs. */
  readonly rules?: RuleGrounds<C> | undefined
  readonly now: Date
}

/** The packs by which contacts are judged, and where each contact is. */
export interface RuleGrounds<C> {
  /** The packs and their versions. */
  readonly packs: Readonly<Record<string, string>>
  /** The digest of the packs' content (decision 0082). */
  readonly content: string
  readonly partyOf: (contact: C) => Party
}

export interface Grounds<C> extends WindowGrounds<C> {
  readonly agent: Pick<Agent, "id" | "name"> & { readonly revision: number }
  /** The campaign's own version of the agent. */
  readonly agent_version: number | null
  readonly pace: Pace
  readonly numberPace: Pick<NumberPace, "calls_per_second">
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly retry_by_outcome: RetryByOutcome | null
  readonly usage: Admission["usage"]
  /** The campaign's cap on spending and what was spent or reserved of it, in millionths. Null without a cap. */
  readonly spend: { readonly limit: number; readonly committed: number } | null
  /** What the account has spent and reserved today. Null without a `daily_spend_cap`. */
  readonly daily_spend: DailySpend | null
  /** The versions of the data by which the place and the clocks of a number were found. */
  readonly data: { readonly time_zones: string; readonly prefixes: string }
  /** The number that was chosen from a pool, and why. Undefined for a campaign with one number and no limit of it. */
  readonly callerOf?: ((contact: C) => Schema.JsonObject | undefined) | undefined
  /** Why the retry was placed in its part of the day. Undefined unless the campaign chooses the best part. */
  readonly partOf?: ((contact: C) => BestGrounds | undefined) | undefined
}

/** The number that is called, as its position among the person's numbers, from 1. */
export interface NumberChoice {
  readonly position: number
  readonly of: number
  /** The positions of the numbers whose turn it was before and that may not be called. */
  readonly passed_over: ReadonlyArray<number>
}

/** A contact's facts, with its callbacks. */
export interface CalledBack extends DialFacts {
  /** The callbacks that were dialled. */
  readonly callbacks: number
  readonly priority: number
  /** Which of the person's numbers is called; absent if there is only one. */
  readonly number?: NumberChoice | undefined
  /** The time of the outstanding callback, which this dial is; null if it is none. */
  readonly callback_at: Date | null
  /** The consent that the dial is based on; null if the campaign requires none. */
  readonly consent: ConsentStamp | null
}

/** The record of a decision to dial. */
export const dialledBecause = <C extends CalledBack>(contact: C, grounds: Grounds<C>) => ({
  ...callerOn(contact, grounds),
  rule: contact.callback_at !== null ? "callback" : contact.attempts === 0 ? "first_attempt" : "retry",
  attempt: contact.attempts + 1,
  // The retries may have been lowered before the person asked for a callback.
  of: Math.max(
    contact.attempts + 1,
    attemptsAllowed(grounds, contact.callbacks + (contact.callback_at === null ? 0 : 1)),
  ),
  retry_delay_seconds: grounds.retry_delay_seconds,
  ...(grounds.retry_by_outcome === null ? {} : { retry_by_outcome: grounds.retry_by_outcome }),
  ...(contact.priority === 0 ? {} : { priority: contact.priority }),
  ...(contact.number === undefined ? {} : { number: { ...contact.number } }),
  due_at: contact.due_at?.toISOString() ?? null,
  waited_for: contact.waits_for,
  ...partOn(contact, grounds),
  ...(contact.quiet_until === null ? {} : { quiet_until: contact.quiet_until.toISOString() }),
  slots: { used: grounds.pace.active_calls, limit: grounds.pace.max_concurrent_calls },
  campaign_minute: { used: grounds.pace.last_minute, limit: grounds.pace.max_calls_per_minute },
  number_pace: { calls_per_second: grounds.numberPace.calls_per_second },
  ...capsOn(grounds),
  ...(grounds.spend === null
    ? {}
    : { spend: { used: amountOf(grounds.spend.committed), limit: amountOf(grounds.spend.limit) } }),
  window: windowOn(contact, grounds),
  ...(grounds.rules === undefined ? {} : { rules: rulesOn(contact, grounds, grounds.rules) }),
  do_not_call: false,
  ...(grounds.required_consent === null
    ? {}
    : { required_consent: grounds.required_consent, consent: contact.consent }),
  agent: { id: grounds.agent.id, name: grounds.agent.name, revision: grounds.agent.revision },
  agent_version: grounds.agent_version,
  data: grounds.data,
  decided_at: grounds.now.toISOString(),
})

/** The account's caps and its spending of today, as they were before the call. */
export const capsOn = ({ daily_spend, usage }: Pick<Grounds<never>, "daily_spend" | "usage">) => ({
  caps: Object.fromEntries(Object.entries(usage).map(([cap, { limit, used }]) => [cap, { used, limit }])),
  ...(daily_spend === null ? {} : { daily_spend: dayOf(daily_spend) }),
})

const dayOf = ({ limit, reserved, spent }: DailySpend) => ({
  used: amountOf(spent + reserved),
  limit: amountOf(limit),
})

const callerOn = <C>(contact: C, { callerOf }: Grounds<C>) => {
  const caller_number = callerOf?.(contact)
  return caller_number === undefined ? {} : { caller_number }
}

const partOn = <C>(contact: C, { partOf }: Grounds<C>) => {
  const time_of_day = partOf?.(contact)
  return time_of_day === undefined ? {} : { time_of_day: { ...time_of_day } }
}

/**
 * The window, the zones that decided, and what their clocks showed. If no zone is known, the window refused the call.
 */
const windowOn = <C>(contact: C, { now, window, zonesOf }: WindowGrounds<C>) => {
  if (window === null) return null
  const zones = zonesIn(window, () => zonesOf(contact))
  return { ...window, zones, local_times: Object.fromEntries(zones.map((zone) => [zone, clockText(zone, now)])) }
}

/** The packs, where they took the called party to be, and the earlier attempts that they counted. */
export const rulesOn = <C>(
  contact: C,
  grounds: Pick<WindowGrounds<C>, "now" | "rules">,
  { content, packs, partyOf }: RuleGrounds<C>,
) => ({
  packs,
  content,
  ...placeOf(contact, grounds),
  earlier: partyOf(contact).earlier.map(({ at, same_subject }) => ({ at: new Date(at).toISOString(), same_subject })),
})

/** Where the rules took the called party to be, and what the clocks there showed. */
const placeOf = <C>(contact: C, { now, rules }: Pick<WindowGrounds<C>, "now" | "rules">) => {
  if (rules === undefined) return {}
  const { place, zones } = rules.partyOf(contact)
  return {
    place: { ...place },
    zones,
    local_times: Object.fromEntries(zones.map((zone) => [zone, clockText(zone, now)])),
  }
}

export const RefusalReason = Schema.Literals([
  "calling_window",
  "do_not_call",
  "no_consent",
  "outside_window",
  "quiet_period",
  "rule",
  "time_of_day",
])
export type RefusalReason = typeof RefusalReason.Type

/** Decisions not to dial one contact, all for the same reason. */
export const DialRefusal = Schema.Struct({
  decision: Schema.Literals(["put_off", "skipped"]).annotate({
    description: "`put_off`: the contact is dialled later. `skipped`: it is not dialled at all.",
  }),
  reason: RefusalReason.annotate({
    description:
      "`calling_window`: the contact is outside its calling window now. `no_consent`: the number has no consent as the campaign requires it. `outside_window`: the window never opens for this contact, or its time zone is unknown. `quiet_period`: the campaign waits after an answered call to the number. `time_of_day`: the retry waits for another part of the day. `rule`: a rule of the campaign's packs refuses the call, for now or for good.",
  }),
  count: Schema.Int.annotate({ description: "How many times the dialler made this decision." }),
  first_at: timestamp("When the dialler first made this decision."),
  last_at: timestamp("When the dialler last made this decision."),
  until: Schema.NullOr(Timestamp).annotate({
    description: "When the contact is due again. Null if it was skipped for good.",
  }),
  record: Schema.JsonObject.annotate({
    description:
      "What the last decision was based on: `window` with its time zones and their local times, `suppression`, the entry of the do-not-call list, `required_consent`, or `quiet_period` with the answered call and its campaign, or `time_of_day` with the parts of the day of the attempts before; if the campaign chooses the best part, it also says whether the number's own calls (`person`), the account's (`account`) or neither (`rotation`) decided, and has the counts of both. With the reason `rule`: `rule` with its pack, version, id and title, the `place` with how it was found, and the `earlier` attempts that were counted.",
  }),
}).annotate({ identifier: "DialRefusal" })
export type DialRefusal = typeof DialRefusal.Type

/** A contact that is refused: with the call that began its quiet period, as the record shows it. */
interface Refused extends DialFacts {
  readonly quiet: QuietPeriod | null
}

/** The record of a decision not to dial. Null for every verdict that is not a `RefusalReason`. */
export const refusedBecause = <C extends Refused>(contact: C, verdict: DialVerdict, grounds: WindowGrounds<C>) => {
  const reason = reasonOf(verdict)
  if (reason === null) return null
  return {
    reason,
    at: grounds.now.toISOString(),
    until: verdict._tag === "Wait" ? (verdict.until?.toISOString() ?? null) : null,
    record: recordOf(contact, verdict, reason, grounds),
  }
}

/** The entry of the do-not-call list is added where it is stored. */
const recordOf = <C extends Refused>(
  contact: C,
  verdict: DialVerdict,
  reason: RefusalReason,
  grounds: WindowGrounds<C>,
) => {
  if (reason === "do_not_call") return {}
  if (reason === "no_consent") return { required_consent: grounds.required_consent }
  if (reason === "quiet_period") return { quiet_period: contact.quiet }
  if (reason === "time_of_day") return { time_of_day: "time_of_day" in verdict ? (verdict.time_of_day ?? null) : null }
  if (reason !== "rule") return { window: windowOn(contact, grounds) }
  const rule = "rule" in verdict ? (verdict.rule ?? null) : null
  const earlier = rule?.kind === "frequency" ? (grounds.rules?.partyOf(contact).earlier ?? []) : []
  return { rule, ...placeOf(contact, grounds), earlier: earlier.map(({ at }) => new Date(at).toISOString()) }
}

const reasonOf = (verdict: DialVerdict): RefusalReason | null => {
  if (verdict._tag === "Wait") {
    return Schema.is(RefusalReason)(verdict.reason) ? verdict.reason : null
  }
  return verdict._tag === "Skip" && verdict.reason !== "stopped" ? verdict.reason : null
}
