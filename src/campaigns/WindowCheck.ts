/**
 * Refuses a calling window that never opens for any contact of its list: such a window would only skip all contacts,
 * one by one.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CallingWindow, verdictsAt } from "../domain/CallingWindow.ts"
import { invalid } from "../domain/Refusals.ts"
import * as Rows from "../tenancy/Rows.ts"
import { zonesOfContact } from "../catalog/NumberZones.ts"

const Row = Schema.Struct({
  position: Schema.Int,
  phone_number: Schema.String,
  custom_fields: Schema.Record(Schema.String, Schema.String),
})

/** The first page has one contact, which decides for nearly every list. */
const firstPage = 1
const pageSize = 1_000

/**
 * Accepts the window at the first contact for which it opens, or whose time zone is unknown. An unknown zone is not a
 * fault of the window: a preflight reports it, and the contact is skipped when it is due.
 */
export const checkWindow = Effect.fn("WindowCheck.checkWindow")(function* (
  campaignId: string,
  window: CallingWindow | null,
  now: Date,
) {
  if (window === null || window.time_zone !== "contact") return
  const say = verdictsAt(window, now)
  for (let after = 0, size = firstPage; ; size = pageSize) {
    const rows = yield* page(campaignId, after, size)
    for (const { custom_fields, phone_number, position } of rows) {
      const zones = zonesOfContact(phone_number, custom_fields)
      if (zones.length === 0 || say(zones)._tag !== "Never") return
      after = position
    }
    if (rows.length < size) break
  }
  return yield* invalid(
    "/calling_window",
    "never opens for any contact of the list: each may be in several time zones, and the window is never open in all of them at once",
  )
})

const page = Effect.fnUntraced(function* (campaignId: string, after: number, size: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Rows.all(Row)(sql`
    select position, phone_number, custom_fields from contacts
    where campaign_id = ${campaignId} and position > ${after} and phone_number <> ''
    order by position limit ${size}`).pipe(Effect.orDie)
})
