/** Settles the contacts and campaigns of ended calls, in the transaction of the calls' ends (I5, I6). */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AfterCall, type EndedCall, type LockedCampaign, type LockedCampaigns } from "../../calls/Calls.ts"
import { CampaignFields, CampaignStatus } from "../../domain/Campaign.ts"
import { type BreakerSettings, pauseSentence } from "../../domain/CircuitBreaker.ts"
import { countsOutcomes } from "../../domain/RetryByOutcome.ts"
import { type RetryRules, settlementOf } from "../../domain/Settlement.ts"
import { texts, timestamps, uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import * as Campaigns from "../Campaigns.ts"
import { CampaignSignals } from "./CampaignSignals.ts"
import * as CarrierHealth from "./CarrierHealth.ts"

export const layer = Layer.effect(
  AfterCall,
  Effect.gen(function* () {
    const signals = yield* CampaignSignals
    const breaker = yield* CarrierHealth.settings
    return AfterCall.of({
      lockCampaigns: (account, ids) => Effect.tap(lock(ids), signals.wake(account, ids)),
      settle: (ended, campaigns) => settle(ended, campaigns, breaker),
    })
  }),
)

const Row = Schema.Struct({
  id: Schema.String,
  status: CampaignStatus,
  retries_per_contact: CampaignFields.retries_per_contact,
  retry_delay_seconds: CampaignFields.retry_delay_seconds,
  retry_by_outcome: CampaignFields.retry_by_outcome,
  redial_unknown: CampaignFields.redial_unknown,
  /** The number of its contacts without a final status. */
  open: Schema.Int,
})
const settle = Effect.fn("ContactSettlement.settle")(function* (
  ended: ReadonlyArray<EndedCall>,
  campaigns: LockedCampaigns,
  breaker: BreakerSettings,
) {
  yield* write(ended, campaigns)
  const perhapsFinished = [...campaigns].flatMap(([id, { open }]) => (open <= ended.length ? [id] : []))
  if (perhapsFinished.length > 0) yield* Campaigns.endFinished(perhapsFinished)
  yield* pauseFailing(
    ended.filter(({ campaign_id }) => campaign_id !== null && campaigns.get(campaign_id)?.status === "running"),
    breaker,
  )
})

const pauseFailing = Effect.fnUntraced(function* (ended: ReadonlyArray<EndedCall>, breaker: BreakerSettings) {
  const failing = yield* CarrierHealth.recordEnds(ended, breaker)
  if (failing.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const pauses = failing.map((health) => ({ id: health.id, detail: pauseSentence(health, breaker) }))
  const paused = yield* Campaigns.pauseForCarrier(pauses)
  for (const { ended, failed, id, taken } of failing) {
    if (!paused.includes(id)) continue
    yield* sql.afterCommit(
      Effect.logWarning("campaign paused: carrier failures").pipe(
        Effect.annotateLogs({ campaign: id, ended, failed, taken, window_seconds: breaker.window_seconds }),
      ),
    )
  }
})

/** Locks the campaigns whose rules settle these contacts until the transaction ends. */
const lock = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  if (ids.length === 0) return new Map<string, LockedCampaign>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Rows.all(Row)(sql`
    select c.id, c.status, c.retries_per_contact, c.retry_delay_seconds, c.retry_by_outcome, c.redial_unknown,
      p.pending + p.in_progress as open
    from campaigns c join campaign_progress p on p.campaign_id = c.id
    where c.id = any(${ids}::uuid[]) order by c.id for no key update of c`)
  return new Map<string, LockedCampaign>(rows.map(({ id, ...rules }) => [id, rules]))
})

/**
 * Counts for each of these calls the attempts of its contact that ended as it did. Reads only those of campaigns whose
 * retries depend on it.
 */
const countSameOutcomes = Effect.fnUntraced(function* (
  ended: ReadonlyArray<EndedCall>,
  rules: ReadonlyMap<string, RetryRules>,
) {
  const counted = ended.filter(({ campaign_id }) =>
    countsOutcomes(rules.get(campaign_id ?? "")?.retry_by_outcome ?? null),
  )
  if (counted.length === 0) return new Map<string, number>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly times: number }>`
    select e.id, count(*)::int as times
    from unnest(${uuids(counted.map(({ id }) => id))}) e(id) join calls c on c.id = e.id
      join calls o on o.contact_id = c.contact_id and o.outcome = c.outcome
    group by e.id`
  return new Map(rows.map(({ id, times }) => [id, times]))
})

/**
 * Writes the settlements of contacts. A repeated or late report finds that the contact belongs to another call, and
 * does nothing (I14).
 */
const write = Effect.fnUntraced(function* (ended: ReadonlyArray<EndedCall>, rules: ReadonlyMap<string, RetryRules>) {
  const sql = yield* SqlClient.SqlClient
  const timesEnded = yield* countSameOutcomes(ended, rules)
  const rows = ended.flatMap((call) => {
    const { attempt_number, campaign_id, contact_id, outcome } = call
    const own = campaign_id === null ? undefined : rules.get(campaign_id)
    if (own === undefined || contact_id === null || attempt_number === null) return []
    const same_outcome = timesEnded.get(call.id) ?? 1
    const settlement = settlementOf({ ...call, attempt_number, same_outcome }, own)
    return [
      {
        call: call.id,
        contact: contact_id,
        outcome,
        status: settlement.status,
        due_at: settlement.status === "pending" ? settlement.due_at : null,
        callback_at: settlement.status === "pending" && settlement.waits_for === "callback" ? settlement.due_at : null,
        skip_reason: settlement.status === "skipped" ? settlement.skip_reason : null,
      },
    ]
  })
  if (rows.length === 0) return
  yield* sql`
    update contacts c set status = s.status, outcome = s.outcome, skip_reason = s.skip_reason, due_at = coalesce(s.due_at, '-infinity'),
      waits_for = case when s.status = 'pending' then 'retry_delay' end, callback_at = s.callback_at,
      updated_at = clock_timestamp()
    from unnest(${uuids(rows.map(({ contact }) => contact))}, ${uuids(rows.map(({ call }) => call))},
                ${texts(rows.map(({ status }) => status))}, ${texts(rows.map(({ outcome }) => outcome))},
                ${texts(rows.map(({ skip_reason }) => skip_reason))}, ${timestamps(rows.map(({ due_at }) => due_at))},
                ${timestamps(rows.map(({ callback_at }) => callback_at))})
      as s(contact, call, status, outcome, skip_reason, due_at, callback_at)
    where c.id = s.contact and c.last_call_id = s.call and c.status = 'in_progress'`
})
