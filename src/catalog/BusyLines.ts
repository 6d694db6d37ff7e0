/**
 * SQL for whether a number can be called at this moment: it is in no live call (`live_calls`), and no other number of
 * the same person is (`held_lines`, decision 0087).
 */
import { SqlClient } from "effect/sql"
import { Effect } from "effect"

/**
 * Whether the number in this expression is in a call, or belongs to a person who is. Most accounts hold no lines. Because
 * the subquery that asks for any depends on no number, it is evaluated once.
 */
const isBusy = (number: string): string => `(exists (select from live_calls l where l.line = ${number})
  or (select exists (select from held_lines where line > ''))
    and exists (select from held_lines h where h.line = ${number}))`

/** Whether a number of the contact is in a call, or belongs to a person who is. */
export const isContactBusy = (contact: string): string => `(${isBusy(`${contact}.phone_number`)}
  or ${contact}.additional_numbers is not null and (
    exists (select from live_calls l where l.line = any(${contact}.additional_numbers))
    or exists (select from held_lines h where h.line = any(${contact}.additional_numbers))))`

/** The call in which the number, or another number of the same person, is; undefined if there is none. */
export const findCall = Effect.fn("BusyLines.findCall")(function* (number: string) {
  const sql = yield* SqlClient.SqlClient
  const [call] = yield* sql<{ readonly id: string; readonly status: string }>`
    select c.id, c.status
    from (select call_id from live_calls where line = ${number}
          union all select call_id from held_lines where line = ${number}) l
      join calls c on c.id = l.call_id limit 1`
  return call
})
