/**
 * Writes the audit log (decision 0051): the entry of a change in the transaction of that change, so that both are
 * committed or neither is. The edge begins an `AuditedRequest` for each request that has an entry; the rooms may add
 * to the entry, or write it earlier.
 */
import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, createHmac } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import { type AuditAction, kindOf } from "../domain/AuditActions.ts"
import type { AuditActor, AuditChange } from "../domain/AuditEntry.ts"
import { isUuid } from "../domain/Name.ts"
import { toE164 } from "../domain/NumberText.ts"
import * as AuditedRows from "./AuditedRows.ts"
import { CurrentTenant } from "./CurrentTenant.ts"
import { json } from "./Json.ts"
import { transaction } from "./Transaction.ts"

/** The actor of an audited action, and where the request came from. */
export interface Origin {
  readonly actor: AuditActor
  readonly address: string | null
  readonly request_id: string | null
}

/** The origin of the request or command in progress. Undefined if no person or program asked, as in a sweep. */
export const CurrentOrigin = Context.Reference<Origin | undefined>("tenancy/CurrentOrigin", {
  defaultValue: () => undefined,
})

/** One audited request in an account, while it runs. */
export interface AuditedRequest {
  readonly action: AuditAction
  /** The object as the request names it, by id or by name. Undefined if the request creates it. */
  readonly object: string | undefined
  /** Whether the entry is left out if the object's row is as before. */
  readonly isChange: boolean
  /**
   * An action that a client repeats many times, such as reading parts of a file, leaves one entry in this many minutes.
   */
  readonly onceInMinutes: number | undefined
  before: AuditedRows.Snapshot | undefined
  /** The account's database, once the request runs. */
  sql?: SqlClient.SqlClient
  noted: Noted
  isWritten: boolean
}

/** Fields of the entry that a room states itself. They replace the fields read from the object's row. */
export interface Noted {
  readonly id?: string
  readonly name?: string | null
  readonly changes?: ReadonlyArray<AuditChange>
}

export const CurrentAuditedRequest = Context.Reference<AuditedRequest | undefined>("tenancy/CurrentAuditedRequest", {
  defaultValue: () => undefined,
})

/** Adds to the entry of the request in progress. Does nothing outside of an audited request. */
export const note = (noted: Noted) =>
  Effect.map(CurrentAuditedRequest, (audited) => {
    if (audited !== undefined) audited.noted = { ...audited.noted, ...noted }
  })

/**
 * Returns the keyed digest of a called person's number, which entries have in place of the number. The key is derived
 * from the account's data key, which is not in the account's database. So erasing a person needs no change to the log.
 */
export const digestOf = (number: string) =>
  Effect.map(CurrentTenant, ({ dataKey }) => {
    const key = createHmac("sha256", dataKey).update("audited numbers").digest()
    return createHash("sha256").update(key).update(toE164(number)).digest("base64url")
  })

export const noteNumber = (number: string) => Effect.flatMap(digestOf(number), (id) => note({ id }))

/** Runs `effect` in one transaction with its entry. `idOf` finds the id of a created object in the answer. */
export const recordTogether = <A, E, R>(
  audited: AuditedRequest,
  effect: Effect.Effect<A, E, R>,
  idOf: (answer: A) => string | undefined,
) => transaction(record(audited, effect, idOf))

/**
 * Runs `effect`, which may write its entry in a transaction of its own (`write`). If it writes none, because it changes
 * no row of the account's database, the entry is written after it.
 */
export const record = <A, E, R>(
  audited: AuditedRequest,
  effect: Effect.Effect<A, E, R>,
  idOf: (answer: A) => string | undefined,
) =>
  Effect.gen(function* () {
    audited.sql = yield* SqlClient.SqlClient
    audited.before = yield* readObject(audited.action, audited.object)
    const answer = yield* Effect.provideService(effect, CurrentAuditedRequest, audited)
    if (!audited.isWritten) yield* append(audited, idOf(answer))
    return answer
  })

/**
 * As `record`, for an effect outside of the database. The entry is also written if the client disconnects during the
 * effect, because the effect may have begun.
 */
export const recordAfter = <A, E, R>(
  audited: AuditedRequest,
  effect: Effect.Effect<A, E, R>,
  idOf: (answer: A) => string | undefined,
) =>
  record(
    audited,
    Effect.onInterrupt(effect, () => Effect.ignore(append(audited, undefined))),
    idOf,
  )

/**
 * Writes the entry of the request in progress at once. `id` is the id of the object that the request created. Does
 * nothing outside of an audited request.
 */
export const write = Effect.fn("AuditTrail.write")(function* (id?: string) {
  const audited = yield* CurrentAuditedRequest
  if (audited !== undefined && !audited.isWritten) yield* append(audited, id)
})

/**
 * Writes the entry of the request in progress into the account's log, from within the transaction of the platform's
 * database that makes the change. The entry is committed before that transaction, because two databases have no common
 * commit: if the process is killed in between, an entry without a change is better than a change without an entry. Does
 * nothing outside of an audited request.
 */
export const writeToAccount = Effect.fn("AuditTrail.writeToAccount")(function* (noted: Noted) {
  yield* note(noted)
  const audited = yield* CurrentAuditedRequest
  if (audited?.sql !== undefined) yield* Effect.provideService(write(), SqlClient.SqlClient, audited.sql)
})

const readObject = (action: AuditAction, object: string | undefined) =>
  object === undefined ? Effect.undefined : AuditedRows.read(kindOf(action), object)

/** Writes the entry. `created_id` is the id of the object that the request created. */
const append = Effect.fnUntraced(function* (audited: AuditedRequest, created_id: string | undefined) {
  audited.isWritten = true
  const origin = yield* CurrentOrigin
  if (origin === undefined) return
  const { action, before, noted } = audited
  const after = yield* readObject(action, before?.id ?? audited.object ?? created_id)
  const changes = noted.changes ?? AuditedRows.differences(before, after)
  // A change that changed nothing has no entry. Whether it did is known only with a row from before, or from the room.
  const isComparable = before !== undefined || noted.changes !== undefined
  if (audited.isChange && isComparable && changes.length === 0) return
  const object = audited.object !== undefined && isUuid(audited.object) ? audited.object.toLowerCase() : undefined
  const entry = {
    action,
    object_id: noted.id ?? before?.id ?? after?.id ?? created_id ?? object ?? null,
    object_name: noted.name ?? before?.name ?? after?.name ?? null,
    changes,
  }
  if (audited.onceInMinutes !== undefined && (yield* isRecent(origin, entry, audited.onceInMinutes))) return
  yield* insert(origin, entry)
})

/** The fields of an entry that depend on the action. */
interface EntryFields {
  readonly action: AuditAction
  readonly object_id: string | null
  readonly object_name: string | null
  readonly changes: ReadonlyArray<AuditChange>
}

const insert = Effect.fnUntraced(function* (
  { actor, address, request_id }: Origin,
  { changes, ...fields }: EntryFields,
  ofPlatform: { readonly account?: string | null } = {},
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into audit_entries ${sql.insert({
    id: uuidv7(),
    ...ofPlatform,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_issuer: actor.issuer,
    actor_name: actor.name,
    address,
    request_id,
    ...fields,
    object_kind: kindOf(fields.action),
    changes: json(changes),
  })}`
})

/** Whether the same actor did the same to the object from the same address in the last `minutes`. */
const isRecent = Effect.fnUntraced(function* ({ actor, address }: Origin, fields: EntryFields, minutes: number) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`
    select from audit_entries
    where object_id is not distinct from ${fields.object_id}::text and actor_id is not distinct from ${actor.id}::text
      and action = ${fields.action} and address is not distinct from ${address}::text
      and at > clock_timestamp() - make_interval(mins => ${minutes}) limit 1`
  return found.length > 0
})

/** An action on an account, for the installation's own log. */
export interface PlatformEntry {
  readonly action: AuditAction
  readonly account: string | null
  readonly object_id: string | null
  readonly object_name?: string | null
  readonly changes?: ReadonlyArray<AuditChange>
}

/**
 * Writes an entry into the installation's log, in the fiber's transaction of the platform's database. Does nothing
 * without an origin, as in a sweep.
 */
export const writeToPlatform = Effect.fn("AuditTrail.writeToPlatform")(function* (
  platform: SqlClient.SqlClient,
  { account, changes = [], object_name = null, ...audited }: PlatformEntry,
) {
  const origin = yield* CurrentOrigin
  if (origin === undefined) return
  yield* insert(origin, { ...audited, object_name, changes }, { account }).pipe(
    Effect.provideService(SqlClient.SqlClient, platform),
  )
})

const Pruned = Schema.Struct({ count: Schema.Int })
/** The most entries that one statement deletes. */
const prunedAtOnce = 1_000

/** Deletes entries that are older than this many days. */
export const prune = Effect.fn("AuditTrail.prune")(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  const step = Effect.map(
    sql`select prune_audit(${days}, ${prunedAtOnce}) as count`,
    ([row]) => Schema.decodeUnknownSync(Pruned)(row).count,
  )
  yield* Effect.repeat(step, { while: (count) => count === prunedAtOnce })
})

/** As `prune`, for the installation's log. */
export const prunePlatform = Effect.fn("AuditTrail.prunePlatform")(function* (days: number) {
  const sql = yield* SqlClient.SqlClient
  const step = sql`
    delete from audit_entries where id in (
      select id from audit_entries where at < now() - make_interval(days => ${days}) limit ${prunedAtOnce})
    returning id`
  yield* Effect.repeat(step, { while: (deleted) => deleted.length === prunedAtOnce })
})
