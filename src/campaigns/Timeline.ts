/** A campaign's calls over time: how many began in each bucket, and their outcomes. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../tenancy/Rows.ts"

const Bucket = Schema.Struct({
  at: Schema.Date,
  calls: Schema.Int,
  outcomes: Schema.Record(Schema.String, Schema.Int),
})

/** Buckets begin at multiples of their length since 1970; those without a call are left out. */
export const timeline = Effect.fn("Timeline.timeline")(function* (campaignId: string, bucket_seconds: number) {
  const sql = yield* SqlClient.SqlClient
  const items = yield* Rows.all(Bucket)(sql`
    select at, sum(calls)::int as calls,
      coalesce(jsonb_object_agg(outcome, calls) filter (where outcome is not null), '{}') as outcomes
    from (
      select to_timestamp(floor(extract(epoch from started_at) / ${bucket_seconds}::int) * ${bucket_seconds}::int) as at,
        outcome, count(*)::int as calls
      from calls where campaign_id = ${campaignId} group by 1, 2
    ) by_outcome
    group by at order by at`).pipe(Effect.orDie)
  return { bucket_seconds, items }
})
