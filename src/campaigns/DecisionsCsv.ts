/**
 * Streams every decision of a campaign's dialler as CSV, contact by contact: why each was dialled, put off or skipped.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { ReadPage } from "../tenancy/Pages.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import type { CampaignRow } from "./Campaigns.ts"
import { type Cells, encodeRows } from "./lists/CsvRows.ts"

/** The columns after the phone number. */
const columns = [
  ...["position", "decision", "rule", "at", "times", "first_at", "until"],
  ...["attempt", "call_id", "outcome", "agent", "agent_revision"],
  ...["slots", "concurrent_cap", "per_minute_cap", "daily_cap"],
  ...["window", "zones", "local_times"],
  ...["rule_pack", "rule_id", "place"],
  ...["suppression_source", "suppression_reason", "suppression_call_id", "suppressed_at"],
]

/**
 * Contacts in one query. A contact has at most eleven attempts, and the rows of a page are decoded in one tick of the
 * event loop.
 */
const pageSize = 50

const Use = Schema.Struct({ used: Schema.Int, limit: Schema.NullOr(Schema.Int) })
const text = Schema.optionalKey(Schema.NullOr(Schema.String))

const RefusingRule = Schema.Struct({ pack: Schema.String, version: Schema.String, rule: Schema.String })
const Place = Schema.Struct({
  country: Schema.NullOr(Schema.String),
  state: Schema.NullOr(Schema.String),
  found_by: Schema.String,
})

/** The fields that are read from a record. A record of an older version may lack some. */
const Record = Schema.Struct({
  of: Schema.optionalKey(Schema.Int),
  slots: Schema.optionalKey(Use),
  caps: Schema.optionalKey(Schema.Record(Schema.String, Use)),
  agent: Schema.optionalKey(Schema.Struct({ name: Schema.String, revision: Schema.Int })),
  window: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        days: Schema.Array(Schema.String),
        start: Schema.String,
        end: Schema.String,
        time_zone: Schema.String,
        zones: Schema.Array(Schema.String),
        local_times: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
      }),
    ),
  ),
  // Under `rule`, the record of a dial has a text, and that of a refusal the rule of a pack.
  rule: Schema.optionalKey(Schema.Union([Schema.String, Schema.NullOr(RefusingRule)])),
  place: Schema.optionalKey(Place),
  rules: Schema.optionalKey(Schema.Struct({ packs: Schema.Record(Schema.String, Schema.String), place: Place })),
  suppression: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ source: text, reason: text, call_id: text, created_at: text })),
  ),
})

const Row = Schema.Struct({
  position: Schema.Int,
  phone_number: Schema.String,
  decision: Schema.String,
  rule: Schema.NullOr(Schema.String),
  at: Schema.Date,
  times: Schema.Int,
  first_at: Schema.Date,
  until: Schema.NullOr(Schema.Date),
  attempt: Schema.NullOr(Schema.Int),
  call_id: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(Schema.String),
  record: Record,
})

export const stream = (campaign: CampaignRow, read: ReadPage) => {
  // It cannot change after the start, so it is that of every decision.
  const subject = campaign.subject === null ? [] : [campaign.subject]
  const pages = Stream.paginate<number, Iterable<Cells>>(0, (after) =>
    Effect.map(read(page(campaign.id, after)), ({ last, rows }) => [
      [Iterator.from(rows).map((row): Cells => [row.phone_number, ...cellsOf(row), ...subject])],
      last === null ? Option.none() : Option.some(last),
    ]),
  )
  return encodeRows(["phone_number", ...columns, ...subject.map(() => "subject")], pages)
}

const cellsOf = ({ record, ...row }: typeof Row.Type): Array<string> => [
  ...[String(row.position), row.decision, row.rule ?? "", row.at.toISOString(), String(row.times)],
  ...[row.first_at.toISOString(), row.until?.toISOString() ?? ""],
  row.attempt === null ? "" : record.of === undefined ? String(row.attempt) : `${row.attempt} of ${record.of}`,
  ...[row.call_id ?? "", row.outcome ?? ""],
  ...[record.agent?.name ?? "", record.agent === undefined ? "" : String(record.agent.revision)],
  ...[record.slots, record.caps?.["concurrent_cap"], record.caps?.["per_minute_cap"], record.caps?.["daily_cap"]].map(
    (use) => (use === undefined ? "" : `${use.used} of ${use.limit ?? "any"}`),
  ),
  ...windowCells(record.window ?? null),
  ...ruleCells(record),
  ...(["source", "reason", "call_id", "created_at"] as const).map((name) => record.suppression?.[name] ?? ""),
]

const windowCells = (window: Exclude<typeof Record.Type.window, undefined>): ReadonlyArray<string> => {
  if (window === null) return ["", "", ""]
  const { days, end, local_times = {}, start, time_zone, zones } = window
  const times = Object.entries(local_times).map(([zone, time]) => `${zone} ${time}`)
  return [`${days.join(" ")} ${start}-${end} ${time_zone}`, zones.join(" "), times.join("; ")]
}

/** The pack with its version that refused, or the packs that permitted the dial; the rule; the place. */
const ruleCells = ({ place, rule, rules }: typeof Record.Type): ReadonlyArray<string> => {
  const by = typeof rule === "object" && rule !== null ? rule : null
  const where = place ?? rules?.place
  const packs = by === null ? Object.entries(rules?.packs ?? {}) : [[by.pack, by.version]]
  return [
    packs.map(([id, version]) => `${id} ${version}`).join("; "),
    by?.rule ?? "",
    where === undefined
      ? ""
      : `${where.country ?? "unknown"} ${where.state ?? ""} by ${where.found_by}`.replace("  ", " "),
  ]
}

const Page = Schema.Struct({ id: Schema.String, position: Schema.Int })

const page = Effect.fnUntraced(function* (campaignId: string, after: number) {
  const sql = yield* SqlClient.SqlClient
  const contacts = yield* Rows.all(Page)(sql`
    select id, position from contacts where campaign_id = ${campaignId} and position > ${after}
    order by position limit ${pageSize}`).pipe(Effect.orDie)
  const ids = contacts.map(({ id }) => id)
  const rows = yield* sql`
    select c.position, coalesce(l.to_number, c.phone_number) as phone_number, 'dialled' as decision, r.record ->> 'rule' as rule, l.started_at as at,
      1 as times, l.started_at as first_at, null::timestamptz as until, l.attempt_number as attempt,
      l.id as call_id, l.outcome, coalesce(r.record, '{}') as record
    from contacts c join calls l on l.contact_id = c.id left join dial_records r on r.id = l.dial_record_id
    where c.id = any(${ids}::uuid[])
    union all
    select c.position, c.phone_number, case when d.until is null then 'skipped' else 'put_off' end, d.reason,
      d.last_at, d.count, d.first_at, d.until, null, null, null, d.record
    from contacts c join decisions d on d.contact_id = c.id where c.id = any(${ids}::uuid[])
    order by position, at`.pipe(Effect.flatMap(readable(Row)), Effect.orDie)
  return { rows, last: contacts.length < pageSize ? null : (contacts.at(-1)?.position ?? null) }
})
