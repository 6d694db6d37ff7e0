/**
 * Widget keys: `pk_live_<account id>_<30 letters>` and `sk_live_…`. The key itself names its account, because a page
 * sends no X-Account-ID. The account's database stores the hash, and for a public key, which is not secret, also the
 * text.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { isUuid } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { Unauthenticated } from "../domain/Principal.ts"
import { NotFound, unknownReference } from "../domain/Refusals.ts"
import { defaultTheme } from "../domain/DefaultWidgetTheme.ts"
import { WidgetKey, type WidgetKeyKind, type WidgetTheme } from "../domain/WidgetKey.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { json } from "../tenancy/Json.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as KeyText from "./KeyText.ts"

/** A well-formed key that was not looked up yet. */
export interface PresentedWidgetKey {
  readonly kind: WidgetKeyKind
  readonly account_id: string
  readonly secret_hash: Uint8Array
}

const prefixes: Record<WidgetKeyKind, string> = { public: "pk_live_", secret: "sk_live_" }

export const parse = (text: string): Option.Option<PresentedWidgetKey> => {
  const [, family, hex] = /^(pk|sk)_live_([0-9a-f]{32})_[0-9A-Za-z]{30}$/.exec(text) ?? []
  if (family === undefined || hex === undefined) return Option.none()
  const account_id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  return Option.some({ kind: family === "pk" ? "public" : "secret", account_id, secret_hash: KeyText.hash(text) })
}

const mint = (kind: WidgetKeyKind, account_id: string) =>
  `${prefixes[kind]}${account_id.replaceAll("-", "")}_${KeyText.random(30)}`

export const unknownKey = () => new Unauthenticated({ detail: "This widget key does not exist" })

const Row = Schema.toType(WidgetKey)

/** The agent's fields that a visitor's page may know. The prompt is never among them. */
export const WidgetAgent = Schema.Struct({
  id: Schema.String.annotate({ description: "The agent's UUID." }),
  name: Schema.String.annotate({ description: "The agent's name." }),
  language: Schema.String.annotate({ description: "The language of its conversations, as a BCP 47 tag." }),
}).annotate({ identifier: "WidgetAgent", description: "The agent that talks with the visitor." })

/** The stored row of a key, in the account whose database is the fiber's. */
const Held = Schema.toType(
  Schema.Struct({
    id: WidgetKey.fields.id,
    kind: WidgetKey.fields.kind,
    origins: WidgetKey.fields.origins,
    theme: WidgetKey.fields.theme,
    greeting: WidgetKey.fields.greeting,
    first_message: Schema.String,
    agent: WidgetAgent,
  }),
)
export type HeldWidgetKey = typeof Held.Type

export const authenticate = Effect.fn("WidgetKeys.authenticate")(
  function* (presented: PresentedWidgetKey) {
    const sql = yield* SqlClient.SqlClient
    // The row is looked up by the hash, so the time of a comparison cannot tell how near a guess was.
    const held = yield* Rows.first(Held)(sql`
      select k.id, k.kind, k.origins, k.theme, k.greeting, a.first_message,
             jsonb_build_object('id', a.id, 'name', a.name, 'language', a.language) as agent
      from widget_keys k join agents a on a.id = k.agent_id
      where k.secret_hash = ${presented.secret_hash} and k.kind = ${presented.kind}`)
    return held ?? (yield* unknownKey())
  },
  Effect.catchTag("SqlError", Effect.die),
)

const Rules = Schema.toType(
  Schema.Struct({
    kind: WidgetKey.fields.kind,
    origins: WidgetKey.fields.origins,
    greeting: WidgetKey.fields.greeting,
  }),
)

/** The settings of a key for its sessions; undefined if the key was deleted. */
export const find = Effect.fn("WidgetKeys.find")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(Rules)(sql`select kind, origins, greeting from widget_keys where id = ${id}`)
}, Effect.orDie)

export const list = Effect.fn("WidgetKeys.list")(function* ({ page, page_size }: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql`select count(*)::int as total from widget_keys`
  const items = yield* sql`
    select id, name, kind, agent_id, origins, theme, greeting, public_key as key, hint, created_at from widget_keys
    order by created_at desc, id desc limit ${page_size} offset ${page * page_size}`.pipe(Effect.flatMap(readable(Row)))
  return { items, page, page_size, total: Number(counted?.["total"]) }
}, Effect.orDie)

/** A new key as a client writes it. Omitted fields of the theme take their defaults. */
export interface NewWidgetKey extends Pick<WidgetKey, "name" | "kind" | "agent_id"> {
  readonly origins?: WidgetKey["origins"]
  readonly greeting?: WidgetKey["greeting"]
  readonly theme?: Partial<WidgetTheme>
}

/** Creates a key. Only this answer contains the text of a secret key. */
export const create = Effect.fn("WidgetKeys.create")(
  function* ({ agent_id, greeting = null, kind, name, origins = [], theme }: NewWidgetKey) {
    const sql = yield* SqlClient.SqlClient
    const account = yield* CurrentTenant
    const unknownAgent = unknownReference("/agent_id", "agent", agent_id)
    const agents = yield* sql`select from agents where id = ${agent_id}`
    if (agents.length === 0) return yield* unknownAgent
    const key = mint(kind, account.id)
    const row = {
      name,
      kind,
      agent_id,
      greeting,
      id: uuidv7(),
      origins: [...origins],
      theme: json({ ...defaultTheme, ...theme }),
      secret_hash: KeyText.hash(key),
      public_key: kind === "public" ? key : null,
      hint: key.slice(-4),
    }
    const made = yield* Rows.one(Row)(sql`
      insert into widget_keys ${sql.insert(row)}
      returning id, name, kind, agent_id, origins, theme, greeting, public_key as key, hint, created_at`).pipe(
      Effect.catchReason("SqlError", "ConstraintError", () => unknownAgent),
    )
    return { ...made, key }
  },
  Effect.catchTag("SqlError", Effect.die),
)

export const remove = Effect.fn("WidgetKeys.remove")(
  function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const removed = isUuid(id) ? yield* sql`delete from widget_keys where id = ${id} returning id` : []
    if (removed.length === 0) return yield* new NotFound({ resource: "widget key", id })
  },
  Effect.catchTag("SqlError", Effect.die),
)
