/** The columns of a contact list that record a consent for the numbers of a row (docs/consent.md). */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { consentBases } from "../../domain/ConsentValues.ts"
import { NewConsent } from "../../domain/Consent.ts"
import type { RowFault } from "../../domain/ImportReport.ts"

const basisColumn = "consent_basis"
const timeColumn = "consent_at"
const numbersColumn = "consent_numbers"
/** For which numbers of the row the person agreed. An empty cell means the first one, `phone_number` (decision 0091). */
const numbersValues = ["first", "all"]

/** Whether the list records consents. Without the column, the others are custom fields as any. */
export const hasConsents = (columns: ReadonlyArray<string>): boolean => columns.includes(basisColumn)

const timeRule = "must be an RFC 3339 timestamp since 1900, such as 2026-11-21T10:00:00Z"
const checks: ReadonlyArray<readonly [column: string, isValid: (cell: string) => boolean, detail: string]> = [
  [basisColumn, Schema.is(NewConsent.fields.basis), `must be one of ${consentBases.join(", ")}`],
  [timeColumn, Schema.is(NewConsent.fields.at), timeRule],
  ["consent_expires_at", Schema.is(NewConsent.fields.expires_at), `${timeRule}, or empty`],
  ["consent_text", Schema.is(NewConsent.fields.text), "must have at most 2000 characters"],
  ["consent_source", Schema.is(NewConsent.fields.source), "must have at most 200 characters, and visible ones"],
  ["consent_subject", Schema.is(NewConsent.fields.subject), "must have at most 200 characters, and visible ones"],
  ["consent_seller", Schema.is(NewConsent.fields.seller), "must have at most 200 characters, and visible ones"],
  [numbersColumn, (cell) => numbersValues.includes(cell), `must be ${numbersValues.join(" or ")}, or empty`],
]

/** Returns the check of the rows under this header: why a row's consent cannot be recorded; undefined if it can. */
export const consentCheck = (names: ReadonlyArray<string>) => {
  if (!hasConsents(names)) return () => undefined
  const basisAt = names.indexOf(basisColumn)
  const timeAt = names.indexOf(timeColumn)
  const others = checks.flatMap((check) =>
    names.includes(check[0]) ? [[names.indexOf(check[0]), check] as const] : [],
  )
  return (cells: ReadonlyArray<string>): Omit<RowFault, "line"> | undefined => {
    if (cells[basisAt] === "") return undefined
    if ((cells[timeAt] ?? "") === "") {
      return {
        column: timeColumn,
        code: "invalid_consent",
        detail: "has a consent_basis and no consent_at. Add when the person agreed",
      }
    }
    for (const [at, [column, isValid, detail]] of others) {
      const cell = cells[at] ?? ""
      if (cell !== "" && !isValid(cell)) return { column, code: "invalid_consent", detail }
    }
    return undefined
  }
}

/**
 * Records the consents of a list that was just imported, in its transaction. One that the ledger has from an earlier
 * upload is not recorded again.
 */
export const record = Effect.fn("ConsentColumns.record")(function* (campaignId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into consents (id, kind, phone_number, basis, subject, seller, channel, text, source, at, expires_at)
    select uuid_at(clock_timestamp()), 'consent', n.phone_number, n.basis, n.subject, n.seller, 'automated_call',
      n.text, n.source, n.at, n.expires_at
    from (
      select distinct number as phone_number, f ->> 'consent_basis' as basis, nullif(f ->> 'consent_subject', '') as subject,
        nullif(f ->> 'consent_seller', '') as seller, nullif(f ->> 'consent_text', '') as text,
        coalesce(nullif(f ->> 'consent_source', ''), 'contact list') as source,
        (f ->> 'consent_at')::timestamptz as at, nullif(f ->> 'consent_expires_at', '')::timestamptz as expires_at
      from contacts cross join lateral (select custom_fields) x(f)
        cross join lateral unnest(
          case when f ->> 'consent_numbers' = 'all' then array_prepend(contacts.phone_number, additional_numbers)
            else array[contacts.phone_number] end) number
      where campaign_id = ${campaignId} and f ->> 'consent_basis' <> '') n
    where not exists (
      select from consents c
      where c.phone_number = n.phone_number and c.at = n.at and c.kind = 'consent'
        and (c.basis, c.subject, c.seller, c.text, c.source, c.expires_at)
          is not distinct from (n.basis, n.subject, n.seller, n.text, n.source, n.expires_at))`
})
