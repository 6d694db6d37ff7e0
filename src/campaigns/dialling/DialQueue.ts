/**
 * The contacts that are due, and a dial transaction's writes on them. The transaction holds the budget's lock and the
 * campaign's row, as does every other transaction that writes on contacts, so contacts need no separate lock.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { IntendedCall } from "../../calls/Calls.ts"
import * as BusyLines from "../../catalog/BusyLines.ts"
import * as Callbacks from "../../catalog/Callbacks.ts"
import { groundFor } from "../../catalog/ConsentGround.ts"
import { quietFor } from "../../catalog/QuietPeriods.ts"
import { isForbidden } from "../../catalog/SubjectSuppressions.ts"
import { CampaignStatus } from "../../domain/Campaign.ts"
import type { ConsentStamp, RequiredConsent } from "../../domain/Consent.ts"
import { type Decided, TimedWait } from "../../domain/DialDecision.ts"
import type { NumberChoice } from "../../domain/DialRecord.ts"
import type { QuietPeriod } from "../../domain/QuietPeriod.ts"
import { texts, timestamps, uuids } from "../../tenancy/Columns.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { firstInLine } from "./Preferred.ts"

export interface Candidate {
  readonly id: string
  readonly position: number
  readonly priority: number
  /** Whether it was never dialled or put off. */
  readonly fresh: boolean
  readonly phone_number: string
  readonly custom_fields: Readonly<Record<string, string>>
  readonly attempts: number
  readonly due_at: Date | null
  readonly waits_for: TimedWait | null
  readonly callback_at: Date | null
  readonly callbacks: number
  readonly suppressed: boolean
  readonly consent: ConsentStamp | null
  readonly lacks_consent: boolean
  readonly quiet: QuietPeriod | null
  readonly quiet_until: Date | null
  readonly in_call: boolean
  /** Null if the person has one number. */
  readonly additional_numbers: ReadonlyArray<string> | null
  /** All numbers of the person, if there are several. */
  readonly lines?: ReadonlyArray<string>
  /** Which of them this is. */
  readonly number?: NumberChoice
}

/** What the candidates of a campaign depend on. */
interface Queued {
  readonly id: string
  readonly required_consent: RequiredConsent | null
  readonly quiet_after_answer_seconds: number | null
  readonly subject: string | null
  readonly has_preferred: boolean
}

/**
 * Reads the callbacks that are due, because a person was promised that time, then the contacts with a priority, the
 * highest first, then the other contacts whose waiting time is over, then those that were never looked at, in file
 * order. A waiting contact whose number is in a live call, of this campaign or of any other, is left out (I1); a fresh
 * one is marked, because it has to wait for that call's end. A contact on the do-not-call list is marked too, because it
 * is skipped for good (I12), and so is one without the consent that the campaign requires. The ledger and the answered
 * calls are read only if the campaign asks for it. Rows are not decoded with a schema: that would take two milliseconds
 * per thousand rows while the budget is locked.
 */
export const candidates = Effect.fn("DialQueue.candidates")(function* (
  { has_preferred, id: campaignId, quiet_after_answer_seconds, required_consent: required, subject }: Queued,
  atMost: number,
  now: Date,
) {
  const sql = yield* SqlClient.SqlClient
  const columns = sql`
    c.id, c.position, c.priority, c.phone_number, c.additional_numbers, c.custom_fields, c.attempts, c.callback_at, c.callbacks,
    ${sql.literal(Callbacks.waitsFor("c"))} as waits_for,
    case when c.waits_for is not null then c.due_at end as due_at,
    ${yield* isForbidden(sql.literal("c.phone_number"), sql`${subject}::text`)} as suppressed,
    ${yield* groundFor(required, sql.literal("c.phone_number"), now)} as consent,
    ${yield* quietFor(quiet_after_answer_seconds, now)} as quiet`
  const isDue = sql`c.status = 'pending' and c.due_at > ${sql.literal(firstInLine)}
        and c.due_at <= ${now} -- guard: a contact that waits for a time is no candidate before that time (I5)
        -- guard: a waiting contact whose number is in a call is no candidate (I1)
        and not ${sql.literal(BusyLines.isContactBusy("c"))}
        -- end of guard
  `
  const withPreferred = (text: string) => sql.literal(has_preferred ? text : "")
  // Those of one priority are in the usual order: first the ones whose waiting time is over.
  const preferred = has_preferred
    ? sql`preferred as (
      select ${columns}, false as fresh, false as in_call
      from preferred_contacts(${campaignId}, ${now}, ${atMost}) c
      order by c.priority desc, c.due_at = ${sql.literal(firstInLine)}, c.due_at, c.position
      limit ${atMost} - (select count(*) from called_back)),`
    : sql.literal("")
  return yield* sql<Candidate>`
    with called_back as (
      select ${columns}, false as fresh, false as in_call
      from contacts c
      where c.campaign_id = ${campaignId} and ${isDue} and c.callback_at is not null
      order by c.due_at, c.position limit ${atMost}),
    ${preferred}
    waiting as (
      select ${columns}, false as fresh, false as in_call
      from contacts c
      where c.campaign_id = ${campaignId} and ${isDue} and c.callback_at is null ${withPreferred("and c.priority = 0")}
      order by c.due_at, c.position
      limit ${atMost} - (select count(*) from called_back) ${withPreferred("- (select count(*) from preferred)")}),
    fresh as (
      select ${columns}, true as fresh,
        ${sql.literal(BusyLines.isContactBusy("c"))} as in_call
      from contacts c
      where c.campaign_id = ${campaignId} and c.status = 'pending' and c.due_at = '-infinity'
        and c.position > (select last_position from campaign_progress where campaign_id = ${campaignId})
      order by c.position limit ${atMost} - (select count(*) from called_back)
        ${withPreferred("- (select count(*) from preferred)")} - (select count(*) from waiting))
    select d.*, ${required !== null}::boolean and d.consent is null as lacks_consent,
      (d.quiet ->> 'until')::timestamptz as quiet_until
    from (select * from called_back ${withPreferred("union all select * from preferred")}
      union all select * from waiting union all select * from fresh) d`
})

const Next = Schema.Struct({
  status: Schema.NullOr(CampaignStatus),
  due: Schema.Boolean,
  waits_for: Schema.NullOr(TimedWait),
  in_ms: Schema.NullOr(Schema.Int),
})
export type Next = typeof Next.Type

/** Whether a contact is due, and when the next one is, among those that wait for a time. */
export const next = Effect.fn("DialQueue.next")(function* (campaignId: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Next)(sql`
    with soon as (
      select due_at, ${sql.literal(Callbacks.waitsFor("contacts"))} as waits_for from contacts
      where campaign_id = ${campaignId} and due_at > '-infinity' and due_at > statement_timestamp() and status = 'pending'
      order by due_at, position limit 1)
    select (select status from campaigns where id = ${campaignId}) as status,
      exists (select from contacts
              where campaign_id = ${campaignId} and due_at > '-infinity' and due_at <= statement_timestamp()
                and status = 'pending')
      or exists (select from contacts
                 where campaign_id = ${campaignId} and status = 'pending' and due_at = '-infinity'
                   and position > (select last_position from campaign_progress where campaign_id = ${campaignId})) as due,
      (select waits_for from soon) as waits_for,
      (select least(ceil(extract(epoch from due_at - clock_timestamp()) * 1000), 86400000)::int from soon) as in_ms`)
})

const Upcoming = Schema.Struct({
  behind_calls: Schema.Boolean,
  due_at: Schema.NullOr(Schema.Date),
  waits_for: Schema.NullOr(TimedWait),
})

/**
 * Looks at the contacts that are not candidates at `now`: finds the next one that waits for a time (`timed`), and
 * whether one waits for the end of a call (`behind_calls`).
 */
export const findUpcoming = Effect.fn("DialQueue.findUpcoming")(function* (campaignId: string, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const { behind_calls, due_at, waits_for } = yield* Rows.one(Upcoming)(sql`
    with soon as (
      select least(due_at, ${now}::timestamptz + interval '1 day') as due_at,
        ${sql.literal(Callbacks.waitsFor("contacts"))} as waits_for
      from contacts
      where campaign_id = ${campaignId} and due_at > '-infinity' and due_at > ${now} and status = 'pending'
      order by contacts.due_at, position limit 1)
    select (select due_at from soon) as due_at, (select waits_for from soon) as waits_for,
      exists (select from contacts
              where campaign_id = ${campaignId} and due_at > '-infinity' and due_at <= ${now} and status = 'pending'
                and ${sql.literal(BusyLines.isContactBusy("contacts"))}) as behind_calls`)
  return { behind_calls, timed: due_at === null || waits_for === null ? null : { due_at, waits_for } }
})

type Decisions = ReadonlyArray<Decided<Candidate>>

/** Puts contacts off until the decided time. One that waits for the end of another call counts as looked at. */
export const putOff = Effect.fn("DialQueue.putOff")(function* (decided: Decisions, now: Date) {
  const rows = decided.flatMap(({ contact, verdict }) => {
    if (verdict._tag !== "Wait" || (verdict.until === null && !contact.fresh)) return []
    return [{ id: contact.id, until: verdict.until ?? now, waits_for: verdict.until === null ? null : verdict.reason }]
  })
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts c set due_at = p.until, waits_for = p.waits_for, updated_at = clock_timestamp()
    from unnest(${uuids(rows.map(({ id }) => id))}, ${timestamps(rows.map(({ until }) => until))},
                ${texts(rows.map(({ waits_for }) => waits_for))}) as p(id, until, waits_for)
    where c.id = p.id`
})

export const skip = Effect.fn("DialQueue.skip")(function* (decided: Decisions) {
  const rows = decided.flatMap(({ contact, verdict }) =>
    verdict._tag === "Skip" ? [{ id: contact.id, reason: verdict.reason }] : [],
  )
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts c set status = 'skipped', skip_reason = p.reason, due_at = '-infinity', waits_for = null,
      callback_at = null, updated_at = clock_timestamp()
    from jsonb_to_recordset(${json(rows)}::jsonb) as p(id uuid, reason text)
    where c.id = p.id`
})

/**
 * Claims the contacts of these calls. From now on the attempt counts, whatever its outcome. Either all of the contacts
 * are still pending and are claimed, or none is. The next pass begins after the last contact that was looked at, or at
 * the end of the list if it `isRead`: the rest of the list may be long, and have only contacts with a priority.
 */
export const claim = Effect.fn("DialQueue.claim")(function* (
  campaignId: string,
  decided: Decisions,
  calls: ReadonlyArray<IntendedCall>,
  isRead: boolean,
) {
  const last = decided.findLast(({ contact }) => contact.fresh)
  if (last === undefined && calls.length === 0 && !isRead) return
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly claimed: number }>`
    with claimed as (
      update contacts c set status = 'in_progress', attempts = c.attempts + 1, last_call_id = i.call,
        due_at = '-infinity', waits_for = null, callbacks = c.callbacks + (c.callback_at is not null)::int,
        callback_at = null, updated_at = clock_timestamp()
      from unnest(${uuids(calls.map((call) => call.contact_id))}, ${uuids(calls.map(({ id }) => id))}) as i(contact, call)
      where c.id = i.contact
        and c.status = 'pending' -- guard: only a pending contact is claimed (I1, I5)
      returning 1),
    taken as (
      update campaign_progress set last_position = case when ${isRead} then total
        else coalesce(${last?.contact.position ?? null}::int, last_position) end
      where campaign_id = ${campaignId})
    select count(*)::int as claimed from claimed`
  if (row?.claimed !== calls.length) yield* Effect.die(new Error("contacts were written on without the budget's lock"))
})
