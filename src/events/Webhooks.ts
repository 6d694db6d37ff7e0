/**
 * The account's webhooks (decisions §2). Their secrets are sealed at rest and shown once. Deliveries are in
 * Deliveries.ts.
 */
import { Data, Effect, Result, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { randomBytes } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { invalid, InvalidState, NotFound } from "../domain/Refusals.ts"
import { checkMatch } from "../domain/Revision.ts"
import { secretMask, Webhook } from "../domain/Webhook.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Environment } from "../tenancy/Environment.ts"
import { seal, unseal } from "../tenancy/MasterKey.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { EventSignals } from "./EventSignals.ts"
import * as WebhookUrl from "./WebhookUrl.ts"

/** How long a receiver may take to switch to the new secret. Until then every delivery carries both signatures. */
const rotatesWithin = "24 hours"
/** The maximum number of webhooks. Each makes one delivery of every event. */
const mostWebhooks = 100

const { secret: _, ...shown } = Webhook.fields
const Row = Schema.toType(Schema.Struct({ ...shown, revision: Schema.Int }))

/** The fields that a client writes. */
export type WebhookSettings = Pick<Webhook, "url" | "description" | "events" | "enabled" | "secret">
export type NewWebhook = Pick<WebhookSettings, "url" | "events"> & Partial<WebhookSettings>

const rows = (sql: SqlClient.SqlClient, rest: Statement.Fragment) => sql`
  select id, url, description, events, enabled, disabled_reason, revision, created_at, updated_at,
    (select count(*)::int from webhook_deliveries d where d.webhook_id = w.id and status = 'pending')
      as pending_deliveries
  from webhooks w ${rest}`

const maskRow = (row: typeof Row.Type) => ({ ...row, secret: secretMask })

const select = (rest: Statement.Fragment) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* Rows.all(Row)(rows(sql, rest))
    return found.map(maskRow)
  }).pipe(Effect.orDie)

export const list = Effect.fn("Webhooks.list")(function* ({ page, page_size }: PageRequest) {
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* Effect.orDie(sql`select count(*)::int as total from webhooks`)
  const part = sql`order by created_at desc, id desc limit ${page_size} offset ${page * page_size}`
  const found = yield* rows(sql, part).pipe(Effect.flatMap(readable(Row)), Effect.orDie)
  const items = found.map(maskRow)
  return { items, page, page_size, total: Number(counted?.["total"]) } satisfies Page<(typeof items)[number]>
})

export const find = Effect.fn("Webhooks.find")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = isUuid(id) ? yield* select(sql`where id = ${id}`) : []
  return found ?? (yield* new NotFound({ resource: "webhook", id }))
})

const findForUpdate = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = isUuid(id) ? yield* select(sql`where id = ${id} for no key update of w`) : []
  return found ?? (yield* new NotFound({ resource: "webhook", id }))
})

/**
 * Creates a webhook. Only this answer contains the secret. The webhook receives the events that are committed after its
 * creation.
 */
export const create = Effect.fn("Webhooks.create")(
  function* ({ url, events, description = "", enabled = true, secret = newSecret() }: NewWebhook) {
    yield* checkUrl(url)
    if (secret === secretMask) return yield* invalid("/secret", "is a mask, and no secret is stored yet")
    const sql = yield* SqlClient.SqlClient
    // Two requests at once would both count the same.
    yield* sql`select pg_advisory_xact_lock(hashtextextended('webhooks', 0))`
    const [counted] = yield* sql`select count(*)::int as total from webhooks`
    if (Number(counted?.["total"]) >= mostWebhooks) {
      return yield* new InvalidState({
        state: "full",
        detail: `The account has ${mostWebhooks} webhooks already. Delete one first.`,
      })
    }
    const id = uuidv7()
    yield* sql`
      insert into webhooks (id, url, description, events, enabled, secret, fanned_out_to)
      select ${id}::uuid, ${url}, ${description}, ${[...events]}::text[], ${enabled}, ${yield* sealSecret(id, secret)}, last_seq
      from event_log`
    yield* announce
    return { ...(yield* Effect.orDie(find(id))), secret }
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

export const update = Effect.fn("Webhooks.update")(
  function* (id: string, change: Partial<WebhookSettings>, ifMatch: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* findForUpdate(id)
    yield* checkMatch(ifMatch, present.revision)
    const { description, enabled, events, secret, url } = { ...present, ...change }
    if (url !== present.url) yield* checkUrl(url)
    // The stored secret was never given to receivers at another origin, so nothing that is signed with it may be sent
    // to them.
    const isElsewhere = new URL(url).origin !== new URL(present.url).origin
    if (isElsewhere && secret === secretMask) {
      return yield* invalid(
        "/secret",
        "is needed: url leads to another origin, which the stored secret was not given for. Send a new secret, or create a webhook for the new address.",
      )
    }
    yield* sql`
      update webhooks set url = ${url}, description = ${description}, events = ${[...events]}::text[],
        enabled = ${enabled}, disabled_reason = case when ${enabled} then null else disabled_reason end,
        fanned_out_to = case when ${enabled} and not enabled then (select last_seq from event_log) else fanned_out_to end,
        failing = failing and url = ${url}, revision = revision + 1, updated_at = now()
      where id = ${id}`
    if (secret !== secretMask && secret !== (yield* readSecret(id))) {
      yield* sql`
        update webhooks set secret = ${yield* sealSecret(id, secret)}, previous_secret = secret,
          previous_secret_until = now() + ${rotatesWithin}::interval
        where id = ${id}`
    }
    // Even if the secret is the stored one: the previous one was given to receivers at the old origin.
    if (isElsewhere) {
      yield* sql`update webhooks set previous_secret = null, previous_secret_until = null where id = ${id}`
    }
    yield* announce
    return yield* Effect.orDie(find(id))
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Deletes a webhook with its deliveries. */
export const remove = Effect.fn("Webhooks.remove")(
  function* (id: string, ifMatch?: string) {
    const sql = yield* SqlClient.SqlClient
    const present = yield* findForUpdate(id)
    yield* checkMatch(ifMatch, present.revision)
    yield* sql`delete from webhooks where id = ${present.id}`
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Sealed secrets: the present one, and during a rotation the previous one. */
export interface SealedSecrets {
  readonly secret: string
  readonly previous_secret: string | null
}

/** The stored secret cannot be opened, so nothing can be signed with it. */
export class SecretUnreadable extends Data.TaggedError("SecretUnreadable") {
  override get message() {
    return "The stored secret of the webhook cannot be read, so nothing was sent. Store a new secret"
  }
}

/** The secrets that sign now, the present one first. A previous one that cannot be opened is left out. */
export const openSecrets = Effect.fnUntraced(function* (id: string, { previous_secret, secret }: SealedSecrets) {
  const { dataKey } = yield* CurrentTenant
  const open = (text: string) => Result.try(() => Buffer.from(unseal(dataKey, placeOf(id), text)).toString())
  const present = open(secret)
  if (Result.isFailure(present)) return yield* new SecretUnreadable()
  const previous = previous_secret === null ? present : open(previous_secret)
  return previous_secret === null || Result.isFailure(previous)
    ? [present.success]
    : [present.success, previous.success]
})

const placeOf = (id: string) => `webhooks/${id}/secret`

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`

const sealSecret = (id: string, secret: string) =>
  Effect.map(CurrentTenant, ({ dataKey }) => seal(dataKey, placeOf(id), Buffer.from(secret)))

/** The present secret; undefined if it cannot be opened. */
const readSecret = Effect.fnUntraced(
  function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<SealedSecrets>`select secret, null as previous_secret from webhooks where id = ${id}`
    const [secret] = row === undefined ? [] : yield* openSecrets(id, row)
    return secret
  },
  Effect.catchTag("SecretUnreadable", () => Effect.undefined),
)

/** The secrets of an existing webhook that receivers may still use. */
export const signingSecrets = Effect.fn("Webhooks.signingSecrets")(
  function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<SealedSecrets>`
      select secret, case when previous_secret_until > now() then previous_secret end as previous_secret
      from webhooks where id = ${id}`
    return row === undefined ? [] : yield* openSecrets(id, row)
  },
  Effect.catchTag("SqlError", Effect.die),
)

const checkUrl = Effect.fnUntraced(function* (url: string) {
  const environment = yield* Effect.orDie(Environment)
  yield* WebhookUrl.check(url, environment === "development")
})

/** After the commit, tells the courier to look at the account. */
const announce = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { account } = yield* CurrentTenant
  const signals = yield* EventSignals
  yield* sql.afterCommit(signals.webhooksChanged(account.slug))
})
