/**
 * One turn of a campaign's dialler, as one transaction: caps, campaign, window and do-not-call list are asked and the
 * intents written while the account's budget is locked (architecture, The dial transaction).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { admitLocked, begunFrom, Calls, type Intent, numberPaceOf } from "../calls/Calls.ts"
import { placesOf, sharing } from "../domain/Cap.ts"
import { choose, windowOf } from "../domain/DialDecision.ts"
import { dialledBecause } from "../domain/DialRecord.ts"
import { batchOf, nextLook, turnIn, waitingFor, wanted } from "../domain/DialPlan.ts"
import { grant } from "../domain/FairShare.ts"
import { holds, nextInMs } from "../domain/NumberPace.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CampaignBudget from "./CampaignBudget.ts"
import * as Campaigns from "./Campaigns.ts"
import * as DialCampaign from "./DialCampaign.ts"
import * as DialMetrics from "./DialMetrics.ts"
import * as DialQueue from "./DialQueue.ts"
import * as DialRefusals from "./DialRefusals.ts"
import * as DialShare from "./DialShare.ts"
import { zonesOfContact } from "./NumberZones.ts"

/** What comes after the turn. */
export type Turn =
  /** Nothing ever again. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "Paused" }
  /** Another process dials it now. */
  | { readonly _tag: "Lost" }
  /** Something after so many milliseconds, unless news come before. `quiet`: nobody's turn has come. */
  | { readonly _tag: "Wait"; readonly milliseconds: number; readonly quiet: boolean }

const othersDue: DialQueue.Next = { status: "running", due: true, waits_for: null, in_ms: null }

/** Contacts looked at in one transaction when a window may leave many of them out. */
const leastLookedAt = 500

export const take = Effect.fn("DialTransaction.take")(
  function* (id: string, epoch: number) {
    const budget = yield* CampaignBudget.lock()
    const campaign = yield* DialCampaign.lock(id)
    if (campaign === undefined) return { _tag: "Over" } satisfies Turn
    // Until the commit nobody can raise it: a process that lost the campaign writes nothing, whatever it believes.
    if (campaign.epoch !== epoch) return { _tag: "Lost" } satisfies Turn
    const turn = turnIn[campaign.status]
    if (turn === "wait") return { _tag: "Paused" } satisfies Turn
    if (turn === "over") return { _tag: "Over" } satisfies Turn
    const { in_progress, pending } = campaign
    if (pending + in_progress === 0 && (yield* Campaigns.endFinished([id])).length > 0) {
      return { _tag: "Over" } satisfies Turn
    }

    const line = yield* lineOf(campaign)
    if (typeof line === "string") {
      yield* Campaigns.end(id, line)
      return { _tag: "Over" } satisfies Turn
    }

    const own = wanted(campaign)
    const numberPace = yield* numberPaceOf(line.number)
    const running = yield* DialShare.standings(campaign)
    const asked = Math.min(own.calls, numberPace.free)
    const admitted = asked === 0 ? null : yield* admitLocked(asked)
    const places = admitted === null ? 0 : placesOf(admitted.usage)
    const share = grant({ id, calls: own.calls, number_places: numberPace.free }, places, running)
    const admission = admitted === null ? null : sharing(admitted, share.by_caps)
    const free = Math.min(admission?.admitted ?? 0, share.by_number)
    const window = windowOf(campaign, budget)
    const { now } = budget
    const looked = window === null ? free : Math.max(free, leastLookedAt)
    // One more than may be looked at: whoever is left says that others are due.
    const due = free === 0 ? [] : yield* DialQueue.candidates(id, looked + 1, now)
    const offered = due.slice(0, looked)
    // The row's own zone, else those of the number.
    const zones = new Map(
      offered.map((contact) => [contact, zonesOfContact(contact.phone_number, contact.custom_fields)]),
    )
    const zonesOf = (contact: DialQueue.Candidate) => zones.get(contact) ?? []
    const live = new Set(offered.flatMap(({ in_call, phone_number }) => (in_call ? [phone_number] : [])))
    const inCall = (number: string) => live.has(number)
    const decided = choose(offered, free, { status: campaign.status, window, zonesOf, inCall, now })
    yield* DialQueue.skip(decided)
    yield* DialQueue.putOff(decided, now)
    yield* DialRefusals.keep(decided, { window, zonesOf, now })
    const dialled = decided.flatMap(({ contact, verdict }) => (verdict._tag === "Dial" ? [contact] : []))

    const calls = yield* Calls
    const because = decidedAlike(zonesOf, (contact) =>
      admission === null
        ? null
        : dialledBecause(contact, {
            ...campaign,
            ...line,
            pace: campaign,
            numberPace,
            window,
            zonesOf,
            now,
            usage: admission.usage,
          }),
    )
    const intended = yield* calls.intend(
      dialled.map((contact): Intent => ({
        agent_id: campaign.agent_id,
        agent_name: line.agent.name,
        agent_version: campaign.agent_version,
        phone_number_id: campaign.phone_number_id,
        to_number: contact.phone_number,
        from_number: line.number.number,
        variables: { ...contact.custom_fields, campaign: { name: campaign.name } },
        campaign_id: id,
        contact_id: contact.id,
        attempt_number: contact.attempts + 1,
        decision: because(contact),
      })),
    )
    yield* DialQueue.claimed(id, decided, intended)
    yield* begunFrom(line.number, intended.length)
    const sql = yield* SqlClient.SqlClient
    if (intended.length > 0) {
      yield* sql.afterCommit(calls.conduct(yield* CurrentTenant, intended))
      yield* sql.afterCommit(DialMetrics.begun(intended.length))
    }

    // Contacts were put off or skipped, and others may stand behind them.
    const moved = decided.some(
      ({ contact, verdict }) =>
        verdict._tag === "Skip" || (verdict._tag === "Wait" && (verdict.until !== null || contact.fresh)),
    )
    const again = moved && intended.length < free
    const next = decided.length < due.length ? othersDue : yield* DialQueue.next(id)
    const left = again || (next.due && intended.length === free) ? own.calls - intended.length : 0
    yield* DialShare.leave(id, running, {
      turn: share.turn,
      begun: intended.length,
      wants: holds(numberPace, intended.length) ? 0 : Math.min(left, numberPace.free),
      wants_of_number: numberPace.calls_per_second === null ? 0 : left,
    })
    if (again) return { _tag: "Wait", milliseconds: 0, quiet: false } satisfies Turn
    const waits = waitingFor({
      own: own.stopped_by,
      admission,
      begun: intended.length,
      due: next.due,
      next: next.waits_for === null ? null : { waits_for: next.waits_for },
    })
    if (waits !== campaign.waiting_for) yield* Campaigns.markWaiting(id, waits)
    const begun = intended.length
    const { active_calls, last_minute } = campaign
    const afterThese = { ...campaign, active_calls: active_calls + begun, last_minute: last_minute + begun }
    // The batch was full, and there is room for another.
    const goesOn = next.due && begun === batchOf(campaign) && wanted(afterThese).calls > 0
    const milliseconds = nextLook({
      admission,
      begun,
      due_in_ms: next.in_ms,
      pace_in_ms: left > 0 ? nextInMs(numberPace, intended.length) : null,
    })
    return { _tag: "Wait", milliseconds: goesOn ? 0 : milliseconds, quiet: !next.due } satisfies Turn
  },
  transaction,
  DialMetrics.timed,
  Effect.catchTag("SchemaError", Effect.die),
)

/** One record for all on whom the same was said: they are kept, and read, as one. */
const decidedAlike = <A>(
  zonesOf: (contact: DialQueue.Candidate) => ReadonlyArray<string>,
  decide: (contact: DialQueue.Candidate) => A,
) => {
  const made = new Map<string, A>()
  return (contact: DialQueue.Candidate): A => {
    const { attempts, due_at, waits_for } = contact
    const key = `${attempts} ${due_at?.getTime()} ${waits_for} ${zonesOf(contact).join()}`
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = decide(contact)
    made.set(key, fresh)
    return fresh
  }
}

/** What a quiet campaign waits for: whether somebody's turn has come, or something else is different now. One query, no lock. */
export const look = Effect.fn("DialTransaction.look")(function* (id: string) {
  const { due, in_ms, status } = yield* DialQueue.next(id)
  return {
    quiet: status === "running" && !due,
    milliseconds: nextLook({ admission: null, begun: 0, due_in_ms: in_ms, pace_in_ms: null }),
  }
}, Effect.orDie)

/** The agent and the number, or why there can be no further call. */
const lineOf = ({ agent, number }: DialCampaign.DialCampaign) =>
  Effect.map(Calls, (calls) => {
    if (agent === null) return "agent_missing"
    if (number === null) return "phone_number_missing"
    return calls.dials(number.carrier) ? { agent, number } : "carrier_rejected"
  })
