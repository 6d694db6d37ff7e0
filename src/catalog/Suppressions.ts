/** The do-not-call list. A dial asks it in its own transaction (I12); an entry that has expired does not count. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { E164 } from "../domain/E164.ts"
import { NotFound } from "../domain/Refusals.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { Suppression, type SuppressionSource } from "../domain/Suppression.ts"

const Row = Schema.toType(Suppression)
const Added = Schema.toType(Schema.Struct({ ...Suppression.fields, created: Schema.Boolean }))
const Count = Schema.Struct({ total: Schema.Int })

export const list = Effect.fn("Suppressions.list")(function* ({ page, page_size }: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const rows = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Row,
    execute: () => sql`
      select phone_number, source, call_id, reason, created_at, expires_at from suppressions
      order by created_at desc, phone_number limit ${page_size} offset ${page * page_size}`,
  })
  const count = SqlSchema.findOne({
    Request: Schema.Void,
    Result: Count,
    execute: () => sql`select count(*)::int as total from suppressions`,
  })
  const [items, { total }] = yield* Effect.all([rows(), count()], { concurrency: 2 })
  return { items, page, page_size, total } satisfies Page<Suppression>
}, Effect.orDie)

export interface NewSuppression {
  readonly phone_number: E164
  readonly source: SuppressionSource
  readonly call_id?: string | null
  readonly reason?: string | null
  readonly expires_at?: Date | null
}

/** Adds a number. One on the list already gets the new reason and expiry; that its owner asked for it is not forgotten. */
export const add = Effect.fn("Suppressions.add")(function* (entry: NewSuppression) {
  const sql = yield* SqlClient.SqlClient
  const upsert = SqlSchema.findOne({
    Request: Schema.Void,
    Result: Added,
    execute: () => sql`
      insert into suppressions ${sql.insert({
        phone_number: entry.phone_number,
        source: entry.source,
        call_id: entry.call_id ?? null,
        reason: entry.reason ?? null,
        expires_at: entry.expires_at ?? null,
      })}
      on conflict (phone_number) do update set
        source = case when excluded.source = 'call' then 'call' else suppressions.source end,
        call_id = coalesce(excluded.call_id, suppressions.call_id),
        reason = excluded.reason, expires_at = excluded.expires_at
      returning phone_number, source, call_id, reason, created_at, expires_at, xmax = 0 as created`,
  })
  const { created, ...suppression } = yield* upsert()
  return { suppression, created }
}, Effect.orDie)

export const remove = Effect.fn("Suppressions.remove")(
  function* (phoneNumber: string) {
    const sql = yield* SqlClient.SqlClient
    const removed = yield* sql`delete from suppressions where phone_number = ${phoneNumber} returning phone_number`
    if (removed.length === 0) return yield* new NotFound({ resource: "suppression", id: phoneNumber })
  },
  Effect.catchTag("SqlError", Effect.die),
)

/** For one number; the dial transaction asks for its whole batch by itself. */
export const isSuppressed = Effect.fn("Suppressions.isSuppressed")(function* (phoneNumber: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`
    select from suppressions
    where phone_number = ${phoneNumber} and (expires_at is null or expires_at > clock_timestamp())`
  return found.length > 0
}, Effect.orDie)
