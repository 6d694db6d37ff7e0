/**
 * Reads a campaign's contacts for a preflight, page by page: those that are left to call, and those that must not be
 * called.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Callbacks from "../catalog/Callbacks.ts"
import * as CampaignRules from "../catalog/CampaignRules.ts"
import { groundFor } from "../catalog/ConsentGround.ts"
import * as ErasedNumbers from "../catalog/ErasedNumbers.ts"
import { quietFor } from "../catalog/QuietPeriods.ts"
import { forbiddenUntil } from "../catalog/SubjectSuppressions.ts"
import { ContactId } from "../domain/Contact.ts"
import { TimedWait } from "../domain/DialDecision.ts"
import { E164 } from "../domain/E164.ts"
import type { PreflightContact } from "../domain/PreflightQueue.ts"
import type { FrozenPack } from "../domain/RulePack.ts"
import type { EarlierAttempt } from "../domain/Rules.ts"
import * as Rows from "../tenancy/Rows.ts"
import type { CampaignRow } from "./Campaigns.ts"
import { firstInLine } from "./Preferred.ts"
import { zonesOfContact } from "../catalog/NumberZones.ts"

const Row = Schema.Struct({
  id: ContactId,
  position: Schema.Int,
  priority: Schema.Int,
  phone_number: E164,
  /** The columns that place and time zone depend on. */
  custom_fields: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  attempts: Schema.Int,
  callbacks: Schema.Int,
  due_at: Schema.NullOr(Schema.Date),
  waits_for: Schema.NullOr(TimedWait),
  is_listed: Schema.Boolean,
  listed_until: Schema.NullOr(Schema.Date),
  consent_until: Schema.NullOr(Schema.Date),
  quiet_until: Schema.NullOr(Schema.Date),
  in_progress: Schema.Boolean,
})

/** Contacts in a page. A page is decoded without a pause, in some milliseconds; other fibers run between two pages. */
const pageSize = 2_000

/** Gives each contact to `take`, in file order. */
export const forEach = Effect.fn("PreflightContacts.forEach")(function* (
  campaign: CampaignRow,
  packs: ReadonlyArray<FrozenPack>,
  now: Date,
  take: (contact: PreflightContact, isInCall: boolean, earlier: ReadonlyArray<EarlierAttempt>) => void,
) {
  const { counts, subject } = campaign
  const zones = new Map<string, ReadonlyArray<string>>()
  const whereabouts = new Map<string, NonNullable<PreflightContact["whereabouts"]>>()
  const whereaboutsOf = (row: typeof Row.Type) => {
    if (packs.length === 0) return undefined
    const { place, zones } = CampaignRules.partyOf(row, [])
    const key = JSON.stringify([place, zones])
    const shared = whereabouts.get(key) ?? { place, zones }
    whereabouts.set(key, shared)
    return shared
  }
  for (let after = 0; after < counts.total; after += pageSize) {
    const rows = yield* page(campaign, after)
    const numbers = rows.map(({ phone_number }) => phone_number)
    const earlier = yield* Effect.orDie(CampaignRules.readEarlier(packs, subject, numbers, now))
    for (const row of rows) {
      const own = zonesOfContact(row.phone_number, row.custom_fields)
      const key = own.join("&")
      const shared = zones.get(key) ?? own
      zones.set(key, shared)
      const contact = { ...contactOf(row, shared), whereabouts: whereaboutsOf(row) }
      take(contact, row.in_progress, earlier.get(row.phone_number) ?? [])
    }
    yield* Effect.yieldNow
  }
})

const contactOf = (
  { consent_until, in_progress: _, is_listed, listed_until, custom_fields: __, ...row }: typeof Row.Type,
  zones: ReadonlyArray<string>,
): PreflightContact => ({
  ...row,
  zones,
  consent_until: consent_until === null ? Infinity : consent_until.getTime(),
  listed_until: is_listed ? (listed_until?.getTime() ?? Infinity) : 0,
})

/**
 * Pages by ranges of positions, which have no gaps, so that nothing is sorted even if the planner has no statistics of
 * a list that was just loaded. (`order by position limit 2000` read the rest of the list for every page.)
 */
const page = Effect.fnUntraced(function* (campaign: CampaignRow, after: number) {
  const sql = yield* SqlClient.SqlClient
  const { id: campaignId, quiet_after_answer_seconds, required_consent: required, subject } = campaign
  const ground = yield* groundFor(required, sql.literal("c.phone_number"), sql.literal("statement_timestamp()"))
  // Null for a consent without an end, and if none is required.
  const consentUntil =
    required === null
      ? sql`null::timestamptz`
      : sql`(select case when g is null then to_timestamp(0) else (g ->> 'expires_at')::timestamptz end from (select ${ground}) t(g))`
  return yield* Rows.all(Row)(sql`
    select c.id, c.position, c.priority, c.phone_number, c.attempts,
      jsonb_build_object('time_zone', c.custom_fields ->> 'time_zone', 'country', c.custom_fields ->> 'country',
        'state', c.custom_fields ->> 'state') as custom_fields,
      c.callbacks + (c.callback_at is not null)::int as callbacks,
      ${sql.literal(Callbacks.waitsFor("c"))} as waits_for,
      case when isfinite(c.due_at) then nullif(c.due_at, ${sql.literal(firstInLine)}) end as due_at,
      s.phone_number is not null or e.digest is not null or o.until is not null as is_listed,
      case when s.source is not null and s.expires_at is null or e.source is not null and e.expires_at is null
             or o.until = 'infinity'
           then null else greatest(s.expires_at, e.expires_at, o.until) end as listed_until,
      ${consentUntil} as consent_until,
      (${yield* quietFor(quiet_after_answer_seconds, sql.literal("statement_timestamp()"))} ->> 'until')::timestamptz as quiet_until,
      c.status = 'in_progress' as in_progress
    from contacts c left join suppressions s on s.phone_number = c.phone_number
      left join erased_suppressions e on ${yield* ErasedNumbers.isDigestOf(sql.literal("c.phone_number"))}
      cross join lateral (select ${yield* forbiddenUntil(sql.literal("c.phone_number"), sql`${subject}::text`)} as until) o
    where c.campaign_id = ${campaignId} and c.position > ${after} and c.position <= ${after + pageSize}
      and c.status in ('pending', 'in_progress')
    order by c.position`).pipe(Effect.orDie)
})
