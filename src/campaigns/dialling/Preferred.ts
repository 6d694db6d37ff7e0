/**
 * SQL about contacts with a priority. A contact with a priority that was never looked at has a reserved `due_at` in the
 * past: it is due, and an index finds such contacts in their order (decision 0085).
 */

/** The `due_at` of a contact with a priority that was never dialled or put off. */
const preferred = "1970-01-01T00:00:00Z"
export const firstInLine = `'${preferred}'::timestamptz`

/** The condition that the contact has that `due_at`, written as the index's predicate so that the planner uses it. */
const isFirstInLine = (contact: string): string =>
  `(${contact}.priority > 0 and isfinite(${contact}.due_at) and ${contact}.due_at <= ${firstInLine})`

/** The `due_at` of a new contact with this priority, as text. */
export const dueAtOfNew = (priority: number): string => (priority > 0 ? preferred : "-infinity")

/**
 * SQL for the `due_at` of a contact `c` that gets this priority. `passed` is the position up to which the campaign has
 * looked at contacts without a priority; a contact at or before that position becomes due now instead.
 */
export const dueAtAfter = (priority: string, passed: string): string =>
  `case when ${priority} > 0 and c.due_at = '-infinity' and c.status = 'pending' then ${firstInLine}
    when ${priority} = 0 and c.due_at = ${firstInLine}
      then case when c.position > ${passed} then '-infinity'::timestamptz else clock_timestamp() end
    else c.due_at end`

/** SQL for whether the campaign `c` has contacts with a priority that are due, or become due. */
export const hasPreferred = `(
  exists (select from contacts k where k.campaign_id = c.id and ${isFirstInLine("k")})
  or exists (select from contacts k where k.campaign_id = c.id and k.due_at > ${firstInLine} and k.priority > 0))`
