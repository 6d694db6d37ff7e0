/**
 * Reads a campaign's contacts for a preflight, page by page: those that are left to call, and those that must not be
 * called.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Callbacks from "../../catalog/Callbacks.ts"
import * as CampaignRules from "../../catalog/CampaignRules.ts"
import { quietFor } from "../../catalog/QuietPeriods.ts"
import { ContactId } from "../../domain/Contact.ts"
import { TimedWait } from "../../domain/DialDecision.ts"
import { E164 } from "../../domain/E164.ts"
import type { PreflightPerson } from "../../domain/PreflightPerson.ts"
import type { PreflightContact, PreflightNumber } from "../../domain/PreflightQueue.ts"
import type { EarlierByNumber } from "../../domain/PreflightRules.ts"
import type { FrozenPack } from "../../domain/RulePack.ts"
import { zoneKeyOf } from "../../domain/ZoneKey.ts"
import * as Rows from "../../tenancy/Rows.ts"
import * as Ticks from "../../tenancy/Ticks.ts"
import type { CampaignRow } from "../Campaigns.ts"
import { firstInLine } from "../dialling/Preferred.ts"
import * as PreflightPersons from "./PreflightPersons.ts"
import * as PreflightStandings from "./PreflightStandings.ts"
import { zonesOfContact } from "../../catalog/NumberZones.ts"

const Row = Schema.Struct({
  id: ContactId,
  position: Schema.Int,
  priority: Schema.Int,
  phone_number: E164,
  has_other_numbers: Schema.Boolean,
  /** The columns that place and time zone depend on. */
  custom_fields: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  attempts: Schema.Int,
  callbacks: Schema.Int,
  due_at: Schema.NullOr(Schema.Date),
  waits_for: Schema.NullOr(TimedWait),
  quiet_until: Schema.NullOr(Schema.Date),
  in_progress: Schema.Boolean,
  ...PreflightStandings.fields,
})

/** Contacts in a page. A page is decoded without a pause, in some milliseconds; other fibers run between two pages. */
const pageSize = 2_000

/** Gives each contact to `take`, in file order. */
export const forEach = Effect.fn("PreflightContacts.forEach")(function* (
  campaign: CampaignRow,
  packs: ReadonlyArray<FrozenPack>,
  now: Date,
  take: (contact: PreflightContact, isInCall: boolean, earlier: EarlierByNumber) => void,
) {
  const { counts, subject } = campaign
  const placeOf = placing(packs)
  for (let after = 0; after < counts.total; after += pageSize) {
    const rows = yield* page(campaign, after)
    const several = rows.flatMap(({ has_other_numbers, id }) => (has_other_numbers ? [id] : []))
    const persons = yield* PreflightPersons.read(campaign, several)
    const numbers = rows.flatMap(({ id, phone_number }) => [phone_number, ...(persons.get(id) ?? []).map(numberOf)])
    const earlier = yield* Effect.orDie(CampaignRules.readEarlier(packs, subject, numbers, now))
    yield* Ticks.forEach(rows, (row) => take(contactOf(row, persons.get(row.id), placeOf), row.in_progress, earlier))
    yield* Effect.yieldNow
  }
})

const numberOf = ({ number }: PreflightPersons.Row) => number

type Fields = (typeof Row.Type)["custom_fields"]
type PlaceOf = (phone_number: E164, custom_fields: Fields) => Pick<PreflightNumber, "zones" | "whereabouts">

/** The zones of a number, and with packs its place. Equal ones are shared, because a list has few of them. */
const placing = (packs: ReadonlyArray<FrozenPack>): PlaceOf => {
  const shared = new Map<number, ReadonlyArray<string>>()
  const share = (zones: ReadonlyArray<string>) => {
    const key = zoneKeyOf(zones)
    const before = shared.get(key) ?? zones
    shared.set(key, before)
    return before
  }
  const places = new Map<string, NonNullable<PreflightNumber["whereabouts"]>>()
  return (phone_number, custom_fields) => {
    if (packs.length === 0) return { zones: share(zonesOfContact(phone_number, custom_fields)) }
    const { place, window_zones, zones } = CampaignRules.partyOf({ phone_number, custom_fields }, [])
    const key = `${place.country} ${place.state} ${place.found_by} ${zoneKeyOf(zones)}`
    const whereabouts = places.get(key) ?? { place, zones }
    places.set(key, whereabouts)
    return { zones: share(window_zones), whereabouts }
  }
}

const contactOf = (
  row: typeof Row.Type,
  numbers: ReadonlyArray<PreflightPersons.Row> | undefined,
  placeOf: PlaceOf,
): PreflightContact => {
  const { attempts, callbacks, custom_fields, due_at, id, phone_number, position, priority, waits_for } = row
  return {
    ...{ id, position, priority, phone_number, attempts, callbacks, due_at, waits_for },
    ...placeOf(phone_number, custom_fields),
    ...PreflightStandings.toTimes(row),
    quiet_until: numbers?.[0] === undefined ? row.quiet_until : numbers[0].quiet_until,
    ...(numbers === undefined ? {} : { person: personOf(numbers, custom_fields, placeOf) }),
  }
}

const personOf = (
  rows: ReadonlyArray<PreflightPersons.Row>,
  custom_fields: Fields,
  placeOf: PlaceOf,
): PreflightPerson => ({
  numbers: rows.map((row) => ({
    phone_number: row.number,
    ...placeOf(row.number, custom_fields),
    ...PreflightStandings.toTimes(row),
  })),
  last: rows[0]?.last ?? null,
  invalid: rows.flatMap(({ is_invalid, number }) => (is_invalid ? [number] : [])),
})

/**
 * Pages by ranges of positions, which have no gaps, so that nothing is sorted even if the planner has no statistics of
 * a list that was just loaded. (`order by position limit 2000` read the rest of the list for every page.)
 */
const page = Effect.fnUntraced(function* (campaign: CampaignRow, after: number) {
  const sql = yield* SqlClient.SqlClient
  const { id: campaignId, quiet_after_answer_seconds } = campaign
  const { columns, joins } = yield* PreflightStandings.of(campaign, "c.phone_number")
  return yield* Rows.all(Row)(sql`
    select c.id, c.position, c.priority, c.phone_number, c.attempts, c.additional_numbers is not null as has_other_numbers,
      jsonb_build_object('time_zone', c.custom_fields ->> 'time_zone', 'country', c.custom_fields ->> 'country',
        'state', c.custom_fields ->> 'state') as custom_fields,
      c.callbacks + (c.callback_at is not null)::int as callbacks,
      ${sql.literal(Callbacks.waitsFor("c"))} as waits_for,
      case when isfinite(c.due_at) then nullif(c.due_at, ${sql.literal(firstInLine)}) end as due_at, ${columns},
      (${yield* quietFor(quiet_after_answer_seconds, sql.literal("statement_timestamp()"))} ->> 'until')::timestamptz as quiet_until,
      c.status = 'in_progress' as in_progress
    from contacts c ${joins}
    where c.campaign_id = ${campaignId} and c.position > ${after} and c.position <= ${after + pageSize}
      and c.status in ('pending', 'in_progress')
    order by c.position`).pipe(Effect.orDie)
})
