/** What a person with the rights of a database's owner can do to the rows of receipts, and what puts them back. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

const tables = ["calls", "dial_records", "receipts", "receipt_seals", "rule_contents"]

/** Runs several statements as one. */
export const runAll = (owner: SqlClient.SqlClient, statements: string) =>
  owner.unsafe(`do $all$ begin ${statements}; end $all$`)

/** Lets the owner change rows unseen by triggers. Returns what puts all rows back. */
export const keepRows = (owner: SqlClient.SqlClient) => {
  const each = (statement: (table: string) => string) => runAll(owner, tables.map(statement).join("; "))
  const keep = each((table) => `alter table ${table} disable trigger user; create table old_${table} as table ${table}`)
  return Effect.as(
    keep,
    each((table) => `delete from ${table}; insert into ${table} select * from old_${table}`),
  )
}

/** What is written on a call after its beginning, what its contact had, and what it is counted by: no part of the decision. */
const unsealed = [
  ...["direction", "status", "outcome", "variables", "node_id", "answered_at", "ended_at", "transcript"],
  ...["tool_invocations", "turns", "result", "cost", "end_reason", "sound", "answered_by", "transfer_of"],
  ...["disclosure", "opt_out", "reserved", "written_off", "disposition", "day_part"],
]

export const columns = (owner: SqlClient.SqlClient) => owner<{ table: string; column: string; kind: string }>`
  select table_name::text as table, column_name::text as column, udt_name::text as kind from information_schema.columns
  where table_schema = 'public' and table_name in ${owner.in(tables)}
    and not (table_name = 'calls' and column_name in ${owner.in(unsealed)})
  order by 1, 2`

/** The rows to change. */
export const chosen = (table: string) => (table === "calls" ? "contact_id is not null" : "true")

/** The value with another digit, letter or moment. */
export const changed = (value: string | null, kind: string, seed: number): string => {
  if (value === null) return kind === "uuid" ? crypto.randomUUID() : "7"
  if (kind === "bool") return value === "true" ? "false" : "true"
  if (kind === "timestamptz") return new Date(Date.parse(value) + 1).toISOString()
  if (kind.startsWith("int")) return String(Number(value) + 1_000)
  for (let at = seed % value.length; ; at = (at + 1) % value.length) {
    const letter = value[at] ?? ""
    if (!/[0-9a-f]/.test(letter) || (kind === "bytea" && at < 2)) continue
    const text = value.slice(0, at) + (letter === "1" ? "2" : "1") + value.slice(at + 1)
    if (kind !== "jsonb" || isJson(text)) return text
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const ofAnother =
  "direction, status, agent_id, agent_name, campaign_id, dial_record_id, phone_number_id, to_number, from_number, node_id"
export const attacks = [
  "delete from calls where id = (select call_id from receipts where seq = 2)",
  "delete from dial_records where id = (select dial_record_id from calls order by id desc limit 1)",
  "delete from receipts where seq = 3",
  "delete from receipts where seq = 5; delete from calls where id not in (select call_id from receipts)",
  "delete from receipt_seals where number = 1",
  "delete from receipt_seals where number = 2; delete from receipts where seq > 3",
  "update receipts set nonce = null where seq = 1",
  "update receipt_seals set leaves = null where number = 1",
  "delete from rule_contents",
  `insert into calls (id, contact_id, attempt_number, started_at, ${ofAnother})
   select gen_random_uuid(), gen_random_uuid(), 1, started_at, ${ofAnother} from calls limit 1`,
  `update calls c set to_number = o.to_number from calls o
   where c.id = (select call_id from receipts where seq = 1) and o.id = (select call_id from receipts where seq = 2)`,
  `delete from receipts where seq in (4, 5);
   insert into receipts select 9 - seq, call_id, nonce from old_receipts where seq in (4, 5)`,
  `update calls set dial_record_id = (select dial_record_id from calls order by id limit 1)
   where id = (select call_id from receipts where seq = 5)`,
  "update dial_records r set record = o.record from old_dial_records o where o.id > r.id",
]
/** What a person with the owner's rights can do unseen: make the chain anew. A hash that was noted elsewhere shows it. */
export const rewritings = [
  `update dial_records set record = record || '{"extra": 1}', sealed = false;
   delete from receipts; delete from receipt_seals`,
  `delete from receipt_seals where number = 2; delete from receipts where seq > 3;
   delete from calls where id not in (select call_id from receipts)`,
]
