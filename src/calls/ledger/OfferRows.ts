/**
 * Calls that a process has intended and offers to others (`call_offers`). Until another process accepts, the call's row
 * names the process that offers it. Deleting the offer decides which process gets the call: the other one, which
 * accepts it, or the offering one, which takes it back. Each transaction locks offers before calls.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CallId } from "../../domain/Call.ts"
import { AgentId } from "../../domain/Agent.ts"
import { PhoneNumberId } from "../../domain/PhoneNumber.ts"
import { uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { IntendedCall } from "./Intent.ts"

/**
 * An offer that is older than this many seconds is not accepted any more: what was true when the call was decided, such
 * as the calling window, may have changed.
 */
export const freshSeconds = 10

/** Offers calls that this transaction has intended, each to its process `to`. */
export const add = Effect.fn("OfferRows.add")(function* (
  from: string,
  offers: ReadonlyArray<{ readonly call_id: CallId; readonly to: string }>,
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into call_offers (call_id, from_node, node_id)
    select call_id, ${from}, node_id
    from unnest(${uuids(offers.map(({ call_id }) => call_id))}, ${uuids(offers.map(({ to }) => to))})
      as o(call_id, node_id)`
})

/** Deletes at most `most` of the offers to `node`, and returns them. Their calls still have to be taken over. */
export const accept = Effect.fn("OfferRows.accept")(function* (node: string, most: number) {
  if (most === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: CallId; readonly node_id: string }>`
    with accepted as (
      select call_id from call_offers
      where node_id = ${node} and offered_at > clock_timestamp() - make_interval(secs => ${freshSeconds})
      order by call_id limit ${most} for update skip locked)
    delete from call_offers o using accepted a where o.call_id = a.call_id
    returning o.call_id as id, o.from_node as node_id`
})

/** Refuses all offers to `node`. Returns the id of the offering process for each. */
export const refuse = Effect.fn("OfferRows.refuse")(function* (node: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly from_node: string }>`
    with refused as (
      select call_id from call_offers where node_id = ${node} order by call_id for update skip locked)
    update call_offers o set node_id = null from refused r where o.call_id = r.call_id returning o.from_node`
  return rows.map(({ from_node }) => from_node)
})

/**
 * Takes back the offers of `node` that were refused, that have waited for `seconds`, or whose process is not among
 * `peers`. Returns the ids of the calls and to which process they were offered.
 */
export const takeBack = Effect.fn("OfferRows.takeBack")(function* (
  node: string,
  peers: ReadonlyArray<string>,
  seconds: number,
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: CallId; readonly to: string | null }>`
    with back as (
      select call_id from call_offers
      where from_node = ${node} and (node_id is null or node_id <> all(${[...peers]}::uuid[])
        or offered_at < clock_timestamp() - make_interval(secs => ${seconds}))
      order by call_id for update skip locked)
    delete from call_offers o using back b where o.call_id = b.call_id
    returning o.call_id as id, o.node_id as to`
})

/** Deletes the offers of these calls, whose owner is gone. Returns the ids of the calls that were on offer. */
export const withdraw = Effect.fn("OfferRows.withdraw")(function* (ids: ReadonlyArray<CallId>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly call_id: CallId }>`
    with withdrawn as (
      select call_id from call_offers where call_id = any(${uuids(ids)}) order by call_id for update)
    delete from call_offers o using withdrawn w where o.call_id = w.call_id returning o.call_id`
  return new Set(rows.map(({ call_id }) => call_id))
})

/**
 * Counts the open offers of `node` by the process that they were made to; refused offers have the empty text for it.
 */
export const count = Effect.fn("OfferRows.count")(function* (node: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly to: string; readonly calls: number }>`
    select coalesce(node_id::text, '') as to, count(*)::int as calls from call_offers where from_node = ${node}
    group by node_id`
})

const Row = Schema.toType(
  Schema.Struct({
    id: CallId,
    agent_id: AgentId,
    agent_name: Schema.String,
    agent_version: Schema.NullOr(Schema.Int),
    phone_number_id: PhoneNumberId,
    to_number: Schema.String,
    from_number: Schema.String,
    variables: Schema.Record(Schema.String, Schema.Json),
    campaign_id: Schema.NullOr(Schema.String),
    contact_id: Schema.NullOr(Schema.String),
    attempt_number: Schema.NullOr(Schema.Int),
    started_at: Schema.Date,
  }),
)

/** Reads the calls among `ids` that `node` owns and that have not ended, as they were intended. */
export const findIntended = Effect.fn("OfferRows.findIntended")(function* (node: string, ids: ReadonlyArray<CallId>) {
  if (ids.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Rows.all(Row)(sql`
    select c.id, c.agent_id::text, c.agent_name, c.agent_version, c.phone_number_id::text, c.to_number, c.from_number,
      c.campaign_id::text, c.contact_id::text, c.attempt_number, c.started_at,
      coalesce(c.variables, t.custom_fields || jsonb_build_object('campaign', jsonb_build_object('name', p.name)), '{}')
        as variables
    from calls c left join contacts t on t.id = c.contact_id left join campaigns p on p.id = c.campaign_id
    where c.id = any(${uuids(ids)}) and c.node_id = ${node} and c.ended_at is null
    order by c.id`)
  return rows.map((row): IntendedCall => ({ ...row, direction: "outbound", decision: null }))
})
