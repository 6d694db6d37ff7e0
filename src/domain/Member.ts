/**
 * A person that the platform's membership table admits to an account: by issuer and subject, or by verified email
 * (decisions §3).
 */
import { Schema } from "effect"
import { Role } from "./Account.ts"
import { CreatedAt } from "./Timestamp.ts"

/** Stored and compared in lower case, because mail systems ignore case in practice. */
export const Email = Schema.String.check(
  Schema.isPattern(/^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u, { message: "must be an email address" }),
).annotate({
  description: "An email address. The issuer of the person's tokens must have verified it.",
  examples: ["ada@example.com"],
})

const Term = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}]+$/u, { message: "must not be empty" }),
  Schema.isMaxLength(500),
)

/** The names by which a membership identifies the holder of a token: an email address, or an issuer and a subject. */
export const MemberName = {
  email: Email,
  issuer: Term.annotate({ description: "The `iss` of the person's tokens. Give it together with `subject`." }),
  subject: Term.annotate({ description: "The `sub` of the person's tokens. Give it together with `issuer`." }),
}

export const Member = Schema.Struct({
  email: Schema.NullOr(Schema.String).annotate({
    description: "The person's verified email. Null for a member who is named by issuer and subject.",
  }),
  issuer: Schema.NullOr(Schema.String).annotate({
    description: "The `iss` of the person's tokens. Null for a member who is named by email.",
  }),
  subject: Schema.NullOr(Schema.String).annotate({
    description: "The `sub` of the person's tokens. Null for a member who is named by email.",
  }),
  role: Role,
  created_at: CreatedAt,
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

/** The person that a membership names. */
export type Named = { readonly email: string } | { readonly issuer: string; readonly subject: string }
