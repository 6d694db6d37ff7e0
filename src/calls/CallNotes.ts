/** Writes and deletes people's notes on calls (decision 0086). `CallHistory` reads them with their call. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { authorOf, VersionAuthor } from "../domain/AgentVersion.ts"
import { CallNote, mostNotes } from "../domain/CallNote.ts"
import { storableText } from "../domain/JsonValue.ts"
import { isUuid } from "../domain/Name.ts"
import { CurrentPrincipal, requirePermission } from "../domain/Principal.ts"
import { InvalidState, NotFound } from "../domain/Refusals.ts"
import * as AuditTrail from "../tenancy/AuditTrail.ts"
import { json } from "../tenancy/Json.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"

const Written = Schema.toType(CallNote)
const Call = Schema.Struct({ id: Schema.String, status: Schema.String, notes: Schema.Int })
const Author = Schema.Struct({ by: VersionAuthor })

/** Adds a note. The lock on the call's row keeps concurrent requests within the limit. */
export const add = Effect.fn("CallNotes.add")(
  function* (id: string, text: string) {
    const sql = yield* SqlClient.SqlClient
    const locked = isUuid(id) ? yield* sql`select from calls where id = ${id} for no key update` : []
    if (locked.length === 0) return yield* new NotFound({ resource: "call", id })
    const call = yield* Rows.one(Call)(sql`
      select id, status, (select count(*)::int from call_notes where call_id = calls.id) as notes from calls where id = ${id}`)
    if (call.notes >= mostNotes) {
      const detail = `The call has ${mostNotes} notes, which is the maximum. Delete one first`
      return yield* new InvalidState({ state: call.status, detail })
    }
    const by = authorOf(yield* CurrentPrincipal)
    const note = yield* Rows.one(Written)(sql`
      insert into call_notes (id, call_id, written_by, text)
      values (${uuidv7()}, ${call.id}, ${json(by)}, ${storableText(text)})
      returning id, written_by as by, text, created_at`)
    yield* AuditTrail.write()
    return note
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Deletes a note. Allowed for its author, and for principals with the permission `manage`. */
export const remove = Effect.fn("CallNotes.remove")(
  function* (id: string, note: string) {
    const sql = yield* SqlClient.SqlClient
    const found =
      isUuid(id) && isUuid(note)
        ? yield* Rows.first(Author)(sql`
            select written_by as by from call_notes where id = ${note} and call_id = ${id} for update`)
        : undefined
    if (found === undefined) return yield* new NotFound({ resource: "note", id: note })
    if (!isSame(found.by, authorOf(yield* CurrentPrincipal))) yield* requirePermission("manage")
    yield* sql`delete from call_notes where id = ${note}`
    yield* AuditTrail.write()
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

/** Compares ids only, because a key's name and a person's email may change. */
const isSame = (one: VersionAuthor, other: VersionAuthor): boolean =>
  one.type === "api_key"
    ? other.type === "api_key" && one.id === other.id
    : other.type === "person" && one.subject === other.subject
