/** The tables whose changes the audit log records, and which of their values it may show. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AuditKind } from "../domain/AuditActions.ts"
import type { AuditChange } from "../domain/AuditEntry.ts"
import { isUuid } from "../domain/Name.ts"
import * as Rows from "./Rows.ts"

/** A row at one moment: the values that may be shown, and a digest of every other field. */
export interface Snapshot {
  readonly id: string
  readonly name: string | null
  readonly fields: Readonly<Record<string, Field>>
}

type Field = { readonly value: Schema.Json } | { readonly digest: string }

interface Source {
  readonly table: string
  /** The column that people know the object by. */
  readonly name: string
  /** Whether requests may name the object by this column instead of by its id. */
  readonly isNamed?: boolean
  /** Fields whose values are neither secret nor personal. Of every other field, the log shows only the name. */
  readonly shown: ReadonlyArray<string>
  /** SQL for further fields of the row `t`. */
  readonly more?: string
}

const kitOfAgent = `|| jsonb_build_object(
  'tools', (select jsonb_agg(k.name order by k.name) from agent_tools a join tools k on k.id = a.tool_id
            where a.agent_id = t.id and a.enabled),
  'tool_settings', (select md5(coalesce(string_agg(a.tool_id::text || a.config::text, ',' order by a.tool_id), ''))
                    from agent_tools a where a.agent_id = t.id),
  'playbooks', (select jsonb_agg(k.name order by a.position) from agent_playbooks a
                join playbooks k on k.id = a.playbook_id where a.agent_id = t.id),
  'faqs', (select jsonb_agg(k.name order by k.name) from agent_faqs a join faqs k on k.id = a.faq_id
           where a.agent_id = t.id))`

const sources: Partial<Record<AuditKind, Source>> = {
  agent: {
    table: "agents",
    name: "name",
    isNamed: true,
    shown: [
      ...["name", "language", "voice", "model", "temperature", "max_call_seconds", "silence_timeout_seconds"],
      ...["interruptible", "voicemail_action", "recording", "tools", "playbooks", "faqs"],
    ],
    more: kitOfAgent,
  },
  tool: {
    table: "tools",
    name: "name",
    isNamed: true,
    shown: ["name", "display_name", "category", "implementation_type", "tags"],
  },
  playbook: {
    table: "playbooks",
    name: "name",
    isNamed: true,
    shown: ["name", "display_name", "category", "tool_names"],
  },
  faq: { table: "faqs", name: "name", isNamed: true, shown: ["name", "category"] },
  phone_number: {
    table: "phone_numbers",
    name: "number",
    shown: [...["number", "label", "carrier", "inbound_agent_id", "max_calls_per_day", "min_seconds_between_calls"]],
  },
  campaign: {
    table: "campaigns",
    name: "name",
    shown: [
      ...["name", "agent_id", "phone_number_id", "status", "max_concurrent_calls", "retries_per_contact"],
      ...["retry_delay_seconds", "retry_by_outcome", "scheduled_at", "calling_window", "max_calls_per_minute"],
      ...["redial_unknown", "callbacks_per_contact", "required_consent", "rule_packs", "subject", "opt_out_scope"],
      ...["max_spend", "quiet_after_answer_seconds", "retry_time_of_day"],
      ...["caller_numbers", "local_presence", "number_rest"],
    ],
  },
  webhook: { table: "webhooks", name: "description", shown: ["description", "events", "enabled"] },
  api_key: { table: "api_keys", name: "name", shown: ["name", "scopes", "expires_at"] },
  widget_key: { table: "widget_keys", name: "name", shown: ["name", "kind", "agent_id", "origins"] },
}

/** Fields that follow from others, or that Parley itself writes. */
const ignored = [
  ...["id", "revision", "version", "created_at", "updated_at", "search", "is_default", "modified_from_default"],
  ...["last_used_at", "key_id", "hint", "fanned_out_to", "failing", "previous_secret", "previous_secret_until"],
  ...["epoch", "variables", "variables_of", "import", "columns", "started_at", "ended_at", "end_reason"],
  ...["waiting_for", "waiting_detail", "agent_version", "contacts_erased", "rules"],
]

/** Characters of a value as JSON. A longer value is recorded as changed and not shown. */
const longestShown = 500

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  fields: Schema.Record(
    Schema.String,
    Schema.Union([Schema.Struct({ value: Schema.Json }), Schema.Struct({ digest: Schema.String })]),
  ),
})

/** The object as it is now; undefined if there is none, or if its kind has no table. */
export const read = Effect.fnUntraced(function* (kind: AuditKind, object: string) {
  const source = sources[kind]
  if (source === undefined || !(isUuid(object) || source.isNamed === true)) return undefined
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(Row)(sql`
    select t.id::text, nullif(${sql(`t.${source.name}`)}, '') as name, (
      select jsonb_object_agg(f.key, case
        when f.key = any(${[...source.shown]}::text[]) and length(f.value::text) <= ${longestShown}
        then jsonb_build_object('value', f.value) else jsonb_build_object('digest', md5(f.value::text)) end)
      from jsonb_each(to_jsonb(t) ${sql.literal(source.more ?? "")}) f where f.key <> all(${ignored}::text[])) as fields
    from ${sql(source.table)} t
    where ${isUuid(object) ? sql`t.id = ${object}` : sql`t.name = ${object}`}`)
})

/** The fields that differ. None if one of the two is missing: then the object was made or deleted. */
export const differences = (before: Snapshot | undefined, after: Snapshot | undefined): ReadonlyArray<AuditChange> =>
  before === undefined || after === undefined
    ? []
    : Object.keys(after.fields)
        .toSorted()
        .flatMap((field) => {
          const [old, now] = [before.fields[field], after.fields[field]]
          if (JSON.stringify(old) === JSON.stringify(now)) return []
          return [{ field, ...as("before", old), ...as("after", now) }]
        })

const as = (name: "before" | "after", field: Field | undefined): Partial<Record<"before" | "after", Schema.Json>> =>
  field !== undefined && "value" in field && field.value !== null ? { [name]: field.value } : {}
