/**
 * One pass of a campaign's dialler as one transaction: lock, read, plan, write (docs/architecture.md, A
 * contact from pending to settled). `domain/DialPass` decides.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Calls, type Claim, type Intent, readUsage } from "../../calls/Calls.ts"
import type { DailySpend } from "../../domain/DailySpend.ts"
import type { Choice } from "../../domain/CallerPool.ts"
import { dayPartAt } from "../../domain/DayParts.ts"
import { windowOf } from "../../domain/DialDecision.ts"
import { allowance, type PassContacts, type PassFacts, type PassPlan, plan } from "../../domain/DialPass.ts"
import { passIn } from "../../domain/DialPlan.ts"
import { zoneKeyOf } from "../../domain/ZoneKey.ts"
import { dialledBecause, type RuleGrounds, type WindowGrounds } from "../../domain/DialRecord.ts"
import { lockBudget } from "../../tenancy/BudgetLock.ts"
import { transaction } from "../../tenancy/Transaction.ts"
import * as Consents from "../../catalog/Consents.ts"
import * as Campaigns from "../Campaigns.ts"
import * as DialCampaign from "./DialCampaign.ts"
import * as DialMetrics from "./DialMetrics.ts"
import * as DialNumbers from "./DialNumbers.ts"
import * as DialQueue from "./DialQueue.ts"
import * as DialRefusals from "./DialRefusals.ts"
import * as DialShare from "./DialShare.ts"
import * as CampaignRules from "../../catalog/CampaignRules.ts"
import * as DialSpend from "./DialSpend.ts"
import * as PersonNumbers from "./PersonNumbers.ts"
import * as RetryTimes from "./RetryTimes.ts"
import { dataVersions } from "../../catalog/PrefixData.ts"
import * as RuleContents from "../../catalog/RuleContents.ts"
import { zonesOfContact } from "../../catalog/NumberZones.ts"

/** What the dialler does after a pass. */
export type AfterPass =
  /** The campaign has ended, or is deleted. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "Paused" }
  /** Another process dials the campaign now. */
  | { readonly _tag: "Lost" }
  /** Run another pass after this many milliseconds, or when something changes. `quiet`: no contact is due. */
  | { readonly _tag: "Wait"; readonly milliseconds: number; readonly quiet: boolean }

/**
 * The longest wait between two passes: another process may have changed what the campaign waits for, without a signal.
 */
const pollMs = 1_000

export const runPass = (id: string, epoch: number) =>
  Calls.use(({ withClaim }) => withClaim((claim) => runWithClaim(id, epoch, claim)))

const runWithClaim = Effect.fn("DialTransaction.runPass")(
  function* (id: string, epoch: number, { claim, room }: Claim) {
    const locked = yield* lock(id, epoch)
    if ("_tag" in locked) return locked
    const numbers = yield* DialNumbers.read(locked.campaign, locked.origin.number)
    const facts = { ...(yield* readFacts(locked, numbers)), room: room() }
    const byCalls = DialNumbers.limit(numbers, allowance(facts))
    claim(byCalls.calls)
    const { campaign, origin } = locked
    const { allowed, contacts, reservedFor, spend_wait } = yield* DialSpend.limit({
      campaign,
      daily_spend: facts.daily_spend,
      carrier: origin.number.carrier,
      now: facts.now,
      allowed: byCalls,
      contacts: yield* readContacts(locked, numbers, facts, byCalls.contacts),
    })
    const planned = plan(facts, allowed, contacts)
    if (allowed.is_full) yield* reportFull
    yield* write({ ...locked, numbers, reservedFor, spend_wait }, facts, contacts, planned)
    yield* DialNumbers.restFalling(campaign, numbers)
    const { next_ms, quiet } = planned
    return { _tag: "Wait", milliseconds: Math.min(pollMs, next_ms ?? pollMs), quiet } satisfies AfterPass
  },
  transaction,
  DialMetrics.time,
)

/** The wait of a quiet campaign: checks whether a contact is due or something else has changed. One query, no lock. */
export const checkDue = Effect.fn("DialTransaction.checkDue")(function* (id: string) {
  const { due, in_ms, status } = yield* DialQueue.next(id)
  return { quiet: status === "running" && !due, milliseconds: Math.min(pollMs, in_ms ?? pollMs) }
}, Effect.orDie)

type Campaign = DialCampaign.DialCampaign
type Candidate = DialQueue.Candidate

/** A campaign that may dial: its row and the account's budget are locked until the transaction ends. */
interface Locked {
  readonly budget: Effect.Success<ReturnType<typeof lockBudget>>
  readonly campaign: Campaign
  readonly origin: Origin
}

/** The agent, and the number that calls come from. */
interface Origin {
  readonly agent: NonNullable<Campaign["agent"]>
  readonly number: NonNullable<Campaign["number"]>
}

/** Locks the budget and then the campaign. Ends a campaign that is finished or cannot dial. */
const lock = Effect.fnUntraced(function* (id: string, epoch: number) {
  const budget = yield* lockBudget()
  const campaign = yield* DialCampaign.lock(id)
  if (campaign === undefined) return { _tag: "Over" } satisfies AfterPass
  // The epoch cannot rise until the commit: a process that lost the campaign writes nothing.
  // guard: a process that lost the campaign to another one no longer dials it (I7, I8)
  if (campaign.epoch !== epoch) return { _tag: "Lost" } satisfies AfterPass
  // end of guard
  const pass = passIn[campaign.status]
  // guard: only a running campaign dials (I7, I8)
  if (pass === "wait") return { _tag: "Paused" } satisfies AfterPass
  if (pass === "over") return { _tag: "Over" } satisfies AfterPass
  // end of guard
  const { in_progress, pending } = campaign
  if (pending + in_progress === 0 && (yield* Campaigns.endFinished([id])).length > 0) {
    return { _tag: "Over" } satisfies AfterPass
  }
  const origin = originOf(campaign, yield* Calls)
  if (typeof origin === "string") {
    yield* Campaigns.end(id, origin)
    return { _tag: "Over" } satisfies AfterPass
  }
  return { budget, campaign, origin } satisfies Locked
})

/** Returns the agent and the number, or the reason why the campaign can make no further call. */
const originOf = ({ agent, number }: Campaign, calls: Calls["Service"]) => {
  if (agent === null) return "agent_missing"
  if (number === null) return "phone_number_missing"
  return calls.dials(number.carrier) ? ({ agent, number } satisfies Origin) : "carrier_rejected"
}

interface DialFacts extends PassFacts {
  /** Null if the account has no `daily_spend_cap`. */
  readonly daily_spend: DailySpend | null
}

const readFacts = Effect.fnUntraced(function* ({ budget, campaign }: Locked, { pace, pool }: DialNumbers.DialNumbers) {
  const { daily_spend, usage } = yield* readUsage()
  const facts: Omit<DialFacts, "room"> = {
    daily_spend,
    id: campaign.id,
    pace: campaign,
    // Not read: without a known time the dialler polls, which is sufficient for a limit per minute.
    minute_frees_in_ms: null,
    usage,
    numberPace: pace,
    standings: yield* DialShare.standings(campaign),
    window: windowOf(campaign, budget),
    has_rules: campaign.rules.length > 0,
    puts_off: campaign.quiet_after_answer_seconds !== null || campaign.retry_time_of_day !== null,
    requires_consent: campaign.required_consent !== null,
    has_pool: pool !== null && pool.numbers.length > 1,
    waiting_for: campaign.waiting_for,
    now: budget.now,
  }
  return facts
})

const readContacts = Effect.fnUntraced(function* (
  { campaign, origin }: Locked,
  numbers: DialNumbers.DialNumbers,
  { id, now, window }: PassFacts,
  atMost: number,
) {
  // Read one more than may be looked at: its presence shows that further contacts are due.
  const due = yield* DialQueue.candidates(campaign, atMost + 1, now)
  const { all, candidates, othersOf } = yield* PersonNumbers.read(campaign, due.slice(0, atMost), now)
  const upcoming = due.length > atMost ? nothingUpcoming : yield* DialQueue.findUpcoming(id, now)
  // By the row's own zone, or else by the number's.
  const zones = new Map(all.map((contact) => [contact, zonesOfContact(contact.phone_number, contact.custom_fields)]))
  const callers = numbers.pool?.numbers.map(({ number }) => number) ?? [origin.number.number]
  const atWork = yield* CampaignRules.judgeContacts(campaign, window, callers, all, now)
  const chooser = yield* DialNumbers.chooser(numbers, all, atWork?.permits)
  const retries = yield* RetryTimes.placeRetries(campaign, window, candidates, now)
  const live = new Set<string>()
  for (const { in_call, phone_number } of candidates) {
    if (in_call) live.add(phone_number) // guard: a fresh contact whose number is in a call waits for its end (I1)
  }
  return {
    candidates,
    othersOf,
    hasMore: (looked) => looked < due.length,
    readAll: (looked) => campaign.has_unread && looked === due.length && due.length <= atMost,
    upcoming: () => upcoming,
    zonesOf: (contact) => zones.get(contact) ?? [],
    anotherPart: retries?.place,
    partOf: retries?.groundsOf,
    rules: atWork?.judge,
    ruleGrounds: atWork?.grounds,
    takeCaller: chooser?.take,
    callerFor: (contact) => DialNumbers.choiceOf(numbers, chooser, contact),
    inCall: (number) => live.has(number),
  } satisfies ReadContacts
})

/**
 * The contacts of a pass, the facts that the rules depended on (for the records), and the number that calls each
 * contact.
 */
interface ReadContacts extends PassContacts<Candidate> {
  readonly ruleGrounds: RuleGrounds<Candidate> | undefined
  /** Whether the campaign has no further contact that was never looked at, after the first `looked` candidates. */
  readonly readAll: (looked: number) => boolean
  readonly callerFor: (contact: Candidate) => Choice
  readonly partOf: RetryTimes.GroundsOf | undefined
}

const nothingUpcoming = { behind_calls: false, timed: null }

type Paid = Locked &
  Pick<Effect.Success<ReturnType<typeof DialSpend.limit>>, "reservedFor" | "spend_wait"> & {
    readonly numbers: DialNumbers.DialNumbers
  }

const write = Effect.fnUntraced(function* (
  paid: Paid,
  facts: DialFacts,
  { callerFor, partOf, readAll, ruleGrounds: rules, zonesOf }: ReadContacts,
  { decided, dialled, share, waiting_for }: PassPlan<Candidate>,
) {
  const { id, now, standings, window } = facts
  const { campaign, numbers } = paid
  yield* DialQueue.skip(decided)
  yield* DialQueue.putOff(decided, now)
  const { required_consent, subject } = campaign
  yield* DialRefusals.keep(decided, { window, zonesOf, rules, now, required_consent }, subject)
  const calls = yield* Calls
  const intended = yield* calls.intend(intentsFor(dialled, paid, facts, { callerFor, partOf, zonesOf, rules }))
  yield* DialQueue.claim(id, decided, intended, readAll(decided.length))
  yield* Consents.markUsed(
    dialled.flatMap(({ consent }) => (consent === null ? [] : [consent.id])),
    now,
  )
  yield* DialNumbers.recordCalls(numbers, intended)
  yield* DialShare.leave(id, standings, share)
  // The other of the two caps may be the tighter one now, and a missing price may have been added.
  if (waiting_for !== campaign.waiting_for || waiting_for === "spend_cap") {
    yield* Campaigns.markWaiting(id, waiting_for, paid.spend_wait)
  }
  if (intended.length === 0) return
  if (rules !== undefined) yield* RuleContents.keep(rules.content, campaign.rules)
  yield* calls.handOut(intended)
  const sql = yield* SqlClient.SqlClient
  yield* sql.afterCommit(DialMetrics.countBegun(intended.length))
})

const reportFull = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.afterCommit((yield* Calls).reportFull)
})

const dayPartOf = ([zone]: ReadonlyArray<string>, now: Date) =>
  zone === undefined ? {} : { day_part: dayPartAt(zone, now.getTime()) }

/** Contacts that were decided alike share one record, which is stored and read once. */
const intentsFor = (
  dialled: ReadonlyArray<Candidate>,
  { campaign, numbers, origin, reservedFor }: Paid,
  facts: DialFacts,
  {
    callerFor,
    partOf,
    rules,
    zonesOf,
  }: Pick<WindowGrounds<Candidate>, "rules" | "zonesOf"> & Pick<ReadContacts, "callerFor" | "partOf">,
): ReadonlyArray<Intent> => {
  const records = new Map<string, Intent["decision"]>()
  const recordFor = (contact: Candidate) => {
    const { attempts, callback_at, callbacks, consent, due_at, number, priority, quiet_until, waits_for } = contact
    const callback = `${callbacks} ${callback_at?.getTime()}`
    const place = rules === undefined ? "" : JSON.stringify(rules.partyOf(contact))
    const caller = callerFor(contact)
    const key = `${attempts} ${priority} ${quiet_until?.getTime()} ${callback} ${due_at?.getTime()} ${waits_for} ${zoneKeyOf(zonesOf(contact))} ${consent?.id} ${place} ${caller.id} ${caller.because} ${JSON.stringify(number)} ${JSON.stringify(partOf?.(contact))}`
    const known = records.get(key)
    if (known !== undefined) return known
    const callerOf = () => DialNumbers.recordOf(numbers, caller)
    const grounds = { ...campaign, ...origin, ...facts, data: dataVersions, zonesOf, rules, callerOf, partOf }
    const record = dialledBecause(contact, grounds)
    records.set(key, record)
    return record
  }
  const reserve = (contact: Candidate) => {
    const reserved = reservedFor(contact)
    return reserved === undefined ? {} : { reserved }
  }
  return dialled.map((contact) => ({
    ...reserve(contact),
    ...dayPartOf(zonesOf(contact), facts.now),
    agent_id: campaign.agent_id,
    agent_name: origin.agent.name,
    agent_version: campaign.agent_version,
    phone_number_id: callerFor(contact).id,
    to_number: contact.phone_number,
    from_number: callerFor(contact).number,
    variables: { ...contact.custom_fields, campaign: { name: campaign.name } },
    campaign_id: campaign.id,
    contact_id: contact.id,
    attempt_number: contact.attempts + 1,
    decision: recordFor(contact),
  }))
}
