/** The inputs of a campaign's forecast, read in the statement of its snapshot so that both are of one moment. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { longestCallSeconds } from "../domain/Agent.ts"
import { CallingWindow } from "../domain/CallingWindow.ts"
import { CampaignFields, type CampaignStatus, type Counts, isTerminal } from "../domain/Campaign.ts"
import { windowOf } from "../domain/DialDecision.ts"
import {
  describeLimit,
  type Forecast,
  forecast,
  type ForecastEnd,
  type ForecastFacts,
  shareOfCaps,
} from "../domain/Forecast.ts"
import { zoneShares } from "../domain/ForecastZones.ts"
import { planNumber } from "../domain/PlannedNumber.ts"
import { assumedOf } from "../domain/Preflight.ts"
import { averageCall } from "../domain/PreflightChance.ts"
import type { Prices } from "../domain/PriceList.ts"
import { longestDelay } from "../domain/RetryByOutcome.ts"
import { nextDay } from "../domain/ZoneClock.ts"
import { zonesOfContact } from "../catalog/NumberZones.ts"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import { planMoney, type Spending } from "./ForecastSpending.ts"
import { StoredNumbers, storedNumbers } from "./StoredNumbers.ts"

/** The least number of ended calls from which their average is used: with fewer, the assumptions are more reliable. */
const leastEvidence = 10
/** The size of the sample: the time zones and prices of these contacts stand for those of all waiting contacts. */
const sampled = 60

const Sampled = Schema.Struct({
  phone_number: Schema.String,
  additional_numbers: Schema.NullOr(Schema.Array(Schema.String)),
  time_zone: Schema.NullOr(Schema.String),
})

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
  numbers: StoredNumbers,
  voicemail_action: Schema.NullOr(Schema.Literals(["hang_up", "leave_message"])),
  /** The last attempts: how many have ended, and for how many seconds all of them have held a slot so far. */
  lately: Schema.Struct({ ended: Schema.Int, seconds: Schema.Finite }),
  /** The longest that a call may last. */
  max_call_seconds: Schema.Int,
  sample: Schema.Array(Sampled),
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
  ${storedNumbers(sql)} as numbers,
  coalesce((select (k.content -> 'agent' ->> 'max_call_seconds')::integer
            from agent_versions v join agent_contents k on k.agent_id = v.agent_id and k.digest = v.content_digest
            where v.agent_id = c.agent_id and v.version = c.agent_version),
           (select max_call_seconds from agents where id = c.agent_id), ${longestCallSeconds}::integer) as max_call_seconds,
  (select voicemail_action from agents where id = c.agent_id) as voicemail_action,
  (select jsonb_build_object('ended', count(ended_at), 'seconds',
      coalesce(sum(greatest(0, extract(epoch from coalesce(ended_at, t.now) - started_at))), 0)::float8)
   from (select started_at, ended_at from calls where campaign_id = c.id order by started_at desc, id desc
         limit least(2000, greatest(1000, 2 * c.max_concurrent_calls))) attempts) as lately,
  case when coalesce(c.calling_window, b.calling_window) ->> 'time_zone' = 'contact' or c.max_spend is not null
      or b.daily_spend_cap is not null then
    (select coalesce(jsonb_agg(jsonb_build_object('phone_number', phone_number, 'additional_numbers', additional_numbers,
       'time_zone', custom_fields ->> 'time_zone')), '[]')
     from contacts where campaign_id = c.id and position = any(array(
       select 1 + first + (place * greatest(1, p.total - first))::bigint / ${sampled}
       from generate_series(0, ${sampled} - 1) place,
         (select case when p.last_position < p.total then p.last_position else 0 end as first) rest)::int[]))
  else '[]' end as sample`

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
} & Spending

/** Milliseconds for which the forecast works without a rest: other requests wait for that long. */
const sliceMs = 4

/** Null if the campaign has ended. */
export const forecastOf = Effect.fnUntraced(function* (row: ForecastRow) {
  if (isTerminal(row.status)) return null
  const isObserved = row.lately.ended >= leastEvidence
  const basis = isObserved ? "observed" : "assumed"
  const found = yield* inSlices(steps(row, isObserved, yield* InstallationPrices))
  const { ends_at } = found
  const seconds = ends_at === null ? null : Math.round((ends_at - row.at.getTime()) / 1_000)
  const end = ends_at === null ? null : new Date(ends_at)
  return { seconds, ends_at: end, ...describeLimit(found), basis } satisfies Forecast
})

function* steps(row: ForecastRow, isObserved: boolean, prices: Prices | null): Generator<void, ForecastEnd> {
  const facts = factsOf(row, isObserved, prices)
  return yield* forecast({ ...facts, zones: yield* zonesOf(row, facts) })
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

const factsOf = (row: ForecastRow, isObserved: boolean, prices: Prices | null): Omit<ForecastFacts, "zones"> => {
  const { active_calls, counts, last_callback_at, last_retry_at, max_concurrent_calls, numbers, time_zone } = row
  const others = row.budget_used - (row.status === "running" ? max_concurrent_calls : 0)
  const from = row.status === "draft" ? Math.max(row.at.getTime(), row.scheduled_at?.getTime() ?? 0) : row.at.getTime()
  // On a later day nothing of that day is used.
  const isToday = nextDay(time_zone, from) === nextDay(time_zone, row.at.getTime())
  const today = isToday ? row.today : 0
  const caps = { calls_per_minute: row.minute_limit, calls_per_day: row.day_limit, calls_today: today }
  const { calls_today, ...shared } = shareOfCaps(caps, max_concurrent_calls, others)
  const again = row.retries_due + row.retries_waiting + row.callbacks_due + row.callbacks_waiting
  const retrying = Math.min(counts.pending, again)
  const share = max_concurrent_calls / (max_concurrent_calls + others)
  return {
    from,
    contacts: { fresh: counts.pending - retrying, retrying, in_call: active_calls },
    last_retry_at: last_retry_at?.getTime() ?? null,
    last_callback_at: last_callback_at?.getTime() ?? null,
    window: windowOf(row, { calling_window: row.account_window }),
    max_concurrent_calls,
    max_calls_per_minute: row.max_calls_per_minute,
    retries_per_contact: row.retries_per_contact,
    // The last contact may have to wait for the longest of the delays.
    retry_delay_seconds: longestDelay(row),
    numbers: numbers.map((number) => planNumber(number, isToday)),
    money: planMoney(row, { prices, share, isToday, isObserved }),
    account: { ...shared, concurrent_max: row.concurrent_max, time_zone },
    calls_today,
    last_minute: row.last_minute,
    attempt: attemptOf(row, isObserved),
  }
}

const assumed = assumedOf({})

const attemptOf = ({ lately, max_call_seconds, outcomes, voicemail_action }: ForecastRow, isObserved: boolean) => {
  const agent = { max_call_seconds, voicemail_action: voicemail_action ?? "hang_up" }
  if (!isObserved) return averageCall(assumed, agent)
  const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const again = ["no_answer", "busy", "carrier_error", ...(agent.voicemail_action === "hang_up" ? ["voicemail"] : [])]
  const retried = again.reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0)
  return { seconds: lately.seconds / lately.ended, retried: retried / Math.max(1, ended) }
}

/** The runtime takes 0.1 ms to know a zone, and a number may be in 42 of them. */
function* zonesOf(
  { sample }: ForecastRow,
  { attempt, from, retries_per_contact, window }: Omit<ForecastFacts, "zones">,
): Generator<void, ForecastFacts["zones"]> {
  if (window?.time_zone !== "contact") return [{ share: 1, zones: [] }]
  const persons: Array<ReadonlyArray<ReadonlyArray<string>>> = []
  for (const { additional_numbers, phone_number, time_zone } of sample) {
    persons.push([phone_number, ...(additional_numbers ?? [])].map((number) => zonesOfContact(number, { time_zone })))
    yield
  }
  return yield* zoneShares(persons, {
    ...{ window, at: from, attempts: 1 + retries_per_contact },
    retried: attempt.retried,
  })
}
