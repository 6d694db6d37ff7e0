/**
 * A campaign's share of the calls when the caps or a number's pace leave fewer than all running campaigns of the
 * account want. It is read and written in the dial transaction, under the budget's lock. `domain/FairShare` has the
 * rule.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { largestBatch } from "../../domain/DialPlan.ts"
import { serve, type Standing } from "../../domain/FairShare.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { DialCampaign } from "./DialCampaign.ts"

/**
 * A dialler that wants calls asks every second. One that has not asked for this long counts as dead and no longer
 * holds places.
 */
const heardSeconds = 3

const Row = Schema.Struct({
  id: Schema.String,
  phone_number_id: Schema.String,
  caller_numbers: Schema.Array(Schema.String),
  weight: Schema.Int,
  wants: Schema.Int,
  wants_of_number: Schema.Int,
  next_round: Schema.Finite,
  last_round: Schema.Finite,
})

/** Reads the standings of all running campaigns, including this one. A single campaign needs no position. */
export const standings = Effect.fn("DialShare.standings")(function* (
  own: Pick<DialCampaign, "id" | "phone_number_id" | "max_concurrent_calls" | "running">,
) {
  if (own.running === 1) {
    const { id, max_concurrent_calls: weight, phone_number_id } = own
    const standing: Standing = {
      id,
      phone_number_id,
      weight,
      wants: 0,
      wants_of_number: 0,
      next_round: 0,
      last_round: 0,
    }
    return [standing]
  }
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select c.id, c.phone_number_id, c.caller_numbers, c.max_concurrent_calls as weight, p.next_round, p.last_round,
      case when h.heard then p.wants else 0 end as wants,
      case when h.heard then p.wants_of_number else 0 end as wants_of_number
    from campaigns c
    join campaign_progress p on p.campaign_id = c.id
    cross join lateral (
      select p.asked_at > clock_timestamp() - make_interval(secs => ${heardSeconds}) as heard) h
    where c.status = 'running'`)
})

/** The result of a campaign's pass. */
export interface Taken {
  readonly round: number
  readonly begun: number
  /** The number of calls that it would have begun in addition if the caps and its number's pace had left places. */
  readonly wants: number
  readonly wants_of_number: number
}

/**
 * Writes the campaign's standing after a pass. A single campaign writes nothing. A campaign that joins later begins in
 * the present round.
 */
export const leave = Effect.fn("DialShare.leave")(function* (
  id: string,
  standings: ReadonlyArray<Standing>,
  { begun, round, wants, wants_of_number }: Taken,
) {
  const own = standings.find((standing) => standing.id === id)
  if (own === undefined || standings.length < 2) return
  if (begun === 0 && wants + wants_of_number + own.wants + own.wants_of_number === 0) return
  const after = serve(round, own.weight, begun)
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaign_progress set next_round = ${after.round}, wants = ${wants}, wants_of_number = ${wants_of_number},
      last_round = ${begun === 0 ? own.last_round : after.present}, asked_at = clock_timestamp()
    where campaign_id = ${id}`
})

/**
 * Gives a campaign that starts a standing in which it wants all calls that it may begin, so that the others leave it
 * its places before its dialler's first pass.
 */
export const join = Effect.fn("DialShare.join")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaign_progress p set asked_at = clock_timestamp(),
      wants = least(p.pending, c.max_concurrent_calls, ${largestBatch}),
      wants_of_number = least(p.pending, c.max_concurrent_calls, ${largestBatch}),
      next_round = greatest(p.next_round, (
        select coalesce(max(o.last_round), 0) from campaigns r join campaign_progress o on o.campaign_id = r.id
        where r.status = 'running'))
    from campaigns c where c.id = p.campaign_id and p.campaign_id = ${id}`
})
