/**
 * SQL for until when a number is on the do-not-call list, and until when it has the consent that the campaign requires,
 * for a preflight, which asks about later moments than now.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { groundFor } from "../../catalog/ConsentGround.ts"
import * as ErasedNumbers from "../../catalog/ErasedNumbers.ts"
import { forbiddenUntil } from "../../catalog/SubjectSuppressions.ts"
import type { CampaignRow } from "../Campaigns.ts"

export const fields = {
  is_listed: Schema.Boolean,
  /** Null without an end. */
  listed_until: Schema.NullOr(Schema.Date),
  /** Null for a consent without an end, and if none is required. */
  consent_until: Schema.NullOr(Schema.Date),
}
type Standing = Schema.Struct<typeof fields>["Type"]

/** The columns, and the joins that they need, for the number in `column`. */
export const of = Effect.fnUntraced(function* (
  { required_consent: required, subject }: Pick<CampaignRow, "required_consent" | "subject">,
  column: string,
) {
  const sql = yield* SqlClient.SqlClient
  const number = sql.literal(column)
  const ground = yield* groundFor(required, number, sql.literal("statement_timestamp()"))
  const consentUntil =
    required === null
      ? sql`null::timestamptz`
      : sql`(select case when g is null then to_timestamp(0) else (g ->> 'expires_at')::timestamptz end from (select ${ground}) t(g))`
  return {
    columns: sql`
      s.phone_number is not null or e.digest is not null or o.until is not null as is_listed,
      case when s.source is not null and s.expires_at is null or e.source is not null and e.expires_at is null
             or o.until = 'infinity'
           then null else greatest(s.expires_at, e.expires_at, o.until) end as listed_until,
      ${consentUntil} as consent_until`,
    joins: sql`
      left join suppressions s on s.phone_number = ${number}
      left join erased_suppressions e on ${yield* ErasedNumbers.isDigestOf(number)}
      cross join lateral (select ${yield* forbiddenUntil(number, sql`${subject}::text`)} as until) o`,
  }
})

/** The same in milliseconds, as `PreflightNumber` has it. */
export const toTimes = ({ consent_until, is_listed, listed_until }: Standing) => ({
  consent_until: consent_until === null ? Infinity : consent_until.getTime(),
  listed_until: is_listed ? (listed_until?.getTime() ?? Infinity) : 0,
})
