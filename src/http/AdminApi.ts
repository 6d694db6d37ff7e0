/** The documented admin endpoints (decisions §1 and §2, Account). Contract only: no handler, no database. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Account, AccountSlug, Role } from "../domain/Account.ts"
import { AuditPage, PlatformAuditEntry } from "../domain/AuditEntry.ts"
import { Member, MemberName } from "../domain/Member.ts"
import { DisplayNameInput, visible } from "../domain/Name.ts"
import { Page, pageQuery } from "../domain/Page.ts"
import { filters, pageOfLog } from "./AuditApi.ts"
import { Audited } from "./edge/Audited.ts"
import { Administration } from "./edge/Authentication.ts"
import { StrictBody } from "./edge/Body.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { InvalidRequest } from "./edge/InvalidRequest.ts"
import * as Problems from "./edge/Problems.ts"
import { Created, ifMatch, Tagged, writable } from "./edge/Resource.ts"

const { slug: _, name: __, created_at: ___, ...settings } = Account.fields

const name = DisplayNameInput.annotate({ description: "The account's name, for people." })

const changeable = {
  concurrent_max: Schema.optionalKey(settings.concurrent_max),
  calls_per_minute: Schema.optionalKey(settings.calls_per_minute),
  calls_per_day: Schema.optionalKey(settings.calls_per_day),
  daily_spend_cap: Schema.optionalKey(settings.daily_spend_cap),
  time_zone: Schema.optionalKey(settings.time_zone),
  calling_window: Schema.optionalKey(settings.calling_window),
  consent_days: Schema.optionalKey(settings.consent_days),
  transcript_days: Schema.optionalKey(settings.transcript_days),
  recording_days: Schema.optionalKey(settings.recording_days),
  call_days: Schema.optionalKey(settings.call_days),
  event_days: Schema.optionalKey(settings.event_days),
  audit_days: Schema.optionalKey(settings.audit_days),
  discoverable: Schema.optionalKey(settings.discoverable),
  status: Schema.optionalKey(settings.status),
}

const NewAccount = writable({ slug: Account.fields.slug, name: Schema.optionalKey(name), ...changeable }, [
  "created_at",
]).annotate({
  identifier: "NewAccount",
  examples: [{ slug: AccountSlug.make("acme"), name: "Acme", concurrent_max: 20 }],
})

const AccountChange = writable({ name: Schema.optionalKey(name), ...changeable }, ["slug", "created_at"]).annotate({
  identifier: "AccountChange",
  examples: [{ concurrent_max: 50 }],
})

const bySlug = { slug: Schema.String.annotate({ description: "The account's slug.", examples: ["acme"] }) }

const email = Schema.optionalKey(MemberName.email)
const issuer = Schema.optionalKey(MemberName.issuer)
const subject = Schema.optionalKey(MemberName.subject)

const eitherOr = Schema.makeFilter(
  (named: { readonly email?: string; readonly issuer?: string; readonly subject?: string }) =>
    (named.email === undefined) === (named.issuer !== undefined && named.subject !== undefined) &&
    (named.issuer === undefined) === (named.subject === undefined)
      ? true
      : "must have either email, or issuer and subject",
)

/** How a new member is named. To remove an existing member, any name is accepted. */
const written = {
  email: Schema.optionalKey(MemberName.email.check(visible)),
  issuer: Schema.optionalKey(MemberName.issuer.check(visible)),
  subject: Schema.optionalKey(MemberName.subject.check(visible)),
}

const NewMember = writable({ ...written, role: Role }, ["created_at"])
  .annotate({ identifier: "NewMember", examples: [{ email: "ada@example.com", role: "member" }] })
  .check(eitherOr)

export class AdminApi extends HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.get("list", "/api/admin/accounts", { query: pageQuery(), success: Page(Account) })
      .annotate(OpenApi.Summary, "List accounts")
      .annotate(OpenApi.Description, "Returns accounts, newest first."),
    HttpApiEndpoint.post("create", "/api/admin/accounts", {
      payload: NewAccount,
      success: Created(Account),
      error: Problems.nameTaken,
    })
      .annotate(OpenApi.Summary, "Create an account")
      .annotate(
        OpenApi.Description,
        "Creates the account and its own database. A slug that is taken or reserved is a 409. `name` defaults to the slug written as words.",
      ),
    HttpApiEndpoint.get("get", "/api/admin/accounts/:slug", {
      params: bySlug,
      success: Tagged(Account),
      error: Problems.accountNotFound,
    })
      .annotate(OpenApi.Summary, "Get an account")
      .annotate(OpenApi.Description, "Returns the account's settings and caps."),
    HttpApiEndpoint.put("update", "/api/admin/accounts/:slug", {
      params: bySlug,
      headers: ifMatch,
      payload: AccountChange,
      success: Tagged(Account),
      error: [Problems.accountNotFound, Problems.preconditionFailed, Problems.accountElsewhere],
    })
      .annotate(OpenApi.Summary, "Change an account")
      .annotate(
        OpenApi.Description,
        "Fields that you omit keep their value. New caps apply from the next dial. While an account is `suspended`, requests of its members fail with a 403.",
      ),
    HttpApiEndpoint.delete("remove", "/api/admin/accounts/:slug", {
      params: bySlug,
      success: HttpApiSchema.NoContent,
      error: [Problems.accountNotFound, Problems.inUse, Problems.accountElsewhere],
    })
      .annotate(OpenApi.Summary, "Delete an account")
      .annotate(
        OpenApi.Description,
        "Drops the account's database with all its contents. The account is gone at once; if a process is killed meanwhile, another one drops what is left within seconds, and until then the slug is taken. Fails with 409 `in_use` while a campaign is running or a call is in progress; a call that begins during the deletion is refused with 503.",
      ),
    HttpApiEndpoint.get("members", "/api/admin/accounts/:slug/members", {
      params: bySlug,
      query: pageQuery(),
      success: Page(Member),
      error: Problems.accountNotFound,
    })
      .annotate(OpenApi.Summary, "List the members of an account")
      .annotate(
        OpenApi.Description,
        "Returns the members in the platform's membership table. People who have access through a claim in their token are not listed.",
      ),
    HttpApiEndpoint.post("putMember", "/api/admin/accounts/:slug/members", {
      params: bySlug,
      payload: NewMember,
      success: [Member, Member.pipe(HttpApiSchema.status(201))],
      error: Problems.accountNotFound,
    })
      .annotate(OpenApi.Summary, "Give a person access to an account")
      .annotate(
        OpenApi.Description,
        "Names the person by verified email, or by issuer and subject. Answers 201 for a new member. For an existing member, changes the role and answers 200.",
      ),
    HttpApiEndpoint.delete("removeMember", "/api/admin/accounts/:slug/members", {
      params: bySlug,
      query: Schema.Struct({ email, issuer, subject }).check(eitherOr),
      success: HttpApiSchema.NoContent,
      error: [Problems.accountNotFound, Problems.notFound],
    })
      .annotate(OpenApi.Summary, "Remove a person's access to an account")
      .annotate(
        OpenApi.Description,
        "Names the person by `?email=`, or by `?issuer=&subject=`. Does not revoke access that a claim in the person's token gives.",
      ),
  )
  .add(
    HttpApiEndpoint.get("audit", "/api/admin/audit", {
      query: {
        ...pageOfLog,
        ...filters,
        account: Schema.optionalKey(Schema.String).annotate({ description: "The slug of the account." }),
      },
      success: AuditPage(PlatformAuditEntry),
    })
      .annotate(OpenApi.Summary, "Read the installation's audit log")
      .annotate(
        OpenApi.Description,
        "Returns what was done to accounts and their members, newest first: by administrators, by owners, and by the `parley` command on the server. Entries of deleted accounts remain. What members did inside an account is in that account's own log.",
      ),
  )
  .annotate(OpenApi.Title, "Administration")
  .annotate(
    OpenApi.Description,
    "Accounts and their members. These paths are for platform administrators and require `X-Admin: true`. X-Account-ID is optional.",
  )
  .middleware(InvalidRequest)
  .middleware(Audited)
  .middleware(Idempotent)
  .middleware(StrictBody)
  .middleware(Administration) {}
