/** Inserts a draft with pending contacts into the database without an import. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import { json } from "../../src/tenancy/Json.ts"

export const insertCampaign = Effect.fnUntraced(function* (fields: Record<string, unknown> = {}, contacts = 1) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* Campaigns.reserve(id)
  yield* sql`update campaigns set ${sql.update({ name: "c", ...fields })} where id = ${id}`
  for (let position = 1; position <= contacts; position++) {
    yield* sql`insert into contacts ${sql.insert({
      id: uuidv7(),
      campaign_id: id,
      position,
      phone_number: `+1415555${1_000 + position}`,
      custom_fields: json({ place: String(position) }),
    })}`
  }
  return id
})
