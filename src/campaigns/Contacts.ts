/** The contacts of a campaign as people see them: lists, one with its attempts (decisions §2, Contact). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import type { Outcome } from "../domain/Call.ts"
import { Attempt, Contact, type ContactStatus } from "../domain/Contact.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { NotFound } from "../domain/Refusals.ts"
import * as DialRefusals from "./DialRefusals.ts"

export interface ContactFilter extends PageRequest {
  readonly status?: ContactStatus
  readonly outcome?: Outcome
  /** A substring of the number or of any field. */
  readonly search?: string
}

const select = (sql: SqlClient.SqlClient, rest: Statement.Fragment) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.toType(Contact),
    execute: () => sql`
      select id, position, phone_number, custom_fields, status, outcome, attempts, last_call_id, skip_reason, updated_at,
             case when status = 'pending' and isfinite(due_at) then due_at end as next_attempt_at,
             case when status = 'pending' and due_at > clock_timestamp() then waits_for end as waiting_for
      from contacts ${rest}`,
  })(undefined).pipe(Effect.orDie)

/** In file order. */
export const list = Effect.fn("Contacts.list")(function* (campaignId: string, filter: ContactFilter) {
  const sql = yield* SqlClient.SqlClient
  const { outcome, page, page_size, search, status } = filter
  const where = sql.and([
    sql`campaign_id = ${campaignId}`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(outcome === undefined ? [] : [sql`outcome = ${outcome}`]),
    ...(search === undefined ? [] : [matches(sql, `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)]),
  ])
  const [count] = yield* sql`select count(*)::int as total from contacts where ${where}`.pipe(Effect.orDie)
  const items = yield* select(sql, sql`where ${where} order by position limit ${page_size} offset ${page * page_size}`)
  return { items, page, page_size, total: Number(count?.["total"]) } satisfies Page<Contact>
})

const matches = (sql: SqlClient.SqlClient, pattern: string) => sql`(
  phone_number ilike ${pattern}
  or exists (select from jsonb_each_text(custom_fields) field where field.value ilike ${pattern}))`

/** With its attempts, each a call, and with the decisions not to dial it. */
export const find = Effect.fn("Contacts.find")(function* (campaignId: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const notFound = new NotFound({ resource: "contact", id })
  if (!isUuid(id)) return yield* notFound
  const [contact] = yield* select(sql, sql`where campaign_id = ${campaignId} and id = ${id}`)
  if (contact === undefined) return yield* notFound
  const attempt_log = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.toType(Attempt),
    execute: () => sql`
      select id, attempt_number as number, outcome, started_at, answered_at, ended_at, id as call_id, decision
      from calls where contact_id = ${id} order by attempt_number`,
  })(undefined).pipe(Effect.orDie)
  return { ...contact, attempt_log, decisions: yield* DialRefusals.ofContact(id) }
})
