/** The documented endpoints of an account's audit log (decision 0051). Contract only: no handler, no database. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AuditAction, AuditEntry, AuditKind, AuditPage } from "../domain/AuditEntry.ts"
import { e164Input } from "../domain/E164.ts"
import { TimestampInput } from "../domain/Timestamp.ts"
import { Audited } from "./edge/Audited.ts"
import { Authentication, Needs } from "./edge/Authentication.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"

const Term = Schema.String.check(Schema.isMaxLength(500))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })).pipe(
  Schema.withDecodingDefaultTypeKey(Effect.succeed(50)),
)

/** The query of a part of a log. */
export const pageOfLog = {
  before: Schema.optionalKey(Schema.String.check(Schema.isUUID())).annotate({
    description: "The `next_before` of the last answer, to read on towards older entries.",
  }),
  limit: Limit.annotate({ description: "The maximum number of entries, 1 to 200. Defaults to 50." }),
}

/** The filters that both logs have. */
export const filters = {
  actor: Schema.optionalKey(Term).annotate({
    description:
      "The person or key that did it: the token's `sub` or the key's UUID, or the email or name at that time, in any case.",
  }),
  action: Schema.optionalKey(AuditAction),
  kind: Schema.optionalKey(AuditKind),
  object_id: Schema.optionalKey(Term).annotate({ description: "The object's id, as in an entry's `object.id`." }),
  from: Schema.optionalKey(TimestampInput).annotate({ description: "Only entries of this moment and later." }),
  to: Schema.optionalKey(TimestampInput).annotate({ description: "Only entries before this moment." }),
}

const ofAccount = {
  ...filters,
  phone_number: Schema.optionalKey(
    e164Input("A called person's number: entries about its do-not-call entry and its erasure. Write its + as %2B."),
  ),
}

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/audit", {
      query: { ...pageOfLog, ...ofAccount },
      success: AuditPage(AuditEntry),
    })
      .annotate(OpenApi.Summary, "Read the audit log")
      .annotate(
        OpenApi.Description,
        "Returns entries, newest first: who made, changed, started, listened to, exported or deleted what, when and from where. The entry of a change is committed with the change. A refused request leaves no entry, and neither does a change that changes nothing. Entries are kept for the account's `audit_days`, by default 365 days (`PARLEY_AUDIT_RETENTION_DAYS`).",
      ),
    HttpApiEndpoint.get("csv", "/api/v1/audit.csv", {
      query: ofAccount,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
    })
      .annotate(OpenApi.Summary, "Export the audit log")
      .annotate(
        OpenApi.Description,
        "Returns the entries that the filters match as CSV, newest first. The export itself leaves an entry. A cell that a spreadsheet would read as a formula is prefixed with `'`.",
      ),
  )
  .annotate(OpenApi.Title, "Audit log")
  .annotate(
    OpenApi.Description,
    "Who did what in the account. For owners, and for API keys with the scope `audit`, which permits nothing else.",
  )
  .annotateEndpoints(Needs, "audit")
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Authentication) {}
