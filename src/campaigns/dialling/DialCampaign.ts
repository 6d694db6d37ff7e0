/**
 * A campaign as a dial pass reads it, with its pace so far, its agent and its number. It is read in one statement,
 * because the account's budget is locked meanwhile, and every round trip delays all of the account's dialling.
 */
import { Effect, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Agent, longestCallSeconds } from "../../domain/Agent.ts"
import { Campaign, Counts } from "../../domain/Campaign.ts"
import { PhoneNumber } from "../../domain/PhoneNumber.ts"
import { FrozenPacks } from "../../catalog/CampaignRules.ts"
import * as Rows from "../../tenancy/Rows.ts"
import { waitingForOf } from "./StoredWaits.ts"
import { hasPreferred } from "./Preferred.ts"

const Row = Schema.toType(
  Schema.Struct({
    ...Struct.pick(Campaign.fields, [
      "id",
      "name",
      "status",
      "agent_id",
      "agent_version",
      "phone_number_id",
      "max_concurrent_calls",
      "max_calls_per_minute",
      "retries_per_contact",
      "retry_delay_seconds",
      "retry_by_outcome",
      "retry_time_of_day",
      "calling_window",
      "required_consent",
      "quiet_after_answer_seconds",
      "waiting_for",
      "subject",
      "caller_numbers",
      "local_presence",
      "number_rest",
    ]),
    rules: FrozenPacks,
    epoch: Schema.Int,
    ...Struct.pick(Counts.fields, ["pending", "in_progress"]),
    /** Whether contacts with a priority are due, or become due. */
    has_preferred: Schema.Boolean,
    /** Whether contacts without a priority may be left that were never looked at. */
    has_unread: Schema.Boolean,
    active_calls: Schema.Int,
    last_minute: Schema.Int,
    /** The campaign's cap on spending and what is spent or reserved of it, in millionths. Null without a cap. */
    spend: Schema.NullOr(Schema.Struct({ limit: Schema.Int, committed: Schema.Int })),
    /** The longest that a call of the agent may last. Null if no cap on spending applies. */
    max_call_seconds: Schema.NullOr(Schema.Int),
    /** The account's running campaigns, including this one. */
    running: Schema.Int,
    /** Null if it was deleted. */
    agent: Schema.NullOr(Schema.Struct({ ...Struct.pick(Agent.fields, ["id", "name"]), revision: Schema.Int })),
    /** The carrier's settings, of which only the pace is read. */
    number: Schema.NullOr(
      Schema.Struct({
        ...Struct.pick(PhoneNumber.fields, ["id", "number", "carrier", "carrier_config"]),
        ...Struct.pick(PhoneNumber.fields, ["max_calls_per_day", "min_seconds_between_calls"]),
        rests: Schema.Boolean,
      }),
    ),
  }),
)
export type DialCampaign = typeof Row.Type

/**
 * Reads the campaign and locks its row until the transaction ends. Returns undefined if the campaign does not exist.
 */
export const lock = Effect.fn("DialCampaign.lock")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Rows.first(Row)(sql`
    select c.id, c.name, c.status, c.agent_id, c.agent_version, c.phone_number_id, c.max_concurrent_calls,
      c.max_calls_per_minute, c.retries_per_contact, c.retry_delay_seconds, c.retry_by_outcome, c.retry_time_of_day, c.calling_window,
      c.required_consent, c.quiet_after_answer_seconds, c.subject, c.rules, c.caller_numbers, c.local_presence, c.number_rest, c.epoch,
      ${sql.literal(waitingForOf)} as waiting_for,
      p.pending, p.in_progress, p.active_calls, p.last_position < p.total as has_unread,
      ${sql.literal(hasPreferred)} as has_preferred,
      case when c.max_spend is not null then jsonb_build_object(
        'limit', (c.max_spend * 1000000)::bigint,
        'committed', ceil((p.cost + p.written_off + p.reserved) * 1000000)::bigint) end as spend,
      case when c.max_spend is not null or (select daily_spend_cap is not null from budget) then coalesce((
        select (k.content -> 'agent' ->> 'max_call_seconds')::integer
        from agent_versions v join agent_contents k on k.agent_id = v.agent_id and k.digest = v.content_digest
        where v.agent_id = c.agent_id and v.version = c.agent_version), ${longestCallSeconds}::integer)
      end as max_call_seconds,
      calls_begun_after(clock_timestamp() - interval '60 seconds', c.id) as last_minute,
      (select count(*)::int from campaigns where status = 'running') as running,
      (select jsonb_build_object('id', a.id, 'name', a.name, 'revision', a.revision)
       from agents a where a.id = c.agent_id) as agent,
      (select jsonb_build_object('id', n.id, 'number', n.number, 'carrier', n.carrier,
         'max_calls_per_day', n.max_calls_per_day, 'min_seconds_between_calls', n.min_seconds_between_calls,
         'rests', exists (select from number_rests r where r.phone_number_id = n.id and r.until > clock_timestamp()),
         'carrier_config', jsonb_strip_nulls(jsonb_build_object('calls_per_second', n.carrier_config -> 'calls_per_second')))
       from phone_numbers n where n.id = c.phone_number_id) as number
    from campaigns c join campaign_progress p on p.campaign_id = c.id
    where c.id = ${id} for no key update of c`)
  return found
})
