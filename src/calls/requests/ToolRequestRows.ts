/**
 * The requests of tools as rows: from before they are sent until the call's row has their results. A row is open until
 * it has an answer.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../domain/Agent.ts"
import { CallId, type ToolInvocation, ToolFailure, type TranscriptEntry } from "../../domain/Call.ts"
import { storableText } from "../../domain/JsonValue.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { transaction } from "../../tenancy/Transaction.ts"

/** What is noted of a request before it is sent. */
export interface NewRequest {
  /** The id of the invocation, and the request's `Idempotency-Key`. */
  readonly id: string
  readonly call_id: CallId
  readonly tool_name: string
  readonly arguments: Schema.Json
  /** Whether another process may send the request again. */
  readonly is_repeatable: boolean
}

/**
 * Notes a request that `node` is about to send. Returns false if the call has ended or another process has taken it
 * over. The lock waits for a take-over in progress, and a take-over waits for it: the next process sees every request.
 */
export const begin = Effect.fn("ToolRequestRows.begin")(function* (node: string, request: NewRequest) {
  const sql = yield* SqlClient.SqlClient
  const { arguments: args, call_id, id, is_repeatable, tool_name } = request
  const noted = yield* sql`
    with own as (
      select c.id from calls c where c.id = ${call_id} and c.node_id = ${node} and c.ended_at is null for share)
    insert into tool_requests (id, call_id, node_id, tool_name, arguments, is_repeatable)
    select ${id}, own.id, ${node}, ${tool_name}, ${json(args)}::jsonb, ${is_repeatable}::boolean from own
    returning 1`
  return noted.length > 0
})

/** Forgets a request that was not sent. */
export const forget = Effect.fn("ToolRequestRows.forget")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from tool_requests where id = ${id} and answer is null`
})

export type Answered = Pick<ToolInvocation, "arguments" | "duration_ms" | "error" | "result">

/**
 * Writes the result of an attempt. Does nothing if another process has begun a later attempt, if the request has an
 * answer, or if the call was deleted.
 */
export const answer = Effect.fn("ToolRequestRows.answer")(function* (id: string, attempts: number, answered: Answered) {
  const sql = yield* SqlClient.SqlClient
  const { duration_ms, error, result = null } = answered
  yield* sql`
    update tool_requests set answer = ${json(error === undefined ? { result } : { error })}::jsonb,
      arguments = ${json(answered.arguments)}::jsonb, duration_ms = ${duration_ms}
    where id = ${id} and attempts = ${attempts} and answer is null`
})

/** Makes the request due again after a failed attempt. */
export const postpone = Effect.fn("ToolRequestRows.postpone")(function* (id: string, attempts: number, ms: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update tool_requests set due_at = clock_timestamp() + make_interval(secs => ${ms / 1_000})
    where id = ${id} and attempts = ${attempts} and answer is null`
})

const Open = Schema.toType(
  Schema.Struct({
    id: Schema.String,
    call_id: CallId,
    node_id: Schema.String,
    tool_name: Schema.String,
    arguments: Schema.Json,
    is_repeatable: Schema.Boolean,
    /** The fencing token of `answer`. */
    attempts: Schema.Int,
    began_at: Schema.Date,
    /** Whether the pause before the next attempt is over. */
    is_due: Schema.Boolean,
    /** Null if the agent was deleted. */
    agent_id: Schema.NullOr(AgentId),
    agent_version: Schema.NullOr(Schema.Int),
  }),
)
export type Open = typeof Open.Type

/** The requests without an answer, oldest first. */
export const findOpen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Open)(sql`
    select r.id, r.call_id, r.node_id, r.tool_name, r.arguments, r.is_repeatable, r.attempts, r.began_at,
      r.due_at <= clock_timestamp() as is_due, c.agent_id, c.agent_version
    from tool_requests r join calls c on c.id = r.call_id
    where r.answer is null order by r.began_at`)
})

/** Makes `node` the sender of an open request. Returns whether it is: another process may have taken it. */
export const take = Effect.fn("ToolRequestRows.take")(function* (node: string, { attempts, id, node_id }: Open) {
  const sql = yield* SqlClient.SqlClient
  const taken = yield* sql`
    update tool_requests set node_id = ${node}, attempts = attempts + 1
    where id = ${id} and node_id = ${node_id} and attempts = ${attempts} and answer is null
    returning 1`
  return taken.length > 0
})

const settledFields = {
  id: Schema.String,
  tool_name: Schema.String,
  arguments: Schema.Json,
  began_at: Schema.Date,
  answer: Schema.NullOr(Schema.Union([Schema.Struct({ result: Schema.Json }), Schema.Struct({ error: ToolFailure })])),
  duration_ms: Schema.NullOr(Schema.Int),
}
const Settled = Schema.toType(Schema.Struct(settledFields))
export type Settled = typeof Settled.Type

const settledColumns = (sql: SqlClient.SqlClient) =>
  sql`r.id, r.tool_name, r.arguments, r.began_at, r.answer, r.duration_ms`

/** The requests of a call, with and without an answer. */
export const findOf = Effect.fn("ToolRequestRows.findOf")(function* (call: CallId) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Settled)(sql`
    select ${settledColumns(sql)} from tool_requests r where r.call_id = ${call} order by r.began_at`)
})

/** The request as a call's row has it; undefined without an answer. */
export const toInvocation = ({ answer, began_at, duration_ms, ...request }: Settled): ToolInvocation | undefined =>
  answer === null
    ? undefined
    : {
        id: request.id,
        tool_name: request.tool_name,
        arguments: request.arguments,
        ...answer,
        started_at: began_at,
        duration_ms: duration_ms ?? 0,
      }

const Owed = Schema.toType(
  Schema.Struct({
    ...settledFields,
    call_id: CallId,
    /** Whether the call's row has the invocation. */
    is_known: Schema.Boolean,
    /** When the last words of the call ended, in its milliseconds. */
    at: Schema.Finite,
  }),
)

/** The most results that are added to calls in one transaction. */
const mostAtOnce = 500

/**
 * Adds the answers of requests of ended calls to the calls' rows, unless the process that conducted the call has
 * done so, and deletes the requests.
 */
export const deliver = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Calls are locked before their requests, as by a deletion of calls.
  const owed = yield* Rows.all(Owed)(sql`
    with ended as (
      select c.id, c.tool_invocations, coalesce((c.transcript -> -1 ->> 'ended_ms')::float8, 0) as at
      from calls c
      where c.ended_at is not null and c.id in (select call_id from tool_requests where answer is not null)
      order by c.id limit ${mostAtOnce} for no key update)
    select ${settledColumns(sql)}, r.call_id, e.at,
      e.tool_invocations @> jsonb_build_array(jsonb_build_object('id', r.id)) as is_known
    from ended e join tool_requests r on r.call_id = e.id
    where r.answer is not null order by r.began_at`)
  if (owed.length === 0) return
  for (const request of owed) {
    const invocation = request.is_known ? undefined : toInvocation(request)
    if (invocation === undefined) continue
    yield* sql`
      update calls set tool_invocations = tool_invocations || ${json([invocation])}::jsonb,
        transcript = transcript || ${json([entryOf(invocation, request.at)])}::jsonb
      where id = ${request.call_id}`
  }
  yield* sql`delete from tool_requests where id = any(${owed.map(({ id }) => id)}::uuid[])`
}).pipe(transaction)

const entryOf = (invocation: ToolInvocation, at: number): TranscriptEntry => ({
  role: "tool",
  text: storableText(JSON.stringify(invocation.error === undefined ? invocation.result : { error: invocation.error })),
  at: invocation.started_at,
  started_ms: at,
  ended_ms: at,
  tool_invocation_id: invocation.id,
  tool_name: invocation.tool_name,
})

/** Whether the account has requests whose results are not in their calls' rows. */
export const hasAny = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from tool_requests limit 1`).length > 0
})
