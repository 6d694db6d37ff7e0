/** Campaigns written into the database of an account, and dial passes over them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import * as Campaigns from "../../src/campaigns/Campaigns.ts"
import * as DialTransaction from "../../src/campaigns/dialling/DialTransaction.ts"
import { E164 } from "../../src/domain/E164.ts"
import { json } from "../../src/tenancy/Json.ts"
import type * as CallsRoom from "./CallsRoom.ts"

/** Rings out: its call lives for as long as a test may look. */
export const numberOf = (position: number) => E164.make(`+141555${51_00 + position}75`)

export const campaign = Effect.fnUntraced(function* (
  { agent_id, phone_number_id }: Effect.Success<typeof CallsRoom.equip>,
  contacts: number,
  fields: Record<string, unknown> = {},
) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7()
  yield* Campaigns.reserve(id)
  const settings = { status: "running", max_concurrent_calls: 5, agent_id, phone_number_id }
  const report = json({ rows: contacts, accepted: contacts, duplicates: 0, invalid: 0, errors: [] })
  yield* sql`update campaigns set ${sql.update({ name: "c", import: report, ...settings, ...fields })} where id = ${id}`
  for (let position = 1; position <= contacts; position++) {
    yield* sql`insert into contacts ${sql.insert({
      id: uuidv7(),
      campaign_id: id,
      position,
      phone_number: numberOf(position),
      custom_fields: json({}),
    })}`
  }
  return id
})

export const turn = (id: string) => Effect.orDie(DialTransaction.runPass(id, 0))

/** The contacts that the campaign has called, by position. */
export const dialled = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ position: number }>`
    select c.position from calls l join contacts c on c.id = l.contact_id where l.campaign_id = ${id} order by 1`
  return rows.map(({ position }) => position)
})
