/** The columns of an account's database that receipts and seals are made of. */
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ReceiptContent, Seal } from "../../domain/Receipt.ts"

/** A time with microseconds, independent of the server's time zone. */
const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The columns of a call `c` that its receipt contains. The decision is added to them. */
export const callColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`c.id as call_id, c.campaign_id, c.contact_id, c.attempt_number, c.agent_id, c.agent_name, c.agent_version,
    c.phone_number_id, c.from_number, c.to_number, ${instant("c.started_at")} as started_at`)

const { decision: _decision, format: _format, ...ofCall } = ReceiptContent.fields
export const callFields = ofCall

/** The columns of a seal `s`, with its hashes in hexadecimal. */
export const sealColumns = (sql: SqlClient.SqlClient) =>
  sql.literal(`s.number::float8 as number, s.first_seq::float8 as first_seq, s.count,
    ${(["first_at", "last_at", "sealed_at"] as const).map((name) => `${instant(`s.${name}`)} as ${name}`).join(", ")},
    ${(["previous", "root", "hash"] as const).map((name) => `encode(s.${name}, 'hex') as ${name}`).join(", ")}`)

export const SealRow = Schema.toType(Seal)
