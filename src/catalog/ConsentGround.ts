/**
 * Which entry of the consent ledger permits a dial. Of the entries of a number that concern the requirement, the newest
 * one that has begun and has not expired decides: a consent permits the dial, a revocation does not.
 *
 * A consent concerns it if it has one of the required grounds, covers calls by an agent, and is for every subject and
 * seller or for those of the requirement. A revocation is read more widely: it concerns every requirement that does not
 * name another subject or seller. A consent without an `expires_at` expires after the account's `consent_days`, if any.
 */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { RequiredConsent } from "../domain/Consent.ts"

/**
 * SQL for the consent that permits a dial of the number in `column` at `now`, as JSON (`ConsentStamp`); null if there
 * is none, or if nothing is required.
 */
export const groundFor = Effect.fnUntraced(function* (
  required: RequiredConsent | null,
  column: Statement.Fragment,
  now: Date | Statement.Fragment,
) {
  const sql = yield* SqlClient.SqlClient
  if (required === null) return sql`null::jsonb`
  const { basis, seller = null, subject = null } = required
  return sql`(
    select case when g.kind = 'consent' then jsonb_build_object('id', g.id, 'basis', g.basis,
      'at', ${moment(sql, "g.at")}, 'expires_at', ${moment(sql, "g.ends_at")}) end
    from (
      select l.id, l.kind, l.basis, l.at, e.ends_at
      from consents l, lateral (select case l.kind when 'consent' then
        coalesce(l.expires_at, l.at + (select consent_days from budget) * interval '24 hours') end as ends_at) e
      where l.phone_number = ${column}
        and l.at <= ${now}::timestamptz and (e.ends_at is null or e.ends_at > ${now}::timestamptz)
        and l.channel in ('automated_call', 'any_call')
        and case l.kind
          when 'consent' then l.basis = any(${[...basis]}::text[])
            and (l.subject is null or lower(l.subject) = lower(${subject}::text))
            and (l.seller is null or lower(l.seller) = lower(${seller}::text))
          else (l.subject is null or ${subject}::text is null or lower(l.subject) = lower(${subject}::text))
            and (l.seller is null or ${seller}::text is null or lower(l.seller) = lower(${seller}::text))
        end
      order by l.at desc, l.kind desc limit 1) g)`
})

/** As on the wire: RFC 3339, UTC, milliseconds. */
const moment = (sql: SqlClient.SqlClient, column: string) =>
  sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
