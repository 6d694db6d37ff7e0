/** The inputs of a campaign's forecast, read in the statement of its snapshot so that both are of one moment. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { CallingWindow } from "../domain/CallingWindow.ts"
import { CampaignFields, type CampaignStatus, type Counts, isTerminal } from "../domain/Campaign.ts"
import { windowOf } from "../domain/DialDecision.ts"
import { type Forecast, forecast, type ForecastEnd, type ForecastFacts, shareOfCaps } from "../domain/Forecast.ts"
import { paceTogether } from "../domain/NumberPace.ts"
import { Carrier } from "../domain/PhoneNumber.ts"
import { assumedOf } from "../domain/Preflight.ts"
import { averageCall } from "../domain/PreflightChance.ts"
import { longestDelay } from "../domain/RetryByOutcome.ts"
import { zonesOfContact } from "../catalog/NumberZones.ts"

/** The least number of ended calls from which their average is used: with fewer, the assumptions are more reliable. */
const leastEvidence = 10
/** The size of the sample: the time zones of these contacts stand for those of all waiting contacts. */
const sampled = 60

/** The campaign's numbers. One that was deleted has no pace. */
const Dialled = Schema.Struct({
  carrier: Carrier,
  calls_per_second: Schema.NullOr(Schema.Finite),
  min_seconds_between_calls: Schema.NullOr(Schema.Int),
})
const Sampled = Schema.Struct({ phone_number: Schema.String, time_zone: Schema.NullOr(Schema.String) })

/** What `forecastColumns` add to the row of a snapshot. */
export const columns = {
  scheduled_at: Schema.NullOr(Schema.Date),
  max_calls_per_minute: Schema.NullOr(Schema.Int),
  retries_per_contact: Schema.Int,
  retry_delay_seconds: Schema.Int,
  retry_by_outcome: CampaignFields.retry_by_outcome,
  calling_window: Schema.NullOr(Schema.toType(CallingWindow)),
  account_window: Schema.NullOr(Schema.toType(CallingWindow)),
  time_zone: Schema.String,
  last_retry_at: Schema.NullOr(Schema.Date),
  last_callback_at: Schema.NullOr(Schema.Date),
  numbers: Schema.Array(Dialled),
  voicemail_action: Schema.NullOr(Schema.Literals(["hang_up", "leave_message"])),
  /** The last attempts: how many have ended, and for how many seconds all of them have held a slot so far. */
  lately: Schema.Struct({ ended: Schema.Int, seconds: Schema.Finite }),
  zone_sample: Schema.Array(Sampled),
}

/**
 * For the select list of the snapshot: `c` is the campaign, `p` its progress, `b` the budget, `t.now` the moment, and
 * `w` counts the waiting contacts. Attempts in progress count with the time that they have taken so far; without them
 * only short calls would count. The sample is spread evenly over the part of the list that was not dialled yet.
 */
export const forecastColumns = (sql: SqlClient.SqlClient) => sql`
  c.scheduled_at, c.max_calls_per_minute, c.retries_per_contact, c.retry_delay_seconds, c.retry_by_outcome, c.calling_window,
  b.calling_window as account_window, b.time_zone, w.last_retry_at,
  w.last_callback_at,
  (select coalesce(jsonb_agg(jsonb_build_object('carrier', carrier, 'calls_per_second',
      case when jsonb_typeof(carrier_config -> 'calls_per_second') = 'number' then carrier_config -> 'calls_per_second' end,
      'min_seconds_between_calls', min_seconds_between_calls)), '[]')
   from phone_numbers where id = any(c.caller_numbers || c.phone_number_id)) as numbers,
  (select voicemail_action from agents where id = c.agent_id) as voicemail_action,
  (select jsonb_build_object('ended', count(ended_at), 'seconds',
      coalesce(sum(greatest(0, extract(epoch from coalesce(ended_at, t.now) - started_at))), 0)::float8)
   from (select started_at, ended_at from calls where campaign_id = c.id order by started_at desc, id desc
         limit least(2000, greatest(1000, 2 * c.max_concurrent_calls))) attempts) as lately,
  case when coalesce(c.calling_window, b.calling_window) ->> 'time_zone' = 'contact' then
    (select coalesce(jsonb_agg(jsonb_build_object('phone_number', phone_number, 'time_zone', custom_fields ->> 'time_zone')), '[]')
     from contacts where campaign_id = c.id and position = any(array(
       select 1 + first + (place * greatest(1, p.total - first))::bigint / ${sampled}
       from generate_series(0, ${sampled} - 1) place,
         (select case when p.last_position < p.total then p.last_position else 0 end as first) rest)::int[]))
  else '[]' end as zone_sample`

/** The columns above, and the snapshot's own that a forecast needs. */
export type ForecastRow = Schema.Struct<typeof columns>["Type"] & {
  readonly status: CampaignStatus
  readonly counts: Counts
  readonly active_calls: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly max_concurrent_calls: number
  readonly budget_used: number
  readonly concurrent_max: number
  readonly last_minute: number
  readonly minute_limit: number
  readonly today: number
  readonly day_limit: number
  readonly retries_due: number
  readonly retries_waiting: number
  readonly callbacks_due: number
  readonly callbacks_waiting: number
  readonly at: Date
}

/** Milliseconds for which the forecast works without a rest: other requests wait for that long. */
const sliceMs = 4

/** Null if the campaign has ended. */
export const forecastOf = Effect.fnUntraced(function* (row: ForecastRow) {
  if (isTerminal(row.status)) return null
  const isObserved = row.lately.ended >= leastEvidence
  const basis = isObserved ? "observed" : "assumed"
  const { ends_at, limited_by } = yield* inSlices(steps(row, isObserved))
  const seconds = ends_at === null ? null : Math.round((ends_at - row.at.getTime()) / 1_000)
  return { seconds, ends_at: ends_at === null ? null : new Date(ends_at), limited_by, basis } satisfies Forecast
})

function* steps(row: ForecastRow, isObserved: boolean): Generator<void, ForecastEnd> {
  return yield* forecast(factsOf(row, isObserved, yield* zonesOf(row)))
}

const inSlices = Effect.fnUntraced(function* <A>(steps: Generator<void, A>) {
  for (let began = performance.now(); ;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - began < sliceMs) continue
    yield* Effect.yieldNow
    began = performance.now()
  }
})

const factsOf = (row: ForecastRow, isObserved: boolean, zones: ForecastFacts["zones"]): ForecastFacts => {
  const { active_calls, counts, last_callback_at, last_retry_at, max_concurrent_calls, numbers } = row
  const others = row.budget_used - (row.status === "running" ? max_concurrent_calls : 0)
  const caps = { calls_per_minute: row.minute_limit, calls_per_day: row.day_limit, calls_today: row.today }
  const { calls_today, ...shared } = shareOfCaps(caps, max_concurrent_calls, others)
  const again = row.retries_due + row.retries_waiting + row.callbacks_due + row.callbacks_waiting
  const retrying = Math.min(counts.pending, again)
  return {
    from: row.status === "draft" ? Math.max(row.at.getTime(), row.scheduled_at?.getTime() ?? 0) : row.at.getTime(),
    contacts: { fresh: counts.pending - retrying, retrying, in_call: active_calls },
    last_retry_at: last_retry_at?.getTime() ?? null,
    last_callback_at: last_callback_at?.getTime() ?? null,
    zones,
    window: windowOf(row, { calling_window: row.account_window }),
    max_concurrent_calls,
    max_calls_per_minute: row.max_calls_per_minute,
    retries_per_contact: row.retries_per_contact,
    // The last contact may have to wait for the longest of the delays.
    retry_delay_seconds: longestDelay(row),
    calls_per_second: paceOf(numbers),
    account: { ...shared, concurrent_max: row.concurrent_max, time_zone: row.time_zone },
    calls_today,
    last_minute: row.last_minute,
    attempt: attemptOf(row, isObserved),
  }
}

/** Limits per day and rests are left out: they are those of the moment. */
const paceOf = (numbers: ReadonlyArray<typeof Dialled.Type>) =>
  paceTogether(
    numbers.map(({ calls_per_second, ...number }) => ({
      ...number,
      carrier_config: calls_per_second === null ? {} : { calls_per_second },
    })),
  )

const assumed = assumedOf({})
/** Seconds: the default `max_call_seconds` of an agent. Calls of the assumed length do not reach it. */
const longestCall = 600

const attemptOf = ({ lately, outcomes, voicemail_action }: ForecastRow, isObserved: boolean) => {
  const agent = { max_call_seconds: longestCall, voicemail_action: voicemail_action ?? "hang_up" }
  if (!isObserved) return averageCall(assumed, agent)
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const again = ["no_answer", "busy", "carrier_error", ...(agent.voicemail_action === "hang_up" ? ["voicemail"] : [])]
  const retried = again.reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0)
  return { seconds: lately.seconds / lately.ended, retried: retried / Math.max(1, ended) }
}

/** Yields after each contact: the runtime takes 0.1 ms to know a zone, and a number may be in 42 of them. */
function* zonesOf({
  account_window,
  calling_window,
  zone_sample,
}: ForecastRow): Generator<void, ForecastFacts["zones"]> {
  const zone = (calling_window ?? account_window)?.time_zone
  if (zone !== "contact") return [{ share: 1, zones: [] }]
  const groups = new Map<string, { readonly zones: ReadonlyArray<string>; count: number }>()
  for (const { phone_number, time_zone } of zone_sample) {
    const zones = zonesOfContact(phone_number, { time_zone })
    const key = zones.join("&")
    const group = groups.get(key) ?? { zones, count: 0 }
    group.count++
    groups.set(key, group)
    yield
  }
  return [...groups.values()].map(({ count, zones }) => ({ share: count / zone_sample.length, zones }))
}
