/** Conditions on the calls of a list: by their fields, or by a typed part of a number, a name or the transcript. */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { CallDirection, CallStatus, Outcome } from "../domain/Call.ts"
import type { PageRequest } from "../domain/Page.ts"
import { toLikePattern, searchTerms } from "../domain/SearchTerms.ts"

export interface CallConditions {
  readonly campaign_id?: string
  readonly agent_id?: string
  readonly status?: CallStatus
  readonly outcome?: Outcome
  readonly direction?: CallDirection
  /** The key of a disposition. */
  readonly disposition?: string
  /** Begun at this moment or later. */
  readonly from?: Date
  /** Begun before this moment. */
  readonly to?: Date
  /** A number as people write it, or words of the number, the contact, the variables or the transcript. */
  readonly search?: string
}

export interface CallFilter extends CallConditions, PageRequest {}

/** A condition on rows of `calls`. */
export const hasAll = (sql: SqlClient.SqlClient, filter: CallConditions): Statement.Fragment =>
  sql.and([
    sql.literal("true"),
    ...(filter.campaign_id === undefined ? [] : [sql`campaign_id = ${filter.campaign_id}`]),
    ...(filter.agent_id === undefined ? [] : [sql`agent_id = ${filter.agent_id}`]),
    ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`]),
    ...(filter.outcome === undefined ? [] : [sql`outcome = ${filter.outcome}`]),
    ...(filter.direction === undefined ? [] : [sql`direction = ${filter.direction}`]),
    ...(filter.disposition === undefined ? [] : [sql`disposition ->> 'key' = ${filter.disposition}`]),
    ...(filter.from === undefined ? [] : [sql`started_at >= ${filter.from}`]),
    ...(filter.to === undefined ? [] : [sql`started_at < ${filter.to}`]),
    ...(filter.search === undefined ? [] : [hasText(sql, filter.search)]),
  ])

/** One page of ids and the total, in one scan of the rows: no index covers the searched text. */
export const searchCalls = Effect.fn("CallSearch.searchCalls")(function* (filter: CallFilter) {
  const sql = yield* SqlClient.SqlClient
  const { page, page_size } = filter
  const [found] = yield* sql<{ total: number; ids: ReadonlyArray<string> }>`
    with found as materialized (select id, started_at from calls where ${hasAll(sql, filter)})
    select (select count(*)::int from found) as total,
      array(select id from found order by started_at desc, id desc limit ${page_size} offset ${page * page_size}) as ids`
  return found ?? { total: 0, ids: [] }
})

const hasText = (sql: SqlClient.SqlClient, search: string): Statement.Fragment => {
  const { digits, words } = searchTerms(search)
  const inEvery = sql.and([sql.literal("true"), ...words.map((word) => hasWord(sql, word))])
  return digits === undefined ? inEvery : sql`(${otherNumber(sql)} like ${toLikePattern(digits)} or ${inEvery})`
}

/** One side of every call is our own number, so only the other side is searched. */
const otherNumber = (sql: SqlClient.SqlClient) => sql`case direction when 'inbound' then from_number else to_number end`

/**
 * A campaign's call has its fields in the contact's row, so contacts are read once, not once for each call. The JSON is
 * searched as one text first, which is much cheaper than value by value: a value that contains the word occurs in that
 * text as JSON writes it.
 */
const hasWord = (sql: SqlClient.SqlClient, word: string) => {
  const pattern = toLikePattern(word)
  const inJson = toLikePattern(JSON.stringify(word).slice(1, -1))
  return sql`(
    ${otherNumber(sql)} ilike ${pattern}
    or contact_id in (
      select contacts.id from contacts where custom_fields::text ilike ${inJson} and exists (
        select from jsonb_each_text(custom_fields) field where field.value ilike ${pattern}))
    or variables::text ilike ${inJson} and exists (
      select from jsonb_each_text(variables) field where field.value ilike ${pattern})
    or transcript::text ilike ${inJson} and exists (
      select from jsonb_array_elements(transcript) line where line ->> 'text' ilike ${pattern}))`
}
