/**
 * The answers to requests that come before an account is chosen: a token, whether an account exists, and the bearer's
 * identity (decisions §3).
 */
import { Schema } from "effect"
import { Account, AccountSlug, Role } from "./Account.ts"

export const SignedIn = Schema.Struct({
  access_token: Schema.String.annotate({ description: "The token to send as `Authorization: Bearer`." }),
  token_type: Schema.Literal("Bearer").annotate({ description: "How the token is sent." }),
  expires_in: Schema.Int.annotate({ description: "Seconds until the token expires." }),
  account: Schema.NullOr(AccountSlug).annotate({
    description: "The account of the request. Null if the request named none.",
  }),
}).annotate({ identifier: "SignedIn" })

/** Accounts that a login page may show. */
export const Discoverable = Schema.Struct({
  items: Schema.Array(Schema.Struct({ slug: Account.fields.slug, name: Account.fields.name })).annotate({
    description: "The accounts that are marked `discoverable`.",
  }),
})

export const AccountValidity = Schema.Struct({
  account: AccountSlug.annotate({ description: "The slug of the request." }),
  valid: Schema.Boolean.annotate({ description: "Whether users can sign in to the account." }),
  reason: Schema.optionalKey(Schema.Literals(["unknown", "reserved", "suspended"])).annotate({
    description:
      "Why users cannot sign in. `reserved`: the administration account is not a tenant. Absent if `valid` is true.",
  }),
}).annotate({ identifier: "AccountValidity" })

export const Organisation = Schema.Struct({
  subject: Schema.String.annotate({ description: "The `sub` of the token." }),
  email: Schema.NullOr(Schema.String).annotate({ description: "The `email` of the token. Null if it has none." }),
  name: Schema.NullOr(Schema.String).annotate({ description: "The `name` of the token. Null if it has none." }),
  accounts: Schema.Array(
    Schema.Struct({
      slug: Schema.String.annotate({ description: "The value for `X-Account-ID`." }),
      name: Account.fields.name,
      role: Role,
    }),
  ).annotate({ description: "The accounts that the person is a member of." }),
}).annotate({ identifier: "Organisation" })
