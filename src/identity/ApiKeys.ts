/**
 * API keys: `pak_<key id>_<30 letters><6 letters of CRC-32>`. A key opens one account, whose database stores its hash.
 */
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { ApiKey } from "../domain/ApiKey.ts"
import { isUuid } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { type KeyHolder, type PresentedKey, Unauthenticated } from "../domain/Principal.ts"
import { invalid, NotFound } from "../domain/Refusals.ts"
import { momentOf } from "../domain/Timestamp.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as KeyText from "./KeyText.ts"

const prefix = "pak_"

export const isApiKey = (bearer: string): boolean => bearer.startsWith(prefix)

/** Parses a key. The checksum covers everything before it, and a wrong one is refused here, without a query. */
export const parse = (text: string): Result.Result<PresentedKey, Unauthenticated> => {
  const [, body, key_id, sum] = /^(pak_([0-9A-Za-z]{12})_[0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(text) ?? []
  if (body === undefined || key_id === undefined || KeyText.checksum(body) !== sum) {
    return Result.fail(
      new Unauthenticated({ detail: "The API key is mistyped or incomplete: its checksum does not match" }),
    )
  }
  return Result.succeed({ _tag: "ApiKey", key_id, secret_hash: KeyText.hash(text) })
}

const mint = () => {
  const key_id = KeyText.random(12)
  const body = `${prefix}${key_id}_${KeyText.random(30)}`
  return { key_id, key: `${body}${KeyText.checksum(body)}` }
}

const Row = Schema.toType(ApiKey)
const KeptKey = Schema.toType(
  Schema.Struct({
    id: ApiKey.fields.id,
    name: ApiKey.fields.name,
    scopes: ApiKey.fields.scopes,
    expires_at: Schema.NullOr(Schema.Date),
    secret_hash: Schema.Uint8Array,
    is_live: Schema.Boolean,
    is_noted: Schema.Boolean,
  }),
)

/**
 * `cell` is this process's cell. An account of another cell, whose database this process does not open, gets the same
 * sentence, so that the answer does not tell which accounts exist.
 */
export const unknownKey = (cell: string | null) =>
  new Unauthenticated({
    detail: `This account has no such API key${cell === null ? "" : `, or the cell ${cell} does not serve it`}`,
  })

/**
 * Returns the holder of the key, if this account's database knows it, and records its use at most once a minute.
 * Untraced, since it is on the path of every request, where a span costs a tenth of the whole (docs/benchmarks.md).
 */
export const authenticate = Effect.fnUntraced(
  function* (presented: PresentedKey, cell: string | null) {
    const sql = yield* SqlClient.SqlClient
    const kept = yield* Rows.first(KeptKey)(sql`
      select id, name, scopes, expires_at, secret_hash, coalesce(expires_at > now(), true) as is_live,
             coalesce(last_used_at > now() - interval '1 minute', false) as is_noted
      from api_keys where key_id = ${presented.key_id}`)
    if (kept === undefined || !KeyText.equal(kept.secret_hash, presented.secret_hash)) return yield* unknownKey(cell)
    const { expires_at, id, is_live, is_noted, name, scopes } = kept
    if (!is_live) return yield* new Unauthenticated({ detail: "The API key has expired" })
    if (!is_noted) yield* sql`update api_keys set last_used_at = now() where id = ${id}`
    return { _tag: "ApiKey", id, name, scopes, expires_at } as const satisfies KeyHolder
  },
  Effect.catchTag("SqlError", Effect.die),
)

export const list = Effect.fn("ApiKeys.list")(function* ({ page, page_size }: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql`select count(*)::int as total from api_keys`
  const items = yield* sql`
    select id, key_id, name, scopes, expires_at, last_used_at, created_at from api_keys
    order by created_at desc, id desc limit ${page_size} offset ${page * page_size}`.pipe(Effect.flatMap(readable(Row)))
  return { items, page, page_size, total: Number(counted?.["total"]) }
}, Effect.orDie)

/** A new key as a client writes it. */
export interface NewApiKey {
  readonly name: string
  readonly scopes: ApiKey["scopes"]
  readonly expires_at?: string | null
}

/** Creates a key. Only this answer contains the key's text. */
export const create = Effect.fn("ApiKeys.create")(
  function* (wanted: NewApiKey) {
    const sql = yield* SqlClient.SqlClient
    const { key, key_id } = mint()
    const expires_at = momentOf(wanted.expires_at)
    const [past] = yield* sql`select ${expires_at}::timestamptz <= now() as past`
    if (past?.["past"] === true) return yield* invalid("/expires_at", "must be in the future")
    const { name, scopes } = wanted
    const row = { id: uuidv7(), key_id, name, scopes: [...scopes], expires_at, secret_hash: KeyText.hash(key) }
    const made = yield* Rows.one(Row)(sql`
      insert into api_keys ${sql.insert(row)}
      returning id, key_id, name, scopes, expires_at, last_used_at, created_at`)
    return { ...made, key }
  },
  Effect.catchTag("SqlError", Effect.die),
)

export const remove = Effect.fn("ApiKeys.remove")(
  function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const removed = isUuid(id) ? yield* sql`delete from api_keys where id = ${id} returning id` : []
    if (removed.length === 0) return yield* new NotFound({ resource: "API key", id })
  },
  Effect.catchTag("SqlError", Effect.die),
)
