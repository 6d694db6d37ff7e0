/**
 * The numbers that a campaign calls from in a dial pass. The pass holds the budget's lock, which every call from any of
 * the numbers takes, so no other campaign uses up what is read here (decision 0084).
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { numberPaceOf, paceAt, recordCallsFrom } from "../../calls/Calls.ts"
import * as NumberRests from "../../catalog/NumberRests.ts"
import { placeOfContact } from "../../catalog/NumberPlaces.ts"
import { type CallerPool, type Choice, type Chooser, isHeld, makeChooser, paceOfPool } from "../../domain/CallerPool.ts"
import type { Allowance } from "../../domain/DialPass.ts"
import { callsPerSecond, type NumberPace } from "../../domain/NumberPace.ts"
import { PhoneNumber } from "../../domain/PhoneNumber.ts"
import { accountDay } from "../../tenancy/AccountDay.ts"
import { uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { DialCampaign } from "./DialCampaign.ts"
import type { Candidate } from "./DialQueue.ts"

const { carrier, carrier_config, id, max_calls_per_day, min_seconds_between_calls, number } = PhoneNumber.fields

const Row = Schema.toType(
  Schema.Struct({
    ...{ id, number, carrier, carrier_config, max_calls_per_day, min_seconds_between_calls },
    paced_ms: Schema.NullOr(Schema.Finite),
    begun_today: Schema.Int,
    last_at: Schema.NullOr(Schema.Date),
    rests: Schema.Boolean,
    /** Null for a rest that only a user ends. */
    rests_ms: Schema.NullOr(Schema.Finite),
    tomorrow_ms: Schema.Finite,
  }),
)
type Row = typeof Row.Type

type MainNumber = NonNullable<DialCampaign["number"]>

/** What a pass may use: the campaign's one number, which has a pace at most, or a pool. */
export interface DialNumbers {
  readonly pace: NumberPace
  readonly pool: (CallerPool & { readonly rows: ReadonlyArray<Row> }) | null
  readonly main: MainNumber
}

/** A number with no limit of its own needs no more than its pace, as a campaign without a pool always did. */
const needsPool = ({ caller_numbers }: DialCampaign, number: MainNumber): boolean =>
  caller_numbers.length > 0 || number.max_calls_per_day !== null || number.rests

export const read = Effect.fn("DialNumbers.read")(function* (campaign: DialCampaign, main: MainNumber) {
  if (!needsPool(campaign, main)) return { pace: yield* numberPaceOf(main), pool: null, main } satisfies DialNumbers
  const rows = yield* readRows([main.id, ...campaign.caller_numbers], main.carrier)
  const pool = {
    rows,
    numbers: rows.map((row) => {
      const rate = callsPerSecond(row)
      return {
        ...{ id: row.id, number: row.number, place: placeOfContact(row.number, {}) },
        pace: rate === null ? { calls_per_second: null, free: Infinity, free_in_ms: 0 } : paceAt(rate, row.paced_ms),
        left_today: row.max_calls_per_day === null ? Infinity : Math.max(0, row.max_calls_per_day - row.begun_today),
        rests_ms: row.rests ? Math.max(1, row.rests_ms ?? Infinity) : 0,
        last_at: row.last_at?.getTime() ?? -Infinity,
        begun_today: row.begun_today,
      }
    }),
    local_presence: campaign.local_presence,
    tomorrow_ms: rows[0]?.tomorrow_ms ?? 0,
  }
  return { pace: paceOfPool(pool), pool, main } satisfies DialNumbers
})

/** Calls that are older, in days, do not count for the order of last use. */
const rememberedDays = 31

const readRows = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, carrier: Row["carrier"]) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select n.id, n.number, n.carrier, n.max_calls_per_day, n.min_seconds_between_calls,
      jsonb_strip_nulls(jsonb_build_object('calls_per_second', n.carrier_config -> 'calls_per_second')) as carrier_config,
      (extract(epoch from p.free_at - t.now) * 1000)::float8 as paced_ms,
      coalesce(d.begun_today, 0) as begun_today, d.last_at, r.until is not null as rests,
      case when isfinite(r.until) then (extract(epoch from r.until - t.now) * 1000)::float8 end as rests_ms,
      (extract(epoch from (t.today + 1)::timestamp at time zone t.time_zone - t.now) * 1000)::float8 as tomorrow_ms
    from ${sql.literal(accountDay)}
    cross join phone_numbers n
    left join number_paces p on p.phone_number_id = n.id
    left join number_rests r on r.phone_number_id = n.id and r.until > t.now
    left join lateral (
      select (sum(begun) filter (where day = t.today))::int as begun_today, max(last_at) as last_at from number_days
      where phone_number_id = n.id and day > t.today - ${rememberedDays}::int) d on true
    where n.id = any(${uuids(ids)}) and n.carrier = ${carrier}
    order by array_position(${uuids(ids)}, n.id)`)
})

/** Says that the campaign waits for a number if none may call for a while. */
export const limit = ({ pace, pool }: DialNumbers, allowed: Allowance): Allowance =>
  pool === null || !isHeld(pace) ? allowed : { ...allowed, own: { calls: 0, stopped_by: "caller_number" } }

/** The number of the pool that called each of these people first, by the called number. */
const readEarlier = Effect.fnUntraced(function* (pool: CallerPool, candidates: ReadonlyArray<Candidate>) {
  if (pool.numbers.length < 2 || candidates.length === 0) return new Map<string, string>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly to_number: string; readonly id: string }>`
    select distinct on (to_number) to_number, phone_number_id as id from calls
    where to_number = any(${[...new Set(candidates.map(({ phone_number }) => phone_number))]}::text[])
      and contact_id is not null and phone_number_id = any(${uuids(pool.numbers.map(({ id }) => id))})
    order by to_number, started_at`
  return new Map(rows.map(({ id, to_number }) => [to_number, id]))
})

/** The chooser for these contacts; undefined without a pool. `permits`: what the rule packs say to a number. */
export const chooser = Effect.fn("DialNumbers.chooser")(function* (
  { pool }: DialNumbers,
  candidates: ReadonlyArray<Candidate>,
  permits: ((contact: Candidate, from_number: string) => boolean) | undefined,
) {
  if (pool === null) return undefined
  const earlier = yield* readEarlier(pool, candidates)
  return makeChooser<Candidate>(pool, {
    earlierOf: ({ phone_number }) => earlier.get(phone_number),
    placeOf: ({ custom_fields, phone_number }) =>
      pool.local_presence ? placeOfContact(phone_number, custom_fields) : nowhere,
    permits: permits ?? (() => true),
  })
})
const nowhere = { country: null, state: null }

/** The number that a call to the contact comes from. */
export const choiceOf = ({ main }: DialNumbers, chooser: Chooser<Candidate> | undefined, contact: Candidate): Choice =>
  chooser?.choiceOf(contact) ?? { id: main.id, number: main.number, because: "only_number" }

/** Advances the paces of the numbers from which these calls began. */
export const recordCalls = (
  { main, pool }: DialNumbers,
  calls: ReadonlyArray<{ readonly phone_number_id: string }>,
) => {
  const counts = new Map<string, number>()
  for (const { phone_number_id } of calls) counts.set(phone_number_id, (counts.get(phone_number_id) ?? 0) + 1)
  return recordCallsFrom((pool?.rows ?? [main]).flatMap((number) => ({ ...number, calls: counts.get(number.id) ?? 0 })))
}

/** What the record of a decision says about the pool; undefined for a campaign with one number and no limit of it. */
export const recordOf = ({ pool }: DialNumbers, choice: Choice) => {
  if (pool === null) return undefined
  const resting = pool.numbers.filter(({ rests_ms }) => rests_ms > 0).length
  const at_daily_limit = pool.numbers.filter(({ left_today }) => left_today === 0).length
  return { ...choice, pool: { numbers: pool.numbers.length, resting, at_daily_limit } }
}

/** Rests the numbers of the pool that are answered far less often than the others, if the campaign wants that. */
export const restFalling = ({ id, number_rest }: DialCampaign, { pool }: DialNumbers) =>
  number_rest === null || pool === null || pool.numbers.length < 2
    ? Effect.void
    : NumberRests.restFalling(
        id,
        number_rest,
        pool.numbers.map((number) => number.id),
      )
