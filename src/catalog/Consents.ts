/** The consent ledger of an account. It is only added to; a trigger refuses other changes. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Consent, type NewConsent, type NewRevocation, type RecordedConsents } from "../domain/Consent.ts"
import type { E164 } from "../domain/E164.ts"
import { isUuid } from "../domain/Name.ts"
import type { PageRequest } from "../domain/Page.ts"
import { Invalid, NotFound } from "../domain/Refusals.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { uuids } from "../tenancy/Columns.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { equal, matchingNumber, pageOf } from "./Listing.ts"

export const ConsentRow = Schema.toType(Consent)

export interface ConsentFilter extends PageRequest {
  readonly phone_number?: E164
  readonly search?: string
}

/** The condition of a search in the ledger. */
export const matchingConsent = (sql: SqlClient.SqlClient, search: string | undefined) =>
  matchingNumber(sql, search, "phone_number", ["subject", "seller", "source", "external_id"])

export const list = Effect.fnUntraced(function* (filter: ConsentFilter) {
  const sql = yield* SqlClient.SqlClient
  return yield* pageOf(
    {
      row: ConsentRow,
      columns: sql.literal("*"),
      from: sql.literal("consents"),
      where: [equal(sql, "phone_number", filter.phone_number), matchingConsent(sql, filter.search)],
    },
    filter,
  )
})

export const find = Effect.fn("Consents.find")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const found = isUuid(id)
    ? yield* Effect.orDie(Rows.first(ConsentRow)(sql`select * from consents where id = ${id}`))
    : undefined
  return found ?? (yield* new NotFound({ resource: "consent", id }))
})

export const record = (consents: ReadonlyArray<NewConsent>) =>
  add(
    "consents",
    consents.map((consent) => ({ kind: "consent", channel: "automated_call", ...consent })),
  )

/** Revocations without a time are of now. One of them that is sent again keeps its first time. */
export const revoke = (revocations: ReadonlyArray<NewRevocation>) =>
  add(
    "revocations",
    revocations.map((revocation) => ({ kind: "revocation", channel: "any_call", ...revocation })),
  )

/** An entry as a client writes it. */
interface Entry extends Omit<NewRevocation, "channel"> {
  readonly kind: Consent["kind"]
  readonly channel: Consent["channel"]
  readonly basis?: NewConsent["basis"]
  readonly expires_at?: string | null
}

const Written = Schema.Struct({
  id: Schema.String,
  external_id: Schema.NullOr(Schema.String),
  is_new: Schema.Boolean,
  is_same: Schema.Boolean,
})

/**
 * Writes all of the entries or none. An entry whose `external_id` the ledger has must say the same; the unique index
 * decides between requests at the same time.
 */
const add = Effect.fn("Consents.add")(
  function* (field: "consents" | "revocations", entries: ReadonlyArray<Entry>) {
    const sql = yield* SqlClient.SqlClient
    const rows = json(entries.map((entry) => ({ id: uuidv7(), ...entry })))
    const columns = sql.literal(
      "id uuid, kind text, phone_number text, basis text, subject text, seller text, channel text, text text, source text, external_id text, at timestamptz, expires_at timestamptz",
    )
    yield* sql`
      insert into consents (id, kind, phone_number, basis, subject, seller, channel, text, source, external_id, at, expires_at)
      select id, kind, phone_number, basis, subject, seller, channel, text, source, external_id,
        coalesce(at, clock_timestamp()), expires_at
      from jsonb_to_recordset(${rows}::jsonb) as n(${columns})
      -- In one order, so that two requests with the same entries do not wait for each other.
      order by external_id
      on conflict (external_id) where external_id is not null do nothing`
    const written = yield* Rows.all(Written)(sql`
      select c.id, c.external_id, c.id = n.id as is_new,
        (c.kind, c.phone_number, c.basis, c.subject, c.seller, c.channel, c.text, c.source, c.at, c.expires_at)
        is not distinct from
        (n.kind, n.phone_number, n.basis, n.subject, n.seller, n.channel, n.text, n.source, coalesce(n.at, c.at), n.expires_at)
          as is_same
      from rows from (jsonb_to_recordset(${rows}::jsonb) as (${columns})) with ordinality
        as n(id, kind, phone_number, basis, subject, seller, channel, text, source, external_id, at, expires_at, position)
      join consents c on c.id = n.id or c.external_id = n.external_id
      order by n.position`)
    const faults = written.flatMap(({ is_new, is_same }, position) =>
      is_new || is_same ? [] : [{ pointer: `/${field}/${position}/external_id`, detail: otherEntry }],
    )
    if (faults.length > 0) return yield* new Invalid({ errors: faults })
    const recorded = written.filter(({ is_new }) => is_new).length
    yield* AuditTrail.note({ changes: recorded === 0 ? [] : [{ field: `${field}_recorded`, after: recorded }] })
    return {
      items: written.map(({ external_id, id, is_new }) => ({
        id,
        external_id,
        result: is_new ? ("recorded" as const) : ("unchanged" as const),
      })),
    } satisfies RecordedConsents
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

const otherEntry =
  "is of another entry of the ledger, which cannot be changed. Send the new fact with an external_id of its own"

/** Notes that calls begin on the basis of these consents. Their retention counts from then (decision 0077). */
export const markUsed = Effect.fn("Consents.markUsed")(function* (ids: ReadonlyArray<string>, now: Date) {
  if (ids.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`update consents set used_at = greatest(used_at, ${now}) where id = any(${uuids(ids)})`
})

/**
 * Removes what identifies the person from the entries of a number. Ground, channel and times remain. Returns the count.
 */
export const erase = Effect.fn("Consents.erase")(function* (number: E164) {
  const sql = yield* SqlClient.SqlClient
  const erased = yield* sql`
    update consents set phone_number = null, subject = null, seller = null, text = null, source = null,
      external_id = null, call_id = null
    where phone_number = ${number} returning id`
  return erased.length
})
