/** The callbacks that all campaigns of the account still have to dial, in one list (decision 0091). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OutstandingCallback } from "../domain/OutstandingCallback.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { readable } from "../tenancy/ReadableRows.ts"
import * as Contacts from "./Contacts.ts"

export interface CallbackFilter extends PageRequest {
  readonly campaign_id?: string
  /** Promised for this moment or later. */
  readonly from?: Date
  /** Promised for a time before this moment. */
  readonly to?: Date
}

const Row = Schema.toType(OutstandingCallback)

/** Lists the callbacks in the order in which they are due, so those that are due now come first. */
export const list = Effect.fn("OutstandingCallbacks.list")(function* (filter: CallbackFilter) {
  const sql = yield* SqlClient.SqlClient
  const { campaign_id, from, page, page_size, to } = filter
  const outstanding = sql.and([
    sql`callback_at is not null and status = 'pending'`,
    ...(campaign_id === undefined ? [] : [sql`campaign_id = ${campaign_id}`]),
    ...(from === undefined ? [] : [sql`callback_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`callback_at < ${to}`]),
  ])
  const [count] = yield* sql`select count(*)::int as total from contacts where ${outstanding}`
  const rows = yield* sql`
    select found.*, c.name as campaign_name, c.status as campaign_status
    from (
      select ${Contacts.columns(sql)}, campaign_id, due_at, coalesce(callback_by, 'agent') as arranged_by
      from contacts where ${outstanding}
      order by due_at, campaign_id, position limit ${page_size} offset ${page * page_size}) found
    join campaigns c on c.id = found.campaign_id
    order by found.due_at, found.campaign_id, found.position`
  const items = yield* readable(Row)(rows)
  return { items, page, page_size, total: Number(count?.["total"]) } satisfies Page<OutstandingCallback>
}, Effect.orDie)
