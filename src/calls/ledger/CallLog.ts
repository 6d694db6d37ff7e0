/**
 * Writes the calls of an account: intents, progress and ends. `Admission` decides which may begin, `CallHistory` reads.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { v7 as uuidv7 } from "uuid"
import * as CallOptOuts from "../../catalog/CallOptOuts.ts"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import { isAbandoned } from "../../domain/Abandonment.ts"
import { longestCallSeconds } from "../../domain/Agent.ts"
import { CallDirection, CallId, Cost, otherNumberOf, statusOf } from "../../domain/Call.ts"
import type { PhoneNumberId } from "../../domain/PhoneNumber.ts"
import { booleans, integers, jsons, texts, timestamps, uuids } from "../../tenancy/Columns.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { CallEnd } from "../live/CallSession.ts"
import type { EndedCall } from "./AfterCall.ts"
import type { IntendedCall, Intent } from "./Intent.ts"

/**
 * Writes the intents as `queued` calls, and returns them in the same order. They begin at `clock_timestamp()` while the
 * budget is locked, so calls begin in the order of their times and sliding minutes hold (I9). Calls of one agent and
 * number begin at the same moment, and their ids rise in their order.
 */
export const intend = Effect.fn("CallLog.intend")(function* (node: string, intents: ReadonlyArray<Intent>) {
  if (intents.length === 0) return []
  const idAt = makeCallIds(intents.length, yield* Clock.currentTimeMillis)
  const calls = intents.map((intent, at) => ({ id: idAt(at), intent }))
  const begun = new Map<CallId, IntendedCall>()
  for (const group of Map.groupBy(calls, ({ intent }) => groupKeyOf(intent)).values()) {
    const started_at = yield* insertGroup(node, group)
    for (const { id, intent } of group) begun.set(id, { ...intent, id, direction: "outbound", started_at })
  }
  return calls.flatMap(({ id }) => begun.get(id) ?? [])
})

interface NewCall {
  readonly id: CallId
  readonly intent: Intent
}

/**
 * Returns the function that makes the id of a position; ids rise. The random bytes of all ids are requested at once,
 * because requesting them is the most expensive part of an id.
 */
const makeCallIds = (count: number, msecs: number) => {
  const random = randomBytes(16 * count)
  const firstOfSeq = random.readUInt32BE() >>> 1
  return (at: number) =>
    CallId.make(uuidv7({ random: random.subarray(16 * at, 16 * (at + 1)), msecs, seq: firstOfSeq + at }))
}

/** Calls with the same key are inserted together. The calls of a dial pass differ only in contact and number. */
const groupKeyOf = ({ agent_id, campaign_id }: Intent) => `${agent_id} ${campaign_id}`

/**
 * New ids of records by their decisions. Calls with the same decision share one record, because it is longer than a
 * call's row.
 */
const dedupeRecords = (group: ReadonlyArray<NewCall>): ReadonlyMap<Intent["decision"], string> => {
  const records = new Map<Intent["decision"], string>()
  for (const { decision } of group.map(({ intent }) => intent)) {
    if (decision !== null && !records.has(decision)) records.set(decision, uuidv7())
  }
  return records
}

/** Inserts calls of one agent and campaign, with their records. Returns the moment in which they all begin. */
const insertGroup = Effect.fnUntraced(function* (node: string, group: ReadonlyArray<NewCall>) {
  const sql = yield* SqlClient.SqlClient
  const intents = group.map(({ intent }) => intent)
  const [shared] = intents
  if (shared === undefined) return yield* insertedNothing
  const records = dedupeRecords(group)
  const { agent_id, agent_name, agent_version, campaign_id, transfer_of = null } = shared
  const numbers = new Map(intents.map(({ from_number, phone_number_id }) => [phone_number_id, from_number]))
  const positions = new Map([...numbers.keys()].map((id, at) => [id, at + 1]))
  const [row] = yield* sql<{ readonly started_at: Date }>`
    with decided as (
      insert into dial_records (id, record)
      select * from unnest(${uuids([...records.values()])}, ${jsons([...records.keys()])})),
    begun as (
      insert into calls (id, direction, status, agent_id, agent_name, agent_version, campaign_id, contact_id,
                         attempt_number, dial_record_id, phone_number_id, to_number, from_number, variables, reserved,
                         day_part, transfer_of, node_id, started_at)
      select id, 'outbound', 'queued', ${agent_id}, ${agent_name}, ${agent_version}, ${campaign_id}, contact_id,
             attempt_number, record_id, (${uuids([...numbers.keys()])})[number], to_number,
             (${texts([...numbers.values()])})[number], variables,
             reserved::numeric / 1000000, day_part, ${transfer_of}, ${node}, (select clock_timestamp())
      from unnest(${uuids(group.map(({ id }) => id))}, ${uuids(intents.map(({ contact_id }) => contact_id))},
                  ${integers(intents.map(({ attempt_number }) => attempt_number))},
                  ${uuids(intents.map(({ decision }) => records.get(decision) ?? null))},
                  ${texts(intents.map(({ to_number }) => to_number))},
                  ${jsons(intents.map(({ contact_id, variables }) => (contact_id === null ? variables : null)))},
                  ${texts(intents.map(({ reserved }) => reserved?.toFixed(0) ?? null))},
                  ${texts(intents.map(({ day_part }) => day_part ?? null))},
                  ${integers(intents.map(({ phone_number_id }) => positions.get(phone_number_id) ?? 1))})
        as i(id, contact_id, attempt_number, record_id, to_number, variables, reserved, day_part, number)
      returning started_at)
    select max(started_at) as started_at from begun`
  return row?.started_at ?? (yield* insertedNothing)
})

const insertedNothing = Effect.suspend(() => Effect.die(new Error("the insert into calls returned no row")))

export interface ArrivedCall extends Pick<Intent, "agent_id" | "agent_name" | "agent_version" | "variables"> {
  readonly direction: "inbound" | "web"
  /** The number that was called, and the caller's if it is not hidden. Null for a visitor of a page. */
  readonly phone_number_id: PhoneNumberId | null
  readonly to_number: string | null
  readonly from_number: string | null
}

/** Writes a call that the other side began. Runs after `admit`, in the same transaction. */
export const arrive = Effect.fn("CallLog.arrive")(function* (node: string, call: ArrivedCall) {
  const sql = yield* SqlClient.SqlClient
  const id = CallId.make(uuidv7())
  const { agent_id, agent_name, agent_version, direction, from_number, phone_number_id, to_number, variables } = call
  const [begun] = yield* sql<{ started_at: Date }>`
    insert into calls (id, direction, status, agent_id, agent_name, agent_version, phone_number_id, to_number,
                       from_number, variables, node_id, started_at)
    values (${id}, ${direction}, 'queued', ${agent_id}, ${agent_name}, ${agent_version}, ${phone_number_id},
            ${to_number}, ${from_number}, ${json(variables)}, ${node}, clock_timestamp())
    returning started_at`
  return { id, started_at: begun?.started_at ?? (yield* insertedNothing) }
})

/**
 * Counts the calls of this direction that have not ended. Exact while the budget is locked, because each of them begins
 * under that lock. Reads the live calls, which are few, and not the calls of all time.
 */
export const countLive = Effect.fn("CallLog.countLive")(function* (direction: CallDirection) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`
    select count(*)::int from live_calls l join calls c on c.id = l.call_id where c.direction = ${direction}`
  return row?.count ?? 0
})

export interface Progress {
  readonly status: "ringing" | "in_progress"
  readonly answered_at: Date | null
}

/** Writes the carrier's reports on live calls; a late report changes nothing. */
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
  readonly call: Pick<EndedCall, "id" | "campaign_id" | "contact_id" | "attempt_number" | "to_number"> &
    Pick<LiveCallRow, "direction" | "from_number">
  readonly end: CallEnd
  readonly ended_at: Date
  readonly record: CallRecord
}

/** What is read when the call's row has ended. */
type FromRows = "ended_at" | "owes_extraction" | "callback_at" | "callbacks" | "has_other_number"

const endedCallFrom = ({ call, end, record }: EndReport): Omit<EndedCall, FromRows> => ({
  id: call.id,
  campaign_id: call.campaign_id,
  contact_id: call.contact_id,
  attempt_number: call.attempt_number,
  to_number: call.to_number,
  outcome: end.outcome,
  end_reason: end.end_reason,
  accepted: end.outcome === "answered" || record.message_left,
  // Only a person that an agent called can be abandoned.
  abandoned:
    call.direction === "outbound" && !record.is_transfer ? isAbandoned({ ...record, outcome: end.outcome }) : null,
})

/**
 * Whether a person spoke on a call `c` that ends and the agent recorded no result. A machine's words are not answers,
 * and the words of the second call of a transfer belong to the first.
 */
const isWithoutResult = (sql: SqlClient.SqlClient) => sql`
        case when c.outcome = 'answered' and c.transfer_of is null and coalesce(c.result - 'callback', '{}') = '{}'
               and coalesce(c.disposition ->> 'source', 'person') = 'person'
             then jsonb_path_exists(c.transcript, '$[*] ? (@.role == "caller")') else false end`

/** The transcript, tools and turns. Null if nothing was said or heard, or if only the row has them. */
const wordsOf = (record: CallRecord) => {
  const isSilent = record.answered_at === null && record.answered_by === null
  if (record.lost_cost !== null) return { cost: record.lost_cost.cost }
  if (isSilent || record.words_in_row) return null
  const { answered_by, cost, disclosure, disposition, opt_out, result, sound } = record
  const { tool_invocations, transcript, turns } = record
  return { transcript, tool_invocations, turns, result, cost, answered_by, disclosure, disposition, opt_out, sound }
}

type EndedRow = Pick<EndedCall, FromRows> & { readonly id: string }

/** Whether the contact `k` of a call to a number that does not exist has a number not yet known as such. */
const hasOtherNumber = `coalesce(c.outcome = 'invalid_number' and k.additional_numbers is not null and exists (
  select from unnest(k.phone_number || k.additional_numbers) n(number)
  where n.number <> c.to_number and not exists (
    select from calls d where d.contact_id = k.id and d.to_number = n.number and d.outcome = 'invalid_number')), false)`

/**
 * Ends the calls that this node owns and that have not ended, each once, and returns them. If there are two reports on
 * one call, the first counts. The caller's transaction holds the budget's lock. A number whose owner opted out is
 * added to the do-not-call list in the same transaction, and the extraction of a result that the agent did not record is
 * enqueued.
 */
export const end = Effect.fn("CallLog.end")(function* (node: string, reports: ReadonlyArray<EndReport>) {
  const sql = yield* SqlClient.SqlClient
  const firsts = [...Map.groupBy(reports, ({ call }) => call.id).values()].flatMap(([first]) => first ?? [])
  // `greatest`: this process's clock may be behind the database's, which set `started_at`. A call without a talk has no
  // words. If a call's process died, its cost is not known in full: the most that it may have cost counts as spent, or
  // its whole reservation if its length is not known either.
  const updated = yield* sql<EndedRow>`
    with ended as (
      update calls c set
        status = e.status, outcome = e.outcome, end_reason = e.end_reason,
        answered_at = case when e.answered_at is not null then greatest(c.started_at, e.answered_at) else c.answered_at end,
        ended_at = greatest(c.started_at, c.answered_at, e.answered_at, e.ended_at),
        transcript = coalesce(e.words -> 'transcript', c.transcript),
        tool_invocations = coalesce(e.words -> 'tool_invocations', c.tool_invocations),
        turns = coalesce(e.words -> 'turns', c.turns), cost = coalesce(e.words -> 'cost', c.cost),
        result = coalesce(nullif(e.words -> 'result', 'null'), c.result),
        answered_by = coalesce(nullif(e.words -> 'answered_by', 'null'), c.answered_by),
        disclosure = coalesce(nullif(e.words -> 'disclosure', 'null'), c.disclosure),
        opt_out = coalesce(nullif(e.words -> 'opt_out', 'null'), c.opt_out),
        disposition = disposition_after(c.disposition, nullif(e.words -> 'disposition', 'null')),
        sound = nullif(e.words -> 'sound', 'null'),
        written_off = case when e.is_lost and c.reserved is not null then greatest(0,
          least(c.reserved, coalesce(e.at_most::numeric / 1000000, c.reserved))
            - coalesce((coalesce(e.words -> 'cost', c.cost) ->> 'amount')::numeric, 0)) end
      from unnest(${uuids(firsts.map(({ call }) => call.id))}, ${texts(firsts.map(({ end }) => statusOf(end.outcome)))},
                  ${texts(firsts.map(({ end }) => end.outcome))}, ${texts(firsts.map(({ end }) => end.end_reason))},
                  ${timestamps(firsts.map(({ record }) => record.answered_at))},
                  ${timestamps(firsts.map(({ ended_at }) => ended_at))}, ${jsons(firsts.map(({ record }) => wordsOf(record)))},
                  ${booleans(firsts.map(({ record }) => record.words_in_row))},
                  ${texts(firsts.map(({ record }) => record.lost_cost?.at_most?.toFixed(0) ?? null))})
        as e(id, status, outcome, end_reason, answered_at, ended_at, words, is_lost, at_most)
      where c.id = e.id
        and c.node_id = ${node} -- guard: a call is ended only by the process that owns it (I1, I14)
        and c.ended_at is null -- guard: a call ends once (I14)
      returning c.id, c.contact_id, c.to_number, c.outcome, c.started_at, c.ended_at, c.agent_id, c.agent_version, ${isWithoutResult(sql)} as is_without_result
    ), owed as (
      insert into extractions (call_id)
      select c.id from ended c
        join agent_versions v on v.agent_id = c.agent_id and v.version = c.agent_version
        join agent_contents k on k.agent_id = v.agent_id and k.digest = v.content_digest
      where c.is_without_result and (k.has_outcome_fields or k.has_dispositions)
      returning call_id
    )
    select c.id, c.ended_at, o.call_id is not null as owes_extraction,
      case when k.callback_at > c.started_at then k.callback_at end as callback_at, coalesce(k.callbacks, 0) as callbacks,
      ${sql.literal(hasOtherNumber)} as has_other_number
    from ended c left join owed o on o.call_id = c.id left join contacts k on k.id = c.contact_id`
  const endOf = new Map(updated.map(({ id, ...end }) => [id, end]))
  // Of every report, also if another process has ended the call: a wish not to be called is never lost.
  for (const { call, record } of reports) {
    const phone_number = otherNumberOf(call)
    if (!record.opted_out || phone_number === null) continue
    yield* CallOptOuts.add({ phone_number, call_id: call.id, reason: null })
  }
  return firsts.flatMap((report): ReadonlyArray<EndedCall> => {
    const end = endOf.get(report.call.id)
    if (end === undefined) return []
    // A person who asked for a callback and then not to be called again is not called again.
    const callback_at = report.record.opted_out ? null : end.callback_at
    return [{ ...endedCallFrom(report), ...end, callback_at }]
  })
})

const LiveRow = Schema.toType(
  Schema.Struct({
    id: CallId,
    direction: CallDirection,
    campaign_id: Schema.NullOr(Schema.String),
    contact_id: Schema.NullOr(Schema.String),
    attempt_number: Schema.NullOr(Schema.Int),
    to_number: Schema.NullOr(Schema.String),
    from_number: Schema.NullOr(Schema.String),
    phone_number_id: Schema.NullOr(Schema.String),
    node_id: Schema.String,
    started_at: Schema.Date,
    answered_at: Schema.NullOr(Schema.Date),
    /** The other side's first written words; null if there are none. */
    first_words: Schema.NullOr(Schema.String),
    /** What was recorded of the cost so far; null if nothing was. */
    cost: Schema.NullOr(Cost),
    age_seconds: Schema.Finite,
    /** The agent's `max_call_seconds`, or the longest that an agent may have. */
    max_call_seconds: Schema.Int,
  }),
)
export type LiveCallRow = typeof LiveRow.Type

/**
 * Reads every call that has not ended, with its process. Not decoded with a schema, because it may read a thousand rows
 * every ten seconds.
 */
export const nodesOfLive = Effect.fn("CallLog.nodesOfLive")(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: CallId; readonly node_id: string }>`
    select c.id, c.node_id from live_calls l join calls c on c.id = l.call_id`
})

/** Reads the calls among `ids` that have not ended. */
export const findLive = Effect.fn("CallLog.findLive")(function* (ids: ReadonlyArray<CallId>) {
  if (ids.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(LiveRow)(sql`
    select c.id, c.direction, c.campaign_id, c.contact_id, c.attempt_number, c.to_number, c.from_number,
           c.phone_number_id, c.node_id::text, c.started_at, c.answered_at, nullif(c.cost, '{}') as cost,
           jsonb_path_query_first(c.transcript, '$[*] ? (@.role == "caller")') ->> 'text' as first_words,
           extract(epoch from clock_timestamp() - c.started_at)::float8 as age_seconds,
           coalesce(a.max_call_seconds, ${longestCallSeconds}::int) as max_call_seconds
    from calls c left join agents a on a.id = c.agent_id where c.id = any(${[...ids]}::uuid[]) and c.ended_at is null`)
})

/** Reads which process conducts the call; empty if there is no such call. */
export const nodeOf = Effect.fn("CallLog.nodeOf")(function* (id: CallId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ node_id: string }>`select node_id from calls where id = ${id}`
  return row?.node_id ?? ""
}, Effect.orDie)
