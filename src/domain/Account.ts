/** An account is one tenant: a slug, a database of its own, and caps on its calls (decisions §2, Account). */
import { Schema } from "effect"
import { CallingWindow } from "./CallingWindow.ts"
import { Amount } from "./Money.ts"
import { Name } from "./Name.ts"
import { TimeZone } from "./TimeZone.ts"
import { CreatedAt } from "./Timestamp.ts"

export const AccountSlug = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,62}$/u, {
    message: "must be 1 to 63 of a-z, 0-9, _ and -, beginning with a letter or digit",
  }),
).pipe(Schema.brand("AccountSlug"))
export type AccountSlug = typeof AccountSlug.Type

/** The administration account exists, but cannot be used as a tenant (spec §5.4). */
export const platformAdmin = AccountSlug.make("platform-admin")

export const AccountStatus = Schema.Literals(["active", "suspended", "restored"]).annotate({
  description:
    "While an account is `suspended`, requests of its members fail with a 403, and its campaigns do not dial. An account that was restored from a backup is `restored`: its members can use it, but it places no calls and sends no webhooks until an administrator sets it to `active`.",
})
export type AccountStatus = typeof AccountStatus.Type

/** A period in days. Ten years are the longest that laws ask for; PostgreSQL's dates would allow more. */
const Days = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_650 })))

/** A cap on calls. PostgreSQL's `integer` is the upper end. */
const Cap = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))

export const Account = Schema.Struct({
  slug: AccountSlug.annotate({ description: "Names the account in `X-Account-ID` and in paths. It never changes." }),
  name: Name.annotate({ description: "The account's name, for people." }),
  concurrent_max: Cap.annotate({ description: "The maximum number of concurrent calls of the whole account." }),
  calls_per_minute: Cap.annotate({ description: "The maximum number of calls that begin in any 60 seconds." }),
  calls_per_day: Cap.annotate({
    description: "The maximum number of calls that begin on a calendar day in `time_zone`.",
  }),
  daily_spend_cap: Schema.NullOr(Amount).annotate({
    description:
      'The most that the account may spend on a calendar day in `time_zone`, in US dollars, as a decimal string such as "500.00". Before each call that Parley places, the most that it may cost is reserved; a call that does not fit is not dialled. Null (the default) for no limit. Needs a price list (`PARLEY_PRICES_FILE`).',
  }),
  time_zone: TimeZone.annotate({
    description: "The IANA time zone in which the account's day begins, such as `Europe/Berlin`. Defaults to `UTC`.",
  }),
  calling_window: Schema.NullOr(CallingWindow).annotate({
    description: "When campaigns without a window of their own may dial. Null (the default): at any hour.",
  }),
  consent_days: Days.annotate({
    description:
      "For how many days after its `at` a consent without an `expires_at` of its own counts. Null (the default) for no end. It decides at each dial, so a change concerns earlier consents too.",
  }),
  transcript_days: Days.annotate({
    description:
      "For how many days what was said in a call is kept: its transcript and tool invocations, from the call's start. Null (the default) for as long as the call.",
  }),
  recording_days: Days.annotate({
    description:
      "For how many days recordings are kept. Null (the default) for the installation's number, which is 30.",
  }),
  call_days: Days.annotate({
    description:
      "For how many days calls are kept, and the numbers and fields of a campaign's contacts after its end. Calls of a campaign that has not ended are kept until then. Counts of campaigns remain. Null (the default) for ever.",
  }),
  event_days: Days.annotate({
    description:
      "For how many days events and their deliveries to webhooks are kept. Null (the default) for the installation's number, which is 30.",
  }),
  audit_days: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 3_650 }))).annotate({
    description:
      "For how many days the audit log is kept, at least 30. Null (the default) for the installation's number, which is 365.",
  }),
  discoverable: Schema.Boolean.annotate({ description: "Whether GET /api/accounts lists the account." }),
  status: AccountStatus,
  created_at: CreatedAt,
}).annotate({ identifier: "Account" })
export type Account = typeof Account.Type

export const accountDefaults = {
  concurrent_max: 10,
  calls_per_minute: 60,
  calls_per_day: 10_000,
  daily_spend_cap: null,
  time_zone: TimeZone.make("UTC"),
  calling_window: null,
  consent_days: null,
  transcript_days: null,
  recording_days: null,
  call_days: null,
  event_days: null,
  audit_days: null,
  discoverable: false,
  status: "active",
} as const satisfies Partial<Account>

/**
 * A member's permissions in an account (decisions §3): an `owner` may do everything, a `member` everything except keys,
 * webhooks and settings, and a `viewer` may only read.
 */
export const Role = Schema.Literals(["owner", "member", "viewer"]).annotate({
  description:
    "`viewer`: may read. `member`: may also write and dial. `owner`: may also manage keys, webhooks and the account's settings.",
})
export type Role = typeof Role.Type

export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  slug: Schema.String.annotate({ description: "The account of the request." }),
}) {
  override get message() {
    return `There is no account ${this.slug}`
  }
}

/**
 * Another cell serves the account (decision 0068). It names the cell, so only clients that may use the account get it.
 */
export class AccountElsewhere extends Schema.TaggedError<AccountElsewhere>()("AccountElsewhere", {
  slug: Schema.String.annotate({ description: "The account of the request." }),
  cell: Schema.String.annotate({ description: "The cell that serves the account." }),
}) {
  override get message() {
    return `The account ${this.slug} is served by the cell ${this.cell}. Send the request there.`
  }
}

/**
 * The account exists, but its database cannot be used: a migration failed, no connection is available, or it moves to
 * another server.
 */
export class AccountUnavailable extends Schema.TaggedError<AccountUnavailable>()("AccountUnavailable", {
  slug: Schema.String.annotate({ description: "The account of the request." }),
  reason: Schema.optionalKey(
    Schema.Literals(["moving"]).annotate({
      description:
        "`moving` while the account's data moves to another database server, which takes seconds to minutes.",
    }),
  ),
}) {
  override get message() {
    return this.reason === "moving"
      ? `The account ${this.slug} is moving to another database server and not available meanwhile. Try again in a moment.`
      : `The account ${this.slug} is not available now. Try again in a moment.`
  }
}
