/** Reads of a whole account: its export, and its audit log. They come last, when the account holds the widest rows. */
import { made } from "../support/Fixtures.ts"
import { until } from "../support/Until.ts"
import { many, type Sender, type WorstInput } from "./WorstInput.ts"

/** 20 calls whose transcripts have a megabyte each, as text that gzip cannot guess. */
const longCalls = `
  insert into calls (id, direction, status, outcome, agent_id, agent_name, node_id, to_number, started_at, answered_at,
    ended_at, end_reason, transcript)
  select gen_random_uuid(), 'outbound', 'completed', 'answered', a.id, a.name, gen_random_uuid(), '+12125550100', now(),
    now(), now(), 'agent_hung_up', (
      select jsonb_agg(jsonb_build_object('role', 'user', 'at_ms', entry, 'text', md5(at::text || entry)))
      from generate_series(1, 13000) entry)
  from (select id, name from agents limit 1) a, generate_series(1, 20) at`

/** 300 calls with results of 60 KB, of many small fields that are escaped twice. */
const wideResults = `
  insert into calls (id, direction, status, outcome, agent_id, agent_name, node_id, to_number, started_at, ended_at, result)
  select gen_random_uuid(), 'outbound', 'completed', 'answered', gen_random_uuid(), 'Rosa', gen_random_uuid(),
    '+12125550101', now(), now(),
    (select jsonb_object_agg('field' || field, repeat('"', 8)) from generate_series(1, 2500) field)
  from generate_series(1, 300) at`

/** Numbers whose reasons are formulas and quotes to their last character. */
const reasons = `
  insert into suppressions (phone_number, source, reason)
  select '+1212' || at, 'import', repeat(E'\n="', 333) from generate_series(2000000, 2004999) at`

const isExported = async ({ client }: Sender): Promise<void> => {
  const { id } = made(await client.post("/api/v1/exports", {}))
  const ended = await until(async () => {
    const found = made(await client.get(`/api/v1/exports/${id}`))
    return found.status !== "running" && found
  })
  if (ended.status !== "completed") throw new Error(`The export ended as ${ended.status}: ${ended.reason}`)
}

/** As many names as an entry shows of a list. */
const names = JSON.stringify(many(83, (at) => at.toString(36).padStart(2, "n")))
const change = (field: string) => `{"field": "${field}", "before": ${names}, "after": ${names}}`
const changes = `[${["tools", "playbooks", "faqs"].map(change).join(",")}]`

/** As many entries as fill ten pages of the widest changes. */
const entries = `
  insert into audit_entries (id, actor_type, actor_id, actor_name, action, object_kind, object_id, object_name, changes)
  select gen_random_uuid(), 'person', 'someone', repeat('=', 300), 'agent.update', 'agent', gen_random_uuid()::text,
    repeat(chr(13), 200), '${changes}'
  from generate_series(1, 2000)`

const once = (statement: string) => {
  let isDone = false
  return async ({ query }: Sender) => {
    if (!isDone) await query(statement)
    isDone = true
  }
}

const prepare = once(entries)

const widestConsents = Array.from({ length: 200 }, (_, at) => ({
  phone_number: `+1 (415) 555-${1_000 + at}`,
  basis: "express_written" as const,
  at: "2026-11-21T10:00:00Z",
  text: "ä".repeat(2_000),
  source: "s".repeat(200),
  subject: "x".repeat(200),
  external_id: `e${at}`,
}))

export const accountInputs: ReadonlyArray<WorstInput> = [
  { name: "an export of the account", prepare: once(longCalls), send: isExported },
  {
    name: "calls with wide results as CSV",
    prepare: once(wideResults),
    send: async ({ client }) => made(await client.get("/api/v1/calls.csv")),
  },
  {
    name: "a do-not-call list as CSV",
    prepare: once(reasons),
    send: async ({ client }) => made(await client.get("/api/v1/suppressions.csv")),
  },
  {
    name: "200 consents with the longest words",
    send: async ({ client }) => made(await client.post("/api/v1/consents", { consents: widestConsents })),
  },
  { name: "the audit log as CSV", prepare, send: async ({ client }) => made(await client.get("/api/v1/audit.csv")) },
  {
    name: "a page of the audit log",
    prepare,
    send: async ({ client }) => made(await client.get("/api/v1/audit?limit=200")),
  },
  { name: "a page of the audit log, over tRPC", prepare, send: ({ rpc }) => rpc.audit.list.query({ limit: 200 }) },
]
