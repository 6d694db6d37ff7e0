/** The calls of an account as rows: intents, what became of them, reading them back. Who may begin is Admission's. */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { isAbandoned } from "../domain/Abandonment.ts"
import { Call, type CallDirection, CallId, type CallStatus, CallSummary, statusOf } from "../domain/Call.ts"
import { longestCallSeconds } from "../domain/Agent.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { NotFound } from "../domain/Refusals.ts"
import { json } from "../tenancy/Json.ts"
import { transaction } from "../tenancy/Transaction.ts"
import type { CallEnd } from "./CallSession.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { EndedCall } from "./AfterCall.ts"
import type { IntendedCall, Intent } from "./Intent.ts"

/** `clock_timestamp()` while the budget is locked: calls begin in the order of their times, so sliding minutes hold (I9). */
export const intend = Effect.fn("CallLog.intend")(function* (node: string, intents: ReadonlyArray<Intent>) {
  if (intents.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const calls = intents.map((intent) => ({ ...intent, id: CallId.make(uuidv7()) }))
  const rows = calls.map((call, at) => ({ ...call, at }))
  const begun = yield* sql<{ id: string; started_at: Date }>`
    insert into calls (id, direction, status, agent_id, agent_name, campaign_id, contact_id, attempt_number, decision,
                       phone_number_id, to_number, from_number, variables, node_id, started_at)
    select i.id, 'outbound', 'queued', i.agent_id, i.agent_name, i.campaign_id, i.contact_id, i.attempt_number,
           i.decision, i.phone_number_id, i.to_number, i.from_number, i.variables, ${node},
           clock_timestamp()
    from jsonb_to_recordset(${json(rows)}::jsonb) as i(
      at int, id uuid, agent_id uuid, agent_name text, campaign_id uuid, contact_id uuid, attempt_number int,
      decision jsonb, phone_number_id uuid, to_number text, from_number text, variables jsonb)
    order by i.at
    returning id, started_at`
  const startedAt = new Map(begun.map(({ id, started_at }) => [id, started_at]))
  return calls.flatMap((call): ReadonlyArray<IntendedCall> => {
    const started_at = startedAt.get(call.id)
    return started_at === undefined ? [] : [{ ...call, started_at }]
  })
})

export interface Progress {
  readonly status: "ringing" | "in_progress"
  readonly answered_at: Date | null
}

/** The carrier's words on calls that live; one that comes late changes nothing. */
export const advance = Effect.fn("CallLog.advance")(function* (progress: ReadonlyMap<CallId, Progress>) {
  if (progress.size === 0) return
  const sql = yield* SqlClient.SqlClient
  const rows = [...progress].map(([id, word]) => ({ id, ...word }))
  yield* sql`
    update calls c set status = p.status,
      answered_at = case when p.answered_at is not null then greatest(c.started_at, p.answered_at) end
    from jsonb_to_recordset(${json(rows)}::jsonb) as p(id uuid, status text, answered_at timestamptz)
    where c.id = p.id and c.ended_at is null and c.answered_at is null`
})

export interface EndReport {
  readonly call: Pick<EndedCall, "id" | "campaign_id" | "contact_id" | "attempt_number" | "to_number">
  readonly end: CallEnd
  readonly ended_at: Date
  readonly record: CallRecord
}

export const endedOf = ({ call, end, ended_at, record }: EndReport): EndedCall => ({
  id: call.id,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  attempt_number: call.attempt_number,
  to_number: call.to_number,
  outcome: end.outcome,
  end_reason: end.end_reason,
  ended_at,
  accepted: end.outcome === "answered" || record.message_left,
  abandoned: isAbandoned({ ...record, outcome: end.outcome }),
})

/**
 * Ends calls of this node, each once, and what follows from it in the same transaction; gives those that had not ended
 * before. One that another node has taken over is that node's to end.
 * A number whose owner wants no further call is on the do-not-call list in the same moment.
 */
export const end = Effect.fn("CallLog.end")(function* (
  node: string,
  reports: ReadonlyArray<EndReport>,
  settle: (ended: ReadonlyArray<EndedCall>) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>,
) {
  const sql = yield* SqlClient.SqlClient
  const campaigns = [...new Set(reports.flatMap(({ call }) => call.campaign_id ?? []))]
  yield* sql`select from budget for update`
  if (campaigns.length > 0) {
    yield* sql`select from campaigns where id = any(${campaigns}::uuid[]) order by id for no key update`
  }
  // Of two words on one call the first counts, in one batch as in two.
  const firsts = [...Map.groupBy(reports, ({ call }) => call.id).values()].flatMap(([first]) => first ?? [])
  const rows = firsts.map(({ call, end, ended_at, record }) => ({
    id: call.id,
    status: statusOf(end.outcome),
    outcome: end.outcome,
    end_reason: end.end_reason,
    answered_at: record.answered_at,
    ended_at,
    transcript: record.transcript,
    tool_invocations: record.tool_invocations,
    turns: record.turns,
    result: record.result,
    cost: record.cost,
  }))
  // The process's clock may be a little before the database's, by which the call began.
  const updated = yield* sql<{ id: string; ended_at: Date }>`
    update calls c set
      status = e.status, outcome = e.outcome, end_reason = e.end_reason,
      answered_at = case when e.answered_at is not null then greatest(c.started_at, e.answered_at) else c.answered_at end,
      ended_at = greatest(c.started_at, c.answered_at, e.answered_at, e.ended_at),
      transcript = e.transcript, tool_invocations = e.tool_invocations, turns = e.turns,
      result = e.result, cost = e.cost
    from jsonb_to_recordset(${json(rows)}::jsonb) as e(
      id uuid, status text, outcome text, end_reason text, answered_at timestamptz, ended_at timestamptz,
      transcript jsonb, tool_invocations jsonb, turns jsonb, result jsonb, cost jsonb)
    where c.id = e.id and c.node_id = ${node} and c.ended_at is null
    returning c.id, c.ended_at`
  const endedAt = new Map(updated.map(({ ended_at, id }) => [id, ended_at]))
  for (const { call, record } of reports) {
    if (!record.opted_out || call.to_number === null) continue
    yield* sql`
      insert into suppressions ${sql.insert({ phone_number: call.to_number, source: "call", call_id: call.id, reason: "asked for in a call" })}
      on conflict (phone_number) do update set source = 'call', call_id = excluded.call_id, expires_at = null`
  }
  const ended = firsts.flatMap((report): ReadonlyArray<EndedCall> => {
    const ended_at = endedAt.get(report.call.id)
    return ended_at === undefined ? [] : [{ ...endedOf(report), ended_at }]
  })
  if (ended.length > 0) yield* settle(ended)
  return ended
}, transaction)

const LiveRow = Schema.toType(
  Schema.Struct({
    id: CallId,
    campaign_id: Schema.NullOr(Schema.String),
    contact_id: Schema.NullOr(Schema.String),
    attempt_number: Schema.NullOr(Schema.Int),
    to_number: Schema.NullOr(Schema.String),
    from_number: Schema.NullOr(Schema.String),
    phone_number_id: Schema.NullOr(Schema.String),
    node_id: Schema.String,
    started_at: Schema.Date,
    answered_at: Schema.NullOr(Schema.Date),
    age_seconds: Schema.Finite,
    /** Its agent's, or the longest that any may have. */
    max_call_seconds: Schema.Int,
  }),
)
export type LiveCallRow = typeof LiveRow.Type

/** Every call that has not ended. */
export const live = Effect.fn("CallLog.live")(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = SqlSchema.findAll({
    Request: Schema.Void,
    Result: LiveRow,
    execute: () => sql`
      select c.id, c.campaign_id, c.contact_id, c.attempt_number, c.to_number, c.from_number, c.phone_number_id,
             c.node_id::text, c.started_at, c.answered_at,
             extract(epoch from clock_timestamp() - c.started_at)::float8 as age_seconds,
             coalesce(a.max_call_seconds, ${longestCallSeconds}::int) as max_call_seconds
      from calls c left join agents a on a.id = c.agent_id where c.ended_at is null`,
  })
  return yield* rows()
})

const SummaryRow = Schema.toType(CallSummary)

/** A row's times are dates; those inside its JSON are texts. */
const CallRow = Schema.Struct({
  ...Call.fields,
  started_at: Schema.Date,
  answered_at: Schema.NullOr(Schema.Date),
  ended_at: Schema.NullOr(Schema.Date),
})

const columns = `
  id, direction, status, outcome, end_reason, agent_id, agent_name, campaign_id, contact_id, phone_number_id,
  to_number as "to", from_number as "from", started_at, answered_at, ended_at,
  extract(epoch from ended_at - answered_at)::float8 as duration_seconds, result,
  case when cost = '{}' then '${JSON.stringify({ amount: 0, currency: "USD", parts: {} })}'::jsonb else cost end as cost,
  null::text as recording`

export const find = Effect.fn("CallLog.find")(
  function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    if (!isUuid(id)) return yield* new NotFound({ resource: "call", id })
    const one = SqlSchema.findOne({
      Request: Schema.String,
      Result: CallRow,
      execute: (id) =>
        sql`select ${sql.literal(columns)}, transcript, tool_invocations, turns from calls where id = ${id}`,
    })
    return yield* one(id)
  },
  (find, id) =>
    Effect.catchTags(find, {
      NoSuchElementError: () => new NotFound({ resource: "call", id }),
      SchemaError: Effect.die,
      SqlError: Effect.die,
    }),
)

/** The process that conducts the call. */
export const nodeOf = Effect.fn("CallLog.nodeOf")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ node_id: string }>`select node_id from calls where id = ${id}`
  return row?.node_id ?? ""
}, Effect.orDie)

export interface CallFilter extends PageRequest {
  readonly campaign_id?: string
  readonly agent_id?: string
  readonly status?: CallStatus
  readonly direction?: CallDirection
  /** Begun at this moment or later. */
  readonly from?: Date
  /** Begun before this moment. */
  readonly to?: Date
}

export const list = Effect.fn("CallLog.list")(function* (filter: CallFilter) {
  const sql = yield* SqlClient.SqlClient
  const where = sql.and([
    sql.literal("true"),
    ...(filter.campaign_id === undefined ? [] : [sql`campaign_id = ${filter.campaign_id}`]),
    ...(filter.agent_id === undefined ? [] : [sql`agent_id = ${filter.agent_id}`]),
    ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`]),
    ...(filter.direction === undefined ? [] : [sql`direction = ${filter.direction}`]),
    ...(filter.from === undefined ? [] : [sql`started_at >= ${filter.from}`]),
    ...(filter.to === undefined ? [] : [sql`started_at < ${filter.to}`]),
  ])
  const rows = SqlSchema.findAll({
    Request: Schema.Void,
    Result: SummaryRow,
    execute: () => sql`
      select ${sql.literal(columns)} from calls where ${where} order by started_at desc, id desc
      limit ${filter.page_size} offset ${filter.page * filter.page_size}`,
  })
  const count = SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: () => sql`select count(*)::int as total from calls where ${where}`,
  })
  const [items, { total }] = yield* Effect.all([rows(), count()], { concurrency: 2 })
  return { items, page: filter.page, page_size: filter.page_size, total } satisfies Page<CallSummary>
}, Effect.orDie)
