/** The further numbers of a preflight's contacts, as `PersonNumbers` reads them for a dial pass (decision 0087). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { quietFor } from "../../catalog/QuietPeriods.ts"
import { uuids } from "../../tenancy/Columns.ts"
import * as Rows from "../../tenancy/Rows.ts"
import type { CampaignRow } from "../Campaigns.ts"
import * as PreflightStandings from "./PreflightStandings.ts"
import { E164 } from "../../domain/E164.ts"

const Row = Schema.Struct({
  id: Schema.String,
  number: E164,
  is_invalid: Schema.Boolean,
  /** The number of the last attempt. */
  last: Schema.NullOr(Schema.String),
  /** The end of the person's quiet period. */
  quiet_until: Schema.NullOr(Schema.Date),
  ...PreflightStandings.fields,
})
export type Row = typeof Row.Type

/** Persons of whom all numbers are read at once: some 2,000 rows, which are decoded without a pause. */
const batch = 400

/** The numbers of these contacts, by contact, in the contact's order. */
export const read = Effect.fn("PreflightPersons.read")(function* (campaign: CampaignRow, ids: ReadonlyArray<string>) {
  const found = new Map<string, ReadonlyArray<Row>>()
  for (let from = 0; from < ids.length; from += batch) {
    const rows = yield* readBatch(campaign, ids.slice(from, from + batch))
    for (const [id, own] of Map.groupBy(rows, ({ id }) => id)) found.set(id, own)
    yield* Effect.yieldNow
  }
  return found as ReadonlyMap<string, ReadonlyArray<Row>>
})

const readBatch = Effect.fnUntraced(function* (campaign: CampaignRow, ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const now = sql.literal("statement_timestamp()")
  const lines = "c.phone_number || c.additional_numbers"
  const { columns, joins } = yield* PreflightStandings.of(campaign, "n.number")
  return yield* Rows.all(Row)(sql`
    with person as materialized (
      select c.id, c.attempts, ${sql.literal(lines)} as lines, l.to_number as last,
        (${yield* quietFor(campaign.quiet_after_answer_seconds, now, `= any(${lines})`)} ->> 'until')::timestamptz as quiet_until
      from contacts c left join calls l on l.id = c.last_call_id
      where c.id = any(${uuids(ids)}))
    select p.id, n.number, p.last, p.quiet_until, ${columns},
      p.attempts > 0 and exists (select from calls k where k.contact_id = p.id and k.to_number = n.number
        and k.outcome = 'invalid_number') as is_invalid
    from person p cross join lateral unnest(p.lines) with ordinality n(number, place) ${joins}
    order by p.id, n.place`).pipe(Effect.orDie)
})
