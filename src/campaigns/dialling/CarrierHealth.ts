/**
 * Counts the carrier's recent results on each campaign's calls, and finds the campaigns that the carrier fails. Runs in
 * the transaction that ends the calls, under the budget's lock. The circuit breaker decides when a campaign is paused.
 */
import { Config, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { EndedCall } from "../../calls/Calls.ts"
import { type BreakerSettings, carrierFailed, opens } from "../../domain/CircuitBreaker.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"

const within = (minimum: number, maximum: number) =>
  Schema.FiniteFromString.check(Schema.isBetween({ minimum, maximum }))

export const settings: Config.Config<BreakerSettings> = Config.map(
  Config.all({
    percent: Config.schema(within(0, 100), "PARLEY_BREAKER_PERCENT").pipe(Config.withDefault(50)),
    window_seconds: Config.schema(within(1, 86_400), "PARLEY_BREAKER_SECONDS").pipe(Config.withDefault(120)),
    least_calls: Config.schema(within(1, 1_000_000), "PARLEY_BREAKER_CALLS").pipe(Config.withDefault(20)),
  }),
  ({ percent, ...rest }) => ({ share: percent / 100, ...rest }),
)

/** The window slides in this many steps. */
const slices = 24

interface Counted {
  readonly id: string
  readonly ended: number
  readonly failed: number
}

const countByCampaign = (calls: ReadonlyArray<EndedCall>): ReadonlyArray<Counted> =>
  [...Map.groupBy(calls, ({ campaign_id }) => campaign_id)].flatMap(([id, ended]) => {
    const verdicts = ended.flatMap(({ end_reason, outcome }) => carrierFailed(outcome, end_reason) ?? [])
    return id === null || verdicts.length === 0
      ? []
      : [{ id, ended: verdicts.length, failed: verdicts.filter((failed) => failed).length }]
  })

/** Counts these ends of running campaigns. Returns the campaigns that their carrier fails. */
export const recordEnds = Effect.fn("CarrierHealth.recordEnds")(function* (
  calls: ReadonlyArray<EndedCall>,
  settings: BreakerSettings,
) {
  const counted = countByCampaign(calls)
  if (settings.share === 0 || counted.length === 0) return []
  yield* count(counted, settings)
  const suspects = counted.flatMap(({ failed, id }) => (failed > 0 ? [id] : []))
  if (suspects.length === 0) return []
  const healths = yield* read(suspects, settings)
  return healths.filter((health) => opens(health, settings))
})

const count = Effect.fnUntraced(function* (counted: ReadonlyArray<Counted>, { window_seconds }: BreakerSettings) {
  const sql = yield* SqlClient.SqlClient
  const slice = window_seconds / slices
  yield* sql`
    with ends as (select * from jsonb_to_recordset(${json(counted)}::jsonb) as e(id uuid, ended int, failed int)),
      forgotten as (
        delete from carrier_health h using ends e
        where h.campaign_id = e.id and h.slice_at < clock_timestamp() - make_interval(secs => ${window_seconds + slice}))
    insert into carrier_health (campaign_id, slice_at, ended, failed)
    select id, to_timestamp(floor(extract(epoch from clock_timestamp()) / ${slice}::float8) * ${slice}::float8), ended, failed
    from ends order by id
    on conflict (campaign_id, slice_at) do update set
      ended = carrier_health.ended + excluded.ended, failed = carrier_health.failed + excluded.failed`
})

const Health = Schema.Struct({ id: Schema.String, ended: Schema.Int, failed: Schema.Int, taken: Schema.Int })

const read = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, { window_seconds }: BreakerSettings) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Health)(sql`
    select h.campaign_id as id, sum(h.ended)::int as ended, sum(h.failed)::int as failed,
      (select count(*)::int from live_calls l join calls c on c.id = l.call_id
       where c.campaign_id = h.campaign_id and c.status in ('ringing', 'in_progress')) as taken
    from carrier_health h
    where h.campaign_id = any(${ids}::uuid[]) and h.slice_at > clock_timestamp() - make_interval(secs => ${window_seconds})
    group by h.campaign_id`)
})

/**
 * Forgets a campaign's counted calls when the campaign is started or resumed: the cause may be fixed, so earlier calls
 * no longer count as evidence.
 */
export const forget = Effect.fn("CarrierHealth.forget")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from carrier_health where campaign_id = ${id}`
})
