/** A webhook's deliveries as people read them, and the orders to send them again. */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { EventType } from "../domain/Event.ts"
import { isUuid } from "../domain/Name.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { InvalidState, NotFound } from "../domain/Refusals.ts"
import { Delivery, type DeliveryStatus } from "../domain/Webhook.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Rows from "../tenancy/Rows.ts"
import { transaction } from "../tenancy/Transaction.ts"
import { eventId } from "./EventLog.ts"
import { EventSignals } from "./EventSignals.ts"
import * as Webhooks from "./Webhooks.ts"

const { event_id: _, ...columnsOf } = Delivery.fields
/** The columns' times are dates; the times inside `attempt_log` are texts. */
const Row = Schema.Struct({
  ...columnsOf,
  next_attempt_at: Schema.NullOr(Schema.Date),
  last_attempt_at: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  event_at: Schema.Date,
})

const columns = `
  d.id, d.webhook_id, d.event_type, d.seq::float8 as seq, d.status, d.attempts, d.next_attempt_at, d.last_attempt_at,
  d.last_status_code, d.last_error, d.last_duration_ms, d.response_excerpt, d.attempt_log, d.created_at,
  e.created_at as event_at`

const rows = (sql: SqlClient.SqlClient, where: Statement.Fragment, rest: Statement.Fragment) => sql`
  select ${sql.literal(columns)} from webhook_deliveries d cross join lateral events_between(d.seq - 1, d.seq) e
  where ${where} ${rest}`

const addEventIds = (found: ReadonlyArray<typeof Row.Type>) =>
  Effect.map(CurrentTenant, (account) =>
    found.map(({ event_at, ...row }): Delivery => ({ ...row, event_id: eventId(account.id, row.seq, event_at) })),
  )

const select = (where: Statement.Fragment, rest: Statement.Fragment) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* addEventIds(yield* Rows.all(Row)(rows(sql, where, rest)))
  }).pipe(Effect.orDie)

export interface DeliveryFilter extends PageRequest {
  readonly status?: DeliveryStatus
  readonly type?: EventType
}

/** The deliveries of a webhook, the newest event first. */
export const list = Effect.fn("DeliveryLog.list")(function* (
  webhook: string,
  { page, page_size, status, type }: DeliveryFilter,
) {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* Webhooks.find(webhook)
  const where = sql.and([
    sql`d.webhook_id = ${id}`,
    ...(status === undefined ? [] : [sql`d.status = ${status}`]),
    ...(type === undefined ? [] : [sql`d.event_type = ${type}`]),
  ])
  const [counted] = yield* Effect.orDie(sql`select count(*)::int as total from webhook_deliveries d where ${where}`)
  const part = sql`order by d.seq desc limit ${page_size} offset ${page * page_size}`
  const items = yield* rows(sql, where, part).pipe(
    Effect.flatMap(readable(Row)),
    Effect.flatMap(addEventIds),
    Effect.orDie,
  )
  return { items, page, page_size, total: Number(counted?.["total"]) } satisfies Page<Delivery>
})

/** Begins a new series of attempts at once for all deliveries that are pending, or for all that have failed. */
export const redeliverAll = Effect.fn("DeliveryLog.redeliverAll")(
  function* (webhook: string, status: Exclude<DeliveryStatus, "succeeded">) {
    const sql = yield* SqlClient.SqlClient
    const { enabled, id } = yield* Webhooks.find(webhook)
    if (!enabled) return yield* refuseDisabled()
    const begun = yield* begin(sql`d.webhook_id = ${id} and d.status = ${status}`)
    return { deliveries: begun.length }
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)

const refuseDisabled = () =>
  new InvalidState({ state: "disabled", detail: "The webhook is disabled. Enable it first." })

const begin = Effect.fnUntraced(function* (chosen: Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  const begun = yield* sql`
    update webhook_deliveries d set status = 'pending', next_attempt_at = clock_timestamp(), series_attempts = 0,
      series_began_at = null where ${chosen} returning d.id`
  const { account } = yield* CurrentTenant
  const signals = yield* EventSignals
  yield* sql.afterCommit(signals.webhooksChanged(account.slug))
  return begun
})

/** Begins a new series of attempts of one delivery at once, whatever the result of the last attempt. */
export const redeliver = Effect.fn("DeliveryLog.redeliver")(
  function* (webhook: string, delivery: string) {
    const sql = yield* SqlClient.SqlClient
    const { enabled, id } = yield* Webhooks.find(webhook)
    const chosen = sql`d.webhook_id = ${id} and d.id = ${delivery}`
    const [found] = isUuid(delivery) ? yield* select(chosen, sql`for no key update of d`) : []
    if (found === undefined) return yield* new NotFound({ resource: "delivery", id: delivery })
    if (!enabled) return yield* refuseDisabled()
    yield* begin(chosen)
    const [now] = yield* select(chosen, sql.literal(""))
    return now ?? found
  },
  transaction,
  Effect.catchTag("SqlError", Effect.die),
)
