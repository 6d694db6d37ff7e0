/**
 * The rows of live conversations in writing: what another process needs to go on with one, beside the words in `calls`.
 * A trigger deletes the row when the call ends.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import { AgentId } from "../../domain/Agent.ts"
import { Call, CallId, noCost } from "../../domain/Call.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"

/** How long a conversation waits for its page: for example through a tunnel, or while a laptop is closed. */
export const awaySeconds = 60

export interface NewChat {
  /** SHA-256 of the secret with which the page resumes it. The secret itself is nowhere in the database. */
  readonly secret_hash: Uint8Array
  readonly session: string
  readonly greeting: string | null
}

/** Runs in the transaction that writes the call. */
export const begin = Effect.fn("ChatRows.begin")(function* (
  call_id: CallId,
  { greeting, secret_hash, session }: NewChat,
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into live_chats ${sql.insert({ call_id, secret_hash, session, greeting })}`
})

const Taken = Schema.Struct({
  id: CallId,
  agent_id: AgentId,
  agent_name: Schema.String,
  agent_version: Schema.NullOr(Schema.Int),
  variables: Schema.NullOr(Schema.Record(Schema.String, Schema.Json)),
  started_at: Schema.Date,
  answered_at: Schema.NullOr(Schema.Date),
  transcript: Call.fields.transcript,
  tool_invocations: Call.fields.tool_invocations,
  turns: Call.fields.turns,
  result: Call.fields.result,
  cost: Call.fields.cost,
  session: Schema.String,
  greeting: Schema.NullOr(Schema.String),
  message_ids: Schema.Array(Schema.String),
})
export type TakenChat = typeof Taken.Type

/**
 * Makes `node` the owner of the conversation with this secret, whichever process owned it, and returns its row;
 * undefined if it has ended, was given up (`giveUp`) or never was. Runs in a transaction.
 *
 * The previous owner may still be alive: the page has reached this process, so its socket to the owner has closed or is
 * about to. This process needs nothing from the owner's memory. The visitor has seen only lines that are in the row
 * (`Chat.stored`), the page sends each message again that is not among these lines, and a reply in progress is generated
 * again. The first statement locks the call's row, as every write of the owner does. So the second statement reads all
 * that the owner has written, and the owner's next write finds that another process owns the call. Until then, for a
 * second at most, the owner may still generate a reply that no page will show.
 */
export const takeOver = Effect.fn("ChatRows.takeOver")(function* (node: string, secret_hash: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const [mine] = yield* sql<{ readonly id: CallId }>`
    update calls c set node_id = ${node} from live_chats l
    where l.secret_hash = ${secret_hash} and c.id = l.call_id and c.ended_at is null
      and l.waits_since is distinct from '-infinity'
    returning c.id`
  if (mine === undefined) return undefined
  yield* sql`update live_chats set waits_since = null where call_id = ${mine.id}`
  return yield* Rows.first(Taken)(sql`
    select c.id, c.agent_id, c.agent_name, c.agent_version, c.variables, c.started_at, c.answered_at, c.transcript,
           c.tool_invocations, c.turns, c.result, case when c.cost = '{}' then ${json(noCost)}::jsonb else c.cost end as cost,
           l.session, l.greeting, l.message_ids
    from calls c join live_chats l on l.call_id = c.id where c.id = ${mine.id}`)
})

/** The call that the secret opens; undefined if it has ended or never was. */
export const find = Effect.fn("ChatRows.find")(function* (secret_hash: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly call_id: CallId; readonly node_id: string }>`
    select l.call_id, c.node_id from live_chats l join calls c on c.id = l.call_id
    where l.secret_hash = ${secret_hash} and c.ended_at is null`
  return row
})

export const isLive = Effect.fn("ChatRows.isLive")(function* (call_id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from live_chats where call_id = ${call_id}`).length > 0
})

type News = CallRecord["news"]

/**
 * Adds what is new in the record to the rows, and `message_ids` in place of the ids there. Returns whether the rows now
 * have it: `lost` if another process owns the call or the call has ended.
 *
 * It may run again, with more news, after a commit whose answer was lost. Only the owner appends to the lists, so any
 * entries beyond `from` are the beginning of the same news, and only the rest is appended.
 */
export const add = Effect.fn("ChatRows.add")(function* (
  node: string,
  id: CallId,
  { from, to, words }: News,
  message_ids: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  const extended = (list: keyof News["to"]) => sql`
    c.${sql(list)} || jsonb_path_query_array(w.words -> ${sql.literal(`'${list}'`)}, '$[$from to last]',
      jsonb_build_object('from', jsonb_array_length(c.${sql(list)}) - ${from[list]}::int))`
  const follows = (list: keyof News["to"]) =>
    sql`jsonb_array_length(c.${sql(list)}) between ${from[list]} and ${to[list]}`
  const written = yield* sql`
    with mine as (
      update calls c set
        transcript = ${extended("transcript")}, tool_invocations = ${extended("tool_invocations")},
        turns = ${extended("turns")}, cost = w.words -> 'cost', result = nullif(w.words -> 'result', 'null')
      from (select ${json(words)}::jsonb as words) w
      where c.id = ${id}
        and c.node_id = ${node} -- guard: a conversation is written only by the process that conducts it (I1)
        and c.ended_at is null
        and ${follows("transcript")} and ${follows("tool_invocations")} and ${follows("turns")}
      returning c.id)
    update live_chats l set message_ids = ${[...message_ids]}::text[],
      waits_since = case when l.waits_since = '-infinity' then l.waits_since end
    from mine where l.call_id = mine.id
    returning l.call_id`
  return written.length > 0 ? ("written" as const) : ("lost" as const)
})

/**
 * Returns which of `calls` are conversations that still wait for their page. No process conducts these calls. A wait
 * begins, by the database's clock, when this function first finds a conversation without a process. It does not begin if
 * another process has taken the conversation over since its `node_id` was read: the lock waits for a take-over in
 * progress.
 */
export const findWaiting = Effect.fn("ChatRows.findWaiting")(function* (
  calls: ReadonlyArray<{ readonly id: CallId; readonly node_id: string }>,
) {
  if (calls.length === 0) return new Set<CallId>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly call_id: CallId; readonly waits: boolean }>`
    with unconducted as (
      select c.id from live_chats l join calls c on c.id = l.call_id
      join unnest(${calls.map(({ id }) => id)}::uuid[], ${calls.map(({ node_id }) => node_id)}::uuid[]) as r(id, node_id)
        on r.id = c.id and r.node_id = c.node_id
      order by c.id for no key update of c)
    update live_chats l set waits_since = coalesce(l.waits_since, clock_timestamp())
    from unconducted u where l.call_id = u.id
    returning l.call_id, l.waits_since > clock_timestamp() - make_interval(secs => ${awaySeconds}) as waits`
  return new Set(rows.flatMap(({ call_id, waits }) => (waits ? [call_id] : [])))
})

/** Whether conversations without a process wait for their page. */
export const anyWaits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from live_chats where waits_since is not null limit 1`).length > 0
})

/** The session's conversations in writing that other processes own. */
export const findElsewhere = Effect.fn("ChatRows.findElsewhere")(function* (node: string, session: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: CallId; readonly node_id: string }>`
    select c.id, c.node_id from live_chats l join calls c on c.id = l.call_id
    where l.session = ${session} and c.node_id <> ${node} and c.ended_at is null`
})

/**
 * Marks the conversation so that no page can take it over, and so that it ends as soon as no process conducts it. That
 * covers an owner that has just died, which no process has noticed yet. A process that conducts it goes on, and has to be
 * asked to hang up. Returns whether the conversation was waiting for its page, or was given up before.
 */
export const giveUp = Effect.fn("ChatRows.giveUp")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  const [before] = yield* sql<{ readonly waited: boolean }>`
    update live_chats l set waits_since = '-infinity' from live_chats b
    where l.call_id = ${id} and b.call_id = l.call_id
    returning b.waits_since is not null as waited`
  return before?.waited ?? false
})
