/**
 * One turn of a campaign's dialler, as one transaction: caps, campaign, window and do-not-call list are asked and the
 * intents written while the account's budget is locked (architecture, The dial transaction).
 */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { admit, Calls, type Intent } from "../calls/Calls.ts"
import * as Agents from "../catalog/Agents.ts"
import * as PhoneNumbers from "../catalog/PhoneNumbers.ts"
import { type CampaignEnd, isTerminal } from "../domain/Campaign.ts"
import { type CallingWindow, type Verdict, verdict } from "../domain/CallingWindow.ts"
import { type Pace, waitingFor, wanted } from "../domain/DialPlan.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { transaction } from "../tenancy/Transaction.ts"
import * as CampaignBudget from "./CampaignBudget.ts"
import * as Campaigns from "./Campaigns.ts"
import * as DialQueue from "./DialQueue.ts"
import { zonesOfContact } from "./NumberZones.ts"

/** What comes after the turn. */
export type Turn =
  /** Nothing ever again. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "Paused" }
  /** Something after so many milliseconds, unless news come before. */
  | { readonly _tag: "Wait"; readonly milliseconds: number; readonly begun: number }

/** Contacts looked at in one transaction when a window may leave many of them out. */
const lookedAt = 500

/** Another process may have changed what this one waits for; nothing else tells it. */
const pollMs = 1_000

export const take = Effect.fn("DialTransaction.take")(
  function* (id: string) {
    const budget = yield* CampaignBudget.lock()
    const campaign = yield* Campaigns.findForUpdate(id)
    if (isTerminal(campaign.status)) return { _tag: "Over" } satisfies Turn
    if (campaign.status !== "running") return { _tag: "Paused" } satisfies Turn
    if ((yield* Campaigns.endFinished([id])).length > 0) return { _tag: "Over" } satisfies Turn

    const line = yield* lineOf(campaign)
    if (typeof line === "string") {
      yield* Campaigns.end(id, line)
      return { _tag: "Over" } satisfies Turn
    }

    const pace = yield* paceOf(campaign)
    const own = wanted(pace)
    const admission = own.calls === 0 ? null : yield* admit(own.calls)
    const free = admission?.admitted ?? 0
    const window = campaign.calling_window ?? budget.calling_window
    const offered = free === 0 ? [] : yield* DialQueue.candidates(id, window === null ? free : lookedAt)
    const { closed, open, never, suppressed } = sort(offered, free, window, budget.now)
    yield* DialQueue.skip(suppressed, "do_not_call")
    yield* DialQueue.skip(never, "outside_window")
    yield* DialQueue.putOff(closed)

    const calls = yield* Calls
    const intended = yield* calls.intend(
      open.map(({ attempts, custom_fields, id: contact_id, phone_number }): Intent => ({
        agent_id: campaign.agent_id,
        agent_name: line.agent.name,
        phone_number_id: campaign.phone_number_id,
        to_number: phone_number,
        from_number: line.number.number,
        variables: { ...custom_fields, campaign: { name: campaign.name } },
        campaign_id: id,
        contact_id,
        attempt_number: attempts + 1,
        decision: {
          rule: attempts === 0 ? "first_attempt" : "retry",
          attempt: attempts + 1,
          of: campaign.retries_per_contact + 1,
          slots: { used: pace.active_calls, limit: pace.max_concurrent_calls },
          caps: Object.fromEntries(
            Object.entries(admission?.usage ?? {}).map(([cap, { limit, used }]) => [cap, { used, limit }]),
          ),
          window:
            window === null
              ? null
              : {
                  ...window,
                  zones:
                    window.time_zone === "contact" ? zonesOfContact(phone_number, custom_fields) : [window.time_zone],
                },
          do_not_call: false,
          decided_at: budget.now.toISOString(),
        },
      })),
    )
    yield* DialQueue.claimed(intended)
    const sql = yield* SqlClient.SqlClient
    const tenant = yield* CurrentTenant
    if (intended.length > 0) yield* sql.afterCommit(calls.conduct(tenant, intended))

    // Contacts were put off or skipped, and others may stand behind them.
    const moved = closed.length + never.length + suppressed.length
    if (moved > 0 && intended.length < free)
      return { _tag: "Wait", milliseconds: 0, begun: intended.length } satisfies Turn

    const next = yield* DialQueue.next(id)
    yield* Campaigns.markWaiting(
      id,
      waitingFor({
        own: own.stopped_by,
        admission,
        begun: intended.length,
        due: next.due,
        next: next.waits_for === null ? null : { waits_for: next.waits_for },
      }),
    )
    const wait = Math.min(pollMs, next.in_ms ?? pollMs)
    return { _tag: "Wait", milliseconds: wait, begun: intended.length } satisfies Turn
  },
  transaction,
  Effect.catchTag("NotFound", () => Effect.succeed<Turn>({ _tag: "Over" })),
  Effect.catchTag("SchemaError", Effect.die),
)

/** The agent and the number, or why there can be no further call. */
const lineOf = Effect.fnUntraced(function* (campaign: Campaigns.CampaignRow) {
  const calls = yield* Calls
  const agent = yield* missing(Agents.find(campaign.agent_id), "agent_missing")
  if (typeof agent === "string") return agent
  const number = yield* missing(PhoneNumbers.find(campaign.phone_number_id), "phone_number_missing")
  if (typeof number === "string") return number
  return calls.dials(number.carrier) ? { agent, number } : ("carrier_rejected" as const)
})

const missing = <A, E, R>(find: Effect.Effect<A, E, R>, reason: CampaignEnd) =>
  Effect.catch(find, () => Effect.succeed(reason))

const Pacing = Schema.Struct({ active_calls: Schema.Int, last_minute: Schema.Int })

const paceOf = Effect.fnUntraced(function* (campaign: Campaigns.CampaignRow) {
  const sql = yield* SqlClient.SqlClient
  const { active_calls, last_minute } = yield* SqlSchema.findOne({
    Request: Schema.Void,
    Result: Pacing,
    execute: () => sql`
      select active_calls,
        (select count(*)::int from calls where campaign_id = ${campaign.id}
           and started_at > clock_timestamp() - interval '60 seconds') as last_minute
      from campaign_progress where campaign_id = ${campaign.id}`,
  })(undefined).pipe(Effect.catchTag("NoSuchElementError", Effect.die))
  return { ...campaign, active_calls, last_minute } satisfies Pace
})

/** Who is called now, and who is not. A number that stands twice in the batch is called once; the other waits its turn. */
const sort = (offered: ReadonlyArray<DialQueue.Candidate>, free: number, window: CallingWindow | null, now: Date) => {
  const open: Array<DialQueue.Candidate> = []
  const closed: Array<DialQueue.PutOff> = []
  const never: Array<string> = []
  const suppressed: Array<string> = []
  const numbers = new Set<string>()
  const verdicts = new Map<string, Verdict>()
  for (const contact of offered) {
    if (open.length === free) break
    if (contact.suppressed) {
      suppressed.push(contact.id)
      continue
    }
    const say = window === null ? openAlways : verdictOf(verdicts, window, contact, now)
    if (say._tag === "Never") never.push(contact.id)
    else if (say._tag === "OpensAt") closed.push({ id: contact.id, until: say.at })
    else if (!numbers.has(contact.phone_number)) {
      numbers.add(contact.phone_number)
      open.push(contact)
    }
  }
  return { open, closed, never, suppressed }
}

const openAlways: Verdict = { _tag: "Open" }

/** The zones decide, and a list has few of them. */
const verdictOf = (
  known: Map<string, Verdict>,
  window: CallingWindow,
  contact: DialQueue.Candidate,
  now: Date,
): Verdict => {
  const zones = window.time_zone === "contact" ? zonesOfContact(contact.phone_number, contact.custom_fields) : []
  const key = zones.join("&")
  const before = known.get(key)
  if (before !== undefined) return before
  const say = verdict(window, zones, now)
  known.set(key, say)
  return say
}
