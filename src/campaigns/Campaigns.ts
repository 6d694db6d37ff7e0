/** The stored campaigns of an account. `CampaignControl` has the operations on them. */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import {
  Campaign,
  type CampaignEnd,
  CampaignFields,
  type CampaignOrder,
  type CampaignState,
  type CampaignStatus,
  DuplicatePolicy,
  statusAtEnd,
  type WaitingFor,
} from "../domain/Campaign.ts"
import type { OptOutScope } from "../domain/CallOptOut.ts"
import type { ImportReport } from "../domain/ImportReport.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { SpendWait } from "../domain/SpendCap.ts"
import type { VariableReport } from "../domain/VariableReport.ts"
import { NotFound } from "../domain/Refusals.ts"
import { toLikePattern } from "../domain/SearchTerms.ts"
import { FrozenPacks } from "../catalog/CampaignRules.ts"
import { amountFrom } from "../tenancy/AmountText.ts"
import { texts, uuids } from "../tenancy/Columns.ts"
import { json } from "../tenancy/Json.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import * as CarrierHealth from "./dialling/CarrierHealth.ts"
import * as DialShare from "./dialling/DialShare.ts"
import { storedAs, waitingDetailOf, waitingForOf } from "./dialling/StoredWaits.ts"

const Row = Schema.toType(
  Schema.Struct({
    ...Campaign.fields,
    redial_unknown: CampaignFields.redial_unknown,
    columns: Schema.Array(Schema.String),
    rules: FrozenPacks,
    /** The texts that the report `variables` is about (`VariableCheck`). */
    variables_of: Schema.NullOr(Schema.String),
    epoch: Schema.Int,
    revision: Schema.Int,
  }),
)
export type CampaignRow = typeof Row.Type

/** A client's settings of a campaign, under the database's names. */
export interface CampaignSettings {
  readonly name: string
  readonly agent_id: string
  readonly phone_number_id: string
  readonly max_concurrent_calls: number
  readonly retries_per_contact: number
  readonly retry_delay_seconds: number
  readonly retry_by_outcome: typeof CampaignFields.retry_by_outcome.Type
  readonly retry_time_of_day: typeof CampaignFields.retry_time_of_day.Type
  readonly scheduled_at: Date | null
  readonly calling_window: typeof CampaignFields.calling_window.Type
  readonly required_consent: typeof CampaignFields.required_consent.Type
  readonly max_calls_per_minute: number | null
  readonly quiet_after_answer_seconds: number | null
  readonly redial_unknown: boolean
  readonly callbacks_per_contact: number
  readonly rule_packs: ReadonlyArray<string>
  readonly subject: string | null
  readonly opt_out_scope: OptOutScope
  /** In its canonical form (`domain/Money`). */
  readonly max_spend: string | null
  readonly caller_numbers: ReadonlyArray<string>
  readonly local_presence: boolean
  readonly number_rest: typeof CampaignFields.number_rest.Type
}

export interface NewCampaign extends CampaignSettings {
  readonly duplicate_policy: DuplicatePolicy
  readonly default_country: string | null
}

export interface CampaignFilter extends PageRequest {
  readonly status?: CampaignStatus
  readonly state?: CampaignState
  readonly agent_id?: string
  readonly search?: string
  readonly order?: CampaignOrder
}

const rows = (sql: SqlClient.SqlClient, rest: Statement.Fragment) => sql`
  select c.id, c.name, c.agent_id, c.agent_version, c.phone_number_id, c.status, c.max_concurrent_calls, c.retries_per_contact,
         c.retry_delay_seconds, c.retry_by_outcome, c.retry_time_of_day, c.scheduled_at, c.calling_window, c.required_consent, c.quiet_after_answer_seconds, c.max_calls_per_minute, c.redial_unknown, c.callbacks_per_contact,
         c.rule_packs, c.subject, c.opt_out_scope, c.rules, c.caller_numbers, c.local_presence, c.number_rest,
         (select coalesce(jsonb_object_agg(p ->> 'id', p ->> 'version'), '{}') from jsonb_array_elements(c.rules) p)
           as rule_pack_versions,
         ${sql.literal(amountFrom("c.max_spend"))} as max_spend,
         c.columns, c.epoch, c.import, c.variables, c.variables_of, ${sql.literal(waitingForOf)} as waiting_for,
         ${sql.literal(waitingDetailOf)} as waiting_detail, c.revision, c.created_at, c.updated_at, c.started_at, c.ended_at,
         c.end_reason,
         campaign_counts(p) as counts
  from campaigns c join campaign_progress p on p.campaign_id = c.id ${rest}`

const select = (sql: SqlClient.SqlClient, rest: Statement.Fragment) => Effect.orDie(Rows.first(Row)(rows(sql, rest)))

/** SQL for a campaign's state as clients see it (`CampaignState`), from its columns. */
export const stateOf = `case when status <> 'draft' then status when waiting_for = 'budget' then 'waiting'
  when scheduled_at is not null then 'scheduled' else 'draft' end`

const orders: Record<CampaignOrder, string> = {
  newest: "c.created_at desc, c.id desc",
  state: `array_position(array['running', 'waiting', 'scheduled', 'paused', 'draft'], ${stateOf}) nulls last,
    c.ended_at desc, case when status = 'draft' and scheduled_at is not null then scheduled_at else c.created_at end, c.id`,
}

export const list = Effect.fn("Campaigns.list")(function* (filter: CampaignFilter) {
  const { agent_id, order = "newest", page, page_size, search, state, status } = filter
  const sql = yield* SqlClient.SqlClient
  const pattern = search === undefined ? undefined : toLikePattern(search)
  const where = sql.and([
    sql.literal("true"),
    ...(status === undefined ? [] : [sql`c.status = ${status}`]),
    ...(state === undefined
      ? []
      : [state === "ended" ? sql`c.ended_at is not null` : sql`${sql.literal(stateOf)} = ${state}`]),
    ...(agent_id === undefined ? [] : [sql`c.agent_id = ${agent_id}`]),
    ...(pattern === undefined ? [] : [sql`c.name ilike ${pattern}`]),
  ])
  const [count] = yield* sql`select count(*)::int as total from campaigns c where ${where}`.pipe(Effect.orDie)
  const items = yield* rows(
    sql,
    sql`where ${where} order by ${sql.literal(orders[order])} limit ${page_size} offset ${page * page_size}`,
  ).pipe(Effect.flatMap(readable(Row)), Effect.orDie)
  return { items, page, page_size, total: Number(count?.["total"]) } satisfies Page<CampaignRow>
})

const notFound = (id: string) => new NotFound({ resource: "campaign", id })

export const find = Effect.fn("Campaigns.find")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  if (!isUuid(id)) return yield* notFound(id)
  const found = yield* select(sql, sql`where c.id = ${id}`)
  return found ?? (yield* notFound(id))
})

/** Finds a campaign and locks its row until the transaction ends. The caller has locked the budget's row before. */
export const findForUpdate = Effect.fn("Campaigns.findForUpdate")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  if (!isUuid(id)) return yield* notFound(id)
  const found = yield* select(sql, sql`where c.id = ${id} for no key update of c`)
  return found ?? (yield* notFound(id))
})

const ImportRules = Schema.Struct({ duplicate_policy: DuplicatePolicy, default_country: Schema.NullOr(Schema.String) })

/** The rules by which the campaign's list was read, which also hold for contacts that come later. */
export const readImportRules = Effect.fn("Campaigns.readImportRules")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.orDie(
    Rows.one(ImportRules)(sql`select duplicate_policy, default_country from campaigns where id = ${id}`),
  )
})

/**
 * Inserts the row that contacts refer to while they are loaded. It is invisible to others until the transaction that
 * calls `complete` commits.
 */
export const reserve = Effect.fn("Campaigns.reserve")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into campaigns ${sql.insert({
    id,
    name: "",
    agent_id: id,
    phone_number_id: id,
    status: "draft",
    max_concurrent_calls: 1,
    retries_per_contact: 0,
    retry_delay_seconds: 0,
    duplicate_policy: "skip",
    redial_unknown: false,
    columns: [],
    import: json({}),
  })}`
  yield* sql`insert into campaign_progress (campaign_id) values (${id})`
})

const columnsOf = <Settings extends CampaignSettings>(settings: Settings) => ({
  ...settings,
  calling_window: json(settings.calling_window),
  required_consent: json(settings.required_consent),
  retry_by_outcome: json(settings.retry_by_outcome),
  number_rest: json(settings.number_rest),
  caller_numbers: uuids(settings.caller_numbers),
})

export const complete = Effect.fn("Campaigns.complete")(function* (
  id: string,
  settings: NewCampaign,
  list: { readonly columns: ReadonlyArray<string>; readonly report: ImportReport },
  { variables, variables_of }: KeptReport,
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set ${sql.update({
      ...columnsOf(settings),
      columns: list.columns,
      import: json(list.report),
      variables: json(variables),
      variables_of,
    })}, created_at = clock_timestamp(), updated_at = clock_timestamp()
    where id = ${id}`
})

export const change = Effect.fn("Campaigns.change")(function* (id: string, settings: CampaignSettings) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set
      ${sql.update({ ...columnsOf(settings) })},
      revision = revision + 1, updated_at = clock_timestamp()
    where id = ${id}`
})

/** A report and the key of the texts that it is about. */
export interface KeptReport {
  readonly variables: VariableReport
  readonly variables_of: string | null
}

/** Stores a report. Skips a locked row: the next look writes the report. */
export const keepReport = Effect.fn("Campaigns.keepReport")(function* (id: string, kept: KeptReport) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set variables = ${json(kept.variables)}, variables_of = ${kept.variables_of}
    where id = (select id from campaigns where id = ${id} for no key update skip locked)`
})

/** After the number of attempts was lowered, fails the waiting contacts that have no attempt left (I5). */
export const failUsedUp = Effect.fn("Campaigns.failUsedUp")(function* (id: string, retries: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update contacts set status = 'failed', due_at = '-infinity', waits_for = null, updated_at = clock_timestamp()
    where campaign_id = ${id} and status = 'pending' and attempts > ${retries} + callbacks and callback_at is null`
})

/** Marks a campaign running. The first start sets `started_at` and fixes the agent's version (decision 0016). */
export const markRunning = Effect.fn("Campaigns.markRunning")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set status = 'running', waiting_for = null, started_at = coalesce(started_at, clock_timestamp()),
      agent_version = coalesce(agent_version, (select a.version from agents a where a.id = agent_id)),
      revision = revision + 1, updated_at = clock_timestamp()
    where id = ${id}`
  yield* DialShare.join(id)
  yield* CarrierHealth.forget(id)
})

export const markPaused = Effect.fn("Campaigns.markPaused")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set status = 'paused', waiting_for = null, revision = revision + 1, updated_at = clock_timestamp()
    where id = ${id}`
})

/**
 * Pauses the running campaigns among `pauses` that still have pending contacts, because their carrier fails. `detail`
 * says what was seen. Returns the ids it paused.
 */
export const pauseForCarrier = Effect.fn("Campaigns.pauseForCarrier")(function* (
  pauses: ReadonlyArray<{ readonly id: string; readonly detail: string }>,
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    update campaigns c set status = 'paused', waiting_for = 'carrier', waiting_detail = s.detail,
      revision = revision + 1, updated_at = clock_timestamp()
    from campaign_progress p, unnest(${uuids(pauses.map(({ id }) => id))}, ${texts(pauses.map(({ detail }) => detail))})
      as s(id, detail)
    where p.campaign_id = c.id and c.id = s.id and c.status = 'running' and p.pending > 0
    returning c.id`
  return rows.map(({ id }) => id)
})

/**
 * Ends the campaign for a reason. Waiting contacts are skipped at once. Calls in progress continue and are settled
 * when they end.
 */
export const end = Effect.fn("Campaigns.end")(function* (id: string, reason: CampaignEnd) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set status = ${statusAtEnd[reason]}, end_reason = ${reason}, ended_at = clock_timestamp(), waiting_for = null,
      revision = revision + 1, updated_at = clock_timestamp()
    where id = ${id}`
  yield* sql`
    update contacts set status = 'skipped', skip_reason = 'stopped', due_at = '-infinity', waits_for = null,
      callback_at = null, updated_at = clock_timestamp()
    where campaign_id = ${id} and status = 'pending'`
})

/** Ends the campaigns among `ids` that have no contact left to call and none in a call. Returns the ids it ended. */
export const endFinished = Effect.fn("Campaigns.endFinished")(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly id: string }>`
    update campaigns c set status = 'completed', end_reason = 'finished', ended_at = clock_timestamp(),
      waiting_for = null, revision = revision + 1, updated_at = clock_timestamp()
    from campaign_progress p
    where p.campaign_id = c.id and c.id = any(${ids}::uuid[]) and c.status in ('running', 'paused')
      and p.pending = 0 and p.in_progress = 0
    returning c.id`
})

/**
 * Sets what the campaign waits for, and logs a missing price when the wait for it begins. Makes no new revision, because
 * the engine writes this and a client's edit must not collide with it.
 */
export const markWaiting = Effect.fn("Campaigns.markWaiting")(function* (
  id: string,
  waitingFor: WaitingFor | null,
  spend: SpendWait | null = null,
) {
  const sql = yield* SqlClient.SqlClient
  const [stored, detail] = storedAs(waitingFor, spend)
  const changed = yield* sql`
    update campaigns set waiting_for = ${stored}, waiting_detail = ${detail}
    where id = ${id} and (waiting_for, waiting_detail) is distinct from (${stored}, ${detail})
    returning id`
  if (changed.length === 0 || waitingFor !== "spend_cap" || spend === null || spend.missing_price === null) return
  const why = { campaign: id, cap: spend.cap, why: spend.missing_price }
  yield* sql.afterCommit(
    Effect.annotateLogs(
      Effect.logWarning("a campaign waits, because a price is missing for its limit on spending"),
      why,
    ),
  )
})

/**
 * Marks a running campaign as held, because its account must not dial (`restored`). The first pass that dials again
 * removes the mark.
 */
export const markHeld = Effect.fn("Campaigns.markHeld")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update campaigns set waiting_for = 'restored'
    where id = ${id} and status = 'running' and waiting_for is distinct from 'restored'`
})

export const remove = Effect.fn("Campaigns.remove")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from campaigns where id = ${id}`
})
