/** Reads the audit log of an account, and the installation's, newest first (decision 0051). */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AuditFilter, type AuditRequest, type AuditEntry, PlatformAuditEntry } from "../domain/AuditEntry.ts"
import { isUuid } from "../domain/Name.ts"
import { invalid } from "../domain/Refusals.ts"
import { digestOf } from "../tenancy/AuditTrail.ts"
import * as Rows from "../tenancy/Rows.ts"

const Row = Schema.toType(PlatformAuditEntry)
const Place = Schema.Struct({ at: Schema.String, id: Schema.String })

/** A place in the log. Its time is a text, since a `Date` has no microseconds. */
export type Place = typeof Place.Type

/** A page of the account's log. */
export const list = Effect.fn("AuditLog.list")(function* ({ before, limit, ...filter }: AuditRequest) {
  const after = before === undefined ? null : yield* placeOf(before)
  const { last, rows } = yield* pageAfter(yield* conditionsOf(filter), after, limit)
  return { items: rows.map(withoutAccount), next_before: last?.id ?? null }
})

export interface PlatformAuditRequest extends Omit<AuditRequest, "phone_number"> {
  readonly account?: string
}

/** A page of the installation's log. */
export const listOfPlatform = Effect.fn("AuditLog.listOfPlatform")(function* ({
  account,
  before,
  limit,
  ...filter
}: PlatformAuditRequest) {
  const sql = yield* SqlClient.SqlClient
  const after = before === undefined ? null : yield* placeOf(before)
  const conditions = [
    ...(yield* commonConditions(filter)),
    ...(account === undefined ? [] : [sql`account = ${account}`]),
  ]
  const { last, rows } = yield* pageAfter(conditions, after, limit, sql`account`)
  return { items: rows, next_before: last?.id ?? null }
})

/** The conditions of a filter. Needs the account's key if the filter has a phone number. */
export const conditionsOf = Effect.fnUntraced(function* ({ phone_number, ...filter }: AuditFilter) {
  const sql = yield* SqlClient.SqlClient
  const common = yield* commonConditions(filter)
  return phone_number === undefined ? common : [...common, sql`object_id = ${yield* digestOf(phone_number)}`]
})

const commonConditions = Effect.fnUntraced(function* (filter: Omit<AuditFilter, "phone_number">) {
  const sql = yield* SqlClient.SqlClient
  const { action, actor, from, kind, object_id, to } = filter
  const conditions: ReadonlyArray<Statement.Fragment | undefined> = [
    actor === undefined ? undefined : sql`(actor_id = ${actor} or lower(actor_name) = lower(${actor}))`,
    action === undefined ? undefined : sql`action = ${action}`,
    kind === undefined ? undefined : sql`object_kind = ${kind}`,
    object_id === undefined ? undefined : sql`object_id = ${isUuid(object_id) ? object_id.toLowerCase() : object_id}`,
    from === undefined ? undefined : sql`at >= ${from}`,
    to === undefined ? undefined : sql`at < ${to}`,
  ]
  return conditions.flatMap((one) => (one === undefined ? [] : [one]))
})

/** The next entries after a place, and the place of the last one; null at the end of the log. */
export const pageAfter = Effect.fnUntraced(
  function* (
    conditions: ReadonlyArray<Statement.Fragment>,
    after: Place | null,
    limit: number,
    account?: Statement.Fragment,
  ) {
    const sql = yield* SqlClient.SqlClient
    const reached = after === null ? [] : [sql`(at, id) < (${after.at}::timestamptz, ${after.id}::uuid)`]
    const found = yield* sql<{ readonly place: string }>`
      select id, at, at::text as place, ${account ?? sql`null`} as account, action, address, request_id, changes,
        jsonb_build_object('type', actor_type, 'id', actor_id, 'issuer', actor_issuer, 'name', actor_name) as actor,
        jsonb_build_object('kind', object_kind, 'id', object_id, 'name', object_name) as object
      from audit_entries where ${sql.and([sql`true`, ...conditions, ...reached])}
      order by at desc, id desc limit ${limit + 1}`
    const rows = yield* Rows.all(Row)(Effect.succeed(found.slice(0, limit)))
    const last = rows.at(-1)
    const at = found[limit - 1]?.place
    const hasMore = found.length > limit && last !== undefined && at !== undefined
    return { rows, last: hasMore ? { at, id: last.id } : null }
  },
  Effect.catchTag("SqlError", Effect.die),
)

const placeOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const place = isUuid(id)
    ? yield* Effect.orDie(Rows.first(Place)(sql`select at::text, id::text from audit_entries where id = ${id}`))
    : undefined
  return place ?? (yield* invalid("/query/before", "is not the id of an entry in this log"))
})

export const withoutAccount = ({ account: _, ...entry }: PlatformAuditEntry): AuditEntry => entry
