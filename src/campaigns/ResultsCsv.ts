/**
 * Streams a campaign's results as CSV, contact by contact in file order (decisions §2, CSV): all contacts, or those
 * that match a filter. Memory stays flat.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { InstallationPrices } from "../catalog/PriceFile.ts"
import { CostSum } from "../domain/CostSum.ts"
import type { ReadPage } from "../tenancy/Pages.ts"
import * as Rows from "../tenancy/Rows.ts"
import type { CampaignRow } from "./Campaigns.ts"
import * as Contacts from "./Contacts.ts"
import * as CostColumns from "./CostColumns.ts"
import { type Cells, encodeRows } from "./lists/CsvRows.ts"
import * as ResultColumns from "./ResultColumns.ts"

const Row = Schema.Struct({
  position: Schema.Int,
  phone_number: Schema.String,
  status: Schema.String,
  outcome: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  last_called_at: Schema.NullOr(Schema.Date),
  duration_seconds: Schema.NullOr(Schema.Finite),
  custom_fields: Schema.Array(Schema.NullOr(Schema.String)),
  result: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  disposition: Schema.NullOr(Schema.String),
  dialled_number: Schema.NullOr(Schema.String),
  cost: CostSum,
})

/** Contacts in one query, and therefore the most in memory. Fewer when the list has many columns. */
const largestPage = 1_000
const smallestPage = 50
const cellsAPage = 20_000

export const stream = Effect.fn("ResultsCsv.stream")(function* (
  campaign: CampaignRow,
  filter: Contacts.ContactConditions,
  read: ReadPage,
) {
  const fields = yield* outcomeFields(campaign)
  const costs = (yield* InstallationPrices) === null ? [] : CostColumns.names
  const dispositions = (yield* hasDispositions(campaign)) ? [ResultColumns.dispositionColumn] : []
  const dialled = (yield* hasAdditionalNumbers(campaign)) ? [ResultColumns.dialledColumn] : []
  const own = [...costs, ...dispositions, ...dialled]
  const header: Cells = ResultColumns.namesOf(campaign.columns, fields, own)
  const pageSize = Math.max(smallestPage, Math.min(largestPage, Math.floor(cellsAPage / (1 + campaign.columns.length))))
  const pages = Stream.paginate<number, Iterable<Cells>>(0, (after) =>
    Effect.map(read(page(campaign, filter, after, pageSize)), (rows) => {
      const last = rows.at(-1)
      const next = last === undefined || rows.length < pageSize ? Option.none() : Option.some(last.position)
      return [
        [
          Iterator.from(rows).map((row): Cells => [
            row.phone_number,
            ...cellsOf(row, fields),
            ...(costs.length === 0 ? [] : CostColumns.cellsOf(row.cost)),
            ...dispositions.map(() => row.disposition ?? ""),
            ...dialled.map(() => row.dialled_number ?? ""),
          ]),
        ],
        next,
      ]
    }),
  )
  return encodeRows(header, pages)
})

const cellsOf = (row: typeof Row.Type, fields: ReadonlyArray<string>): Array<string> => [
  row.status,
  row.outcome ?? "",
  String(row.attempts),
  row.last_called_at?.toISOString() ?? "",
  row.duration_seconds === null ? "" : String(row.duration_seconds),
  ...row.custom_fields.map((cell) => cell ?? ""),
  ...fields.map((field) => textOf(fieldOf(row.result, field))),
]

/** A field may have the name of a member that every object has, such as `constructor`. */
const fieldOf = (result: (typeof Row.Type)["result"], field: string): unknown =>
  result !== null && Object.hasOwn(result, field) ? result[field] : undefined

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}

const page = Effect.fnUntraced(function* (
  campaign: CampaignRow,
  filter: Contacts.ContactConditions,
  after: number,
  pageSize: number,
) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select c.position, c.phone_number, c.status, c.outcome, c.attempts, l.started_at as last_called_at,
      extract(epoch from l.ended_at - l.answered_at)::float8 as duration_seconds, l.result, l.disposition ->> 'key' as disposition,
      l.to_number as dialled_number,
      array(select c.custom_fields ->> name from unnest(${campaign.columns}::text[]) with ordinality as f(name, at)
            order by at) as custom_fields,
      (select sum_costs(array_agg(a.cost)) from calls a where a.contact_id = c.id) as cost
    from contacts c left join calls l on l.id = c.last_call_id
    where c.id in (select id from contacts where ${Contacts.conditionOf(sql, campaign.id, filter)}
                   and position > ${after} order by position limit ${pageSize})
    order by c.position`).pipe(Effect.orDie)
})

const Names = Schema.Struct({ names: Schema.Array(Schema.String) })

/** Returns the fields of the agent's outcome schema, in order, and then all other fields that were recorded. */
const outcomeFields = Effect.fnUntraced(function* (campaign: CampaignRow) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* Rows.first(Names)(sql`
    select array(
      select name from (
        select promised.name, promised.at from agents, json_object_keys(
          case when json_typeof(outcome_schema -> 'properties') = 'object' then outcome_schema -> 'properties' else '{}' end
        ) with ordinality as promised(name, at) where agents.id = ${campaign.agent_id}
        union all
        select jsonb_object_keys(result), null from calls
        where campaign_id = ${campaign.id} and jsonb_typeof(result) = 'object'
      ) as fields group by name order by min(at) nulls last, name
    ) as names`).pipe(Effect.orDie)
  return row?.names ?? []
})

const hasAdditionalNumbers = Effect.fnUntraced(function* (campaign: CampaignRow) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`
    select from contacts where campaign_id = ${campaign.id} and additional_numbers is not null limit 1`.pipe(
    Effect.orDie,
  )
  return found.length > 0
})

const hasDispositions = Effect.fnUntraced(function* (campaign: CampaignRow) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`
    select from campaign_progress p
    where p.campaign_id = ${campaign.id} and (p.dispositions <> '{}' or exists (
      select from agents a where a.id = ${campaign.agent_id} and a.dispositions <> '[]'))`.pipe(Effect.orDie)
  return found.length > 0
})
