/** Talks on calls whose process has left them, as their rows have them: what another process needs to go on with one. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../domain/Agent.ts"
import { AnsweredBy } from "../../domain/AnsweredBy.ts"
import { Call, CallDirection, CallId, noCost } from "../../domain/Call.ts"
import { PhoneNumberId } from "../../domain/PhoneNumber.ts"
import { json } from "../../tenancy/Json.ts"
import * as Rows from "../../tenancy/Rows.ts"

const LeftTalk = Schema.Struct({
  id: CallId,
  direction: CallDirection,
  agent_id: AgentId,
  agent_name: Schema.String,
  agent_version: Schema.NullOr(Schema.Int),
  phone_number_id: PhoneNumberId,
  to_number: Schema.NullOr(Schema.String),
  from_number: Schema.NullOr(Schema.String),
  variables: Schema.Record(Schema.String, Schema.Json),
  campaign_id: Schema.NullOr(Schema.String),
  contact_id: Schema.NullOr(Schema.String),
  attempt_number: Schema.NullOr(Schema.Int),
  started_at: Schema.Date,
  answered_at: Schema.Date,
  answered_by: Schema.NullOr(AnsweredBy),
  disclosure: Call.fields.disclosure,
  disposition: Call.fields.disposition,
  opt_out: Call.fields.opt_out,
  transcript: Call.fields.transcript,
  tool_invocations: Call.fields.tool_invocations,
  turns: Call.fields.turns,
  result: Call.fields.result,
  cost: Call.fields.cost,
})
export type LeftTalk = typeof LeftTalk.Type

/**
 * Reads the talk of a call that `node` owns; undefined if no process can go on with it. That is the case for
 * - a talk with a machine, whose state is not in the row,
 * - a call that is being transferred, or was: the person does not need the agent,
 * - a recorded call: the recording cannot be continued, and without its pauses a card's number would get into the
 *   transcript.
 */
export const find = Effect.fn("LeftTalks.find")(function* (node: string, id: CallId) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.first(LeftTalk)(sql`
    select c.id, c.direction, c.agent_id, c.agent_name, c.agent_version, c.phone_number_id, c.to_number, c.from_number,
      coalesce(c.variables, t.custom_fields || jsonb_build_object('campaign', jsonb_build_object('name', p.name)), '{}')
        as variables,
      c.campaign_id, c.contact_id, c.attempt_number, c.started_at, c.answered_at, c.answered_by, c.disclosure, c.disposition, c.opt_out, c.transcript,
      c.tool_invocations, c.turns, c.result,
      case when c.cost = '{}' then ${json(noCost)}::jsonb else c.cost end as cost
    from calls c left join contacts t on t.id = c.contact_id left join campaigns p on p.id = c.campaign_id
    where c.id = ${id} and c.node_id = ${node} and c.ended_at is null and c.answered_at is not null
      and c.phone_number_id is not null and c.transfer_of is null
      and coalesce(c.answered_by ->> 'verdict', 'unknown') in ('unknown', 'person')
      and not exists (select from calls l where l.transfer_of = c.id and l.ended_at is null)
      and not exists (select from recordings r where r.call_id = c.id)
      and not coalesce(c.tool_invocations -> -1 ->> 'tool_name' = 'transfer_call'
        and c.tool_invocations -> -1 -> 'error' is null, false)`)
})
