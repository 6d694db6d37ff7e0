/** The contacts of a campaign as clients see them: lists, and one with its attempts (decisions §2, Contact). */
import { Effect, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import * as Callbacks from "../catalog/Callbacks.ts"
import type { Outcome } from "../domain/Call.ts"
import { Attempt, Contact, type ContactStatus } from "../domain/Contact.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { NotFound } from "../domain/Refusals.ts"
import { toLikePattern, searchTerms } from "../domain/SearchTerms.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as DialRefusals from "./dialling/DialRefusals.ts"
import * as Receipts from "./Receipts.ts"

export interface ContactConditions {
  readonly status?: ContactStatus
  readonly outcome?: Outcome
  /** The key of the disposition of the contact's last call. */
  readonly disposition?: string
  /** Matches a number as people write it, or words. Each word must occur in the number or in a field. */
  readonly search?: string
}

export interface ContactFilter extends ContactConditions, PageRequest {}

const Row = Schema.toType(Contact)
/** Times in the columns of a row are dates; times inside its JSON are texts. */
const AttemptRow = Schema.Struct({
  ...Struct.omit(Attempt.fields, ["receipt"]),
  started_at: Schema.Date,
  answered_at: Schema.NullOr(Schema.Date),
  ended_at: Schema.NullOr(Schema.Date),
})

/** The columns of a contact, read from `contacts`. */
export const columns = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  id, external_id, position, nullif(phone_number, '') as phone_number, coalesce(additional_numbers, '{}') as additional_numbers, priority, custom_fields, status, outcome, attempts, last_call_id, skip_reason,
         withdrawn_at, updated_at, callbacks,
         case when status in ('pending', 'in_progress') then callback_at end as callback_at,
         case when status = 'pending' and waits_for is not null and isfinite(due_at) then due_at end as next_attempt_at,
         case when status = 'pending' and due_at > clock_timestamp() then ${sql.literal(Callbacks.waitsFor("contacts"))} end as waiting_for`

const rows = (sql: SqlClient.SqlClient, rest: Statement.Fragment) => sql`
  select ${columns(sql)} from contacts ${rest}`

const select = (sql: SqlClient.SqlClient, rest: Statement.Fragment) =>
  rows(sql, rest).pipe(Effect.flatMap(readable(Row)), Effect.orDie)

/** Lists contacts in file order. */
export const list = (campaignId: string, filter: ContactFilter) =>
  filter.outcome === undefined && filter.disposition === undefined && filter.search === undefined
    ? listByPosition(campaignId, filter)
    : listMatching(campaignId, filter)

/**
 * Takes the total from the campaign's own counts. Without a status, finds the page by position: positions have no gaps,
 * so every page of a long list costs as much as the first.
 */
const listByPosition = Effect.fn("Contacts.listByPosition")(function* (campaignId: string, filter: ContactFilter) {
  const sql = yield* SqlClient.SqlClient
  const { page, page_size, status } = filter
  const before = page * page_size
  const of = sql`campaign_id = ${campaignId}`
  const [count] = yield* sql`select ${sql(status ?? "total")} as total from campaign_progress where ${of}`.pipe(
    Effect.orDie,
  )
  const some =
    status === undefined
      ? sql`position > ${before}::int8 order by position limit ${page_size}`
      : sql`status = ${status} order by position limit ${page_size} offset ${before}`
  const items = yield* select(sql, sql`where ${of} and ${some}`)
  return { items, page, page_size, total: Number(count?.["total"]) } satisfies Page<Contact>
})

/** The condition on rows of `contacts` that they belong to the campaign and match the filter. */
export const conditionOf = (
  sql: SqlClient.SqlClient,
  campaignId: string,
  { disposition, outcome, search, status }: ContactConditions,
): Statement.Fragment =>
  sql.and([
    sql`campaign_id = ${campaignId}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(disposition === undefined ? [] : [hasDisposition(sql, [disposition])]),
    ...(search === undefined ? [] : [matching(sql, search)]),
  ])

/** The condition on rows of `contacts` that their last call has one of the dispositions. */
export const hasDisposition = (
  sql: SqlClient.SqlClient,
  keys: ReadonlyArray<string>,
): Statement.Fragment => sql`exists (
  select from calls l where l.id = contacts.last_call_id and l.disposition ->> 'key' = any(${[...keys]}::text[]))`

/** Counts and pages in one scan of the rows, since no index covers the searched text. */
const listMatching = Effect.fn("Contacts.listMatching")(function* (campaignId: string, filter: ContactFilter) {
  const sql = yield* SqlClient.SqlClient
  const { page, page_size } = filter
  const of = sql`campaign_id = ${campaignId}`
  const where = conditionOf(sql, campaignId, filter)
  const [found] = yield* sql`
    with found as materialized (select position from contacts where ${where})
    select (select count(*)::int from found) as total,
      array(select position from found order by position limit ${page_size} offset ${page * page_size}) as positions`.pipe(
    Effect.orDie,
  )
  const items = yield* select(sql, sql`where ${of} and position = any(${found?.["positions"]}) order by position`)
  return { items, page, page_size, total: Number(found?.["total"]) } satisfies Page<Contact>
})

/** The condition on rows of `contacts` for a search. */
export const matching = (sql: SqlClient.SqlClient, search: string): Statement.Fragment => {
  const { digits, words } = searchTerms(search)
  const inEvery = sql.and([sql.literal("true"), ...words.map((word) => hasWord(sql, word))])
  return digits === undefined
    ? inEvery
    : sql`(phone_number like ${toLikePattern(digits)} or additional_numbers::text like ${toLikePattern(digits)} or ${inEvery})`
}

/**
 * The text of all fields is searched first, which costs a fifth of searching each value: a value that contains the word
 * occurs in that text as JSON writes it. Only then is each value searched, since the word may be in a column's name.
 */
const hasWord = (sql: SqlClient.SqlClient, word: string) => sql`(
  phone_number ilike ${toLikePattern(word)}
  or custom_fields::text ilike ${toLikePattern(JSON.stringify(word).slice(1, -1))} and exists (
    select from jsonb_each_text(custom_fields) field where field.value ilike ${toLikePattern(word)}))`

/** Lists the contacts that wait for a callback, in the order in which they are due. */
export const listCallbacks = Effect.fn("Contacts.listCallbacks")(function* (
  campaignId: string,
  { page, page_size }: PageRequest,
) {
  const sql = yield* SqlClient.SqlClient
  const outstanding = sql`where campaign_id = ${campaignId} and callback_at is not null and status = 'pending'`
  const [count] = yield* sql`select count(*)::int as total from contacts ${outstanding}`.pipe(Effect.orDie)
  const items = yield* select(
    sql,
    sql`${outstanding} order by due_at, position limit ${page_size} offset ${page * page_size}`,
  )
  return { items, page, page_size, total: Number(count?.["total"]) } satisfies Page<Contact>
})

/** Reads a contact with its attempts, each of which is a call, and with the decisions not to dial it. */
export const find = Effect.fn("Contacts.find")(function* (campaignId: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const notFound = new NotFound({ resource: "contact", id })
  if (!isUuid(id)) return yield* notFound
  const contact = yield* Rows.first(Row)(rows(sql, sql`where campaign_id = ${campaignId} and id = ${id}`)).pipe(
    Effect.orDie,
  )
  if (contact === undefined) return yield* notFound
  const attempt_log = yield* Rows.all(AttemptRow)(sql`
    select c.id, c.attempt_number as number, c.to_number as to, c.outcome, c.started_at, c.answered_at, c.ended_at, c.id as call_id,
      c.disposition, r.record as decision
    from calls c left join dial_records r on r.id = c.dial_record_id
    where c.contact_id = ${id} order by c.attempt_number`).pipe(Effect.orDie)
  const receipts = yield* Receipts.findOfContact(id)
  return {
    ...contact,
    attempt_log: attempt_log.map((attempt) => ({ ...attempt, receipt: receipts.get(attempt.id) ?? null })),
    decisions: yield* DialRefusals.listOfContact(id),
  }
})
