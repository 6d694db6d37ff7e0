/**
 * What is answered before an account is chosen: a token, whether an account exists, and the bearer's identity
 * (decisions §3).
 */
import { Schema } from "effect"
import { Account, AccountSlug, Role } from "./Account.ts"

export const SignedIn = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int.annotate({ description: "Seconds until the token expires." }),
  account: Schema.NullOr(AccountSlug),
}).annotate({ identifier: "SignedIn" })

/** Accounts that a login page may show. */
export const Discoverable = Schema.Struct({
  items: Schema.Array(Schema.Struct({ slug: AccountSlug, name: Account.fields.name })),
})

export const AccountValidity = Schema.Struct({
  account: AccountSlug,
  valid: Schema.Boolean,
  reason: Schema.optionalKey(Schema.Literals(["unknown", "reserved", "suspended"])),
}).annotate({ identifier: "AccountValidity" })

export const Organisation = Schema.Struct({
  subject: Schema.String,
  email: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  accounts: Schema.Array(Schema.Struct({ slug: Schema.String, name: Schema.String, role: Role })),
}).annotate({ identifier: "Organisation" })
