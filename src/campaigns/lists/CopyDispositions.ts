/** The dispositions by which a copy of a campaign may choose contacts (decision 0081). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Disposition } from "../../domain/Disposition.ts"
import { invalid } from "../../domain/Refusals.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { CampaignRow } from "../Campaigns.ts"

const Row = Schema.Struct({
  listed: Schema.Array(Disposition),
  counted: Schema.Record(Schema.String, Schema.Int),
})

/**
 * Fails if one of the keys is neither a present disposition of the campaign's agent nor that of one of its calls, which
 * keep theirs when the agent's list changes. A key with a typing error would otherwise choose no contact.
 */
export const check = Effect.fn("CopyDispositions.check")(function* (
  campaign: Pick<CampaignRow, "id" | "agent_id">,
  keys: ReadonlyArray<string>,
) {
  const sql = yield* SqlClient.SqlClient
  const { counted, listed } = yield* Rows.one(Row)(sql`
    select coalesce(a.dispositions, '[]') as listed, p.dispositions as counted
    from campaign_progress p left join agents a on a.id = ${campaign.agent_id} where p.campaign_id = ${campaign.id}`)
  const known = new Set([...listed.map(({ key }) => key), ...Object.keys(counted)])
  const unknown = keys.findIndex((key) => !known.has(key))
  if (unknown === -1) return
  if (known.size === 0) {
    return yield* invalid("/dispositions", "must be left out: neither the campaign's agent nor its calls have any")
  }
  const sentence = `must be a disposition of the campaign's agent or of its calls: ${[...known].join(", ")}`
  return yield* invalid(`/dispositions/${unknown}`, sentence)
})
