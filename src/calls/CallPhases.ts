/** Counts a campaign's calls in progress: those that talk, and those that are being set up or ring. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../tenancy/Rows.ts"

const Phases = Schema.Struct({ talking: Schema.Int, ringing: Schema.Int })

export const countPhases = Effect.fn("CallPhases.countPhases")(function* (campaign_id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.one(Phases)(sql`
    select count(*) filter (where status = 'in_progress')::int as talking,
      count(*) filter (where status <> 'in_progress')::int as ringing
    from calls where id in (select call_id from live_calls) and campaign_id = ${campaign_id}`)
}, Effect.orDie)
