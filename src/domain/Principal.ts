/**
 * The principal of a request, its permissions in an account, and how authentication refuses it (spec §5, decisions §3).
 */
import { Context, Effect, Result, Schema } from "effect"
import { Role } from "./Account.ts"

/** What an API key may do. None contains another: a key that only dials reads nothing. */
export const Scope = Schema.Literals(["read", "write", "dial", "audit"]).annotate({
  description:
    "`dial` is required for every operation that can cause calls: direct calls, starting, resuming and scheduling a campaign, raising the slots or retries of a running one, loosening the limits of a phone number, and ending its rest. `audit` reads the audit log, and nothing else.",
})
export type Scope = typeof Scope.Type

/** A person as the identity provider's token describes them. Their permissions in an account are decided later. */
export interface Identity {
  readonly _tag: "Person"
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** Whether the provider has verified the email; an unverified email grants nothing. */
  readonly email_verified: boolean
  readonly name: string | null
  /** Whether the person is a platform administrator, by the token's roles or by `PARLEY_ADMINS`. */
  readonly admin: boolean
  /** When the token stops being accepted. */
  readonly expires_at: Date
  /** The accounts that the token itself lists. */
  readonly claimed: ReadonlyArray<{ readonly slug: string; readonly role: Role }>
}

/** A well-formed API key that was not looked up yet. */
export interface PresentedKey {
  readonly _tag: "ApiKey"
  readonly key_id: string
  readonly secret_hash: Uint8Array
}

/** The identity that a bearer token states, before any account is read. */
export type Identified = Identity | PresentedKey

/** A person as a member of the account of the request. */
export interface Person extends Omit<Identity, "claimed"> {
  readonly role: Role
}

export interface KeyHolder {
  readonly _tag: "ApiKey"
  readonly id: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** When the key stops being accepted; null if it never does. */
  readonly expires_at: Date | null
}

/** The authenticated principal of a request. */
export type Principal = Person | KeyHolder

export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("domain/CurrentPrincipal") {}

/** The permission that an operation requires. `manage` covers keys, webhooks and the account's settings. */
export type Permission = Scope | "manage"

const roleNeeded: Record<Permission, Role> = {
  read: "viewer",
  write: "member",
  dial: "member",
  audit: "owner",
  manage: "owner",
}
const rank: Record<Role, number> = { viewer: 0, member: 1, owner: 2 }

/** Returns the highest of several roles in one account. */
export const highest = (roles: ReadonlyArray<Role>): Role | undefined =>
  roles.reduce<Role | undefined>(
    (best, role) => (best === undefined || rank[role] > rank[best] ? role : best),
    undefined,
  )

/**
 * Checks that the principal has a permission. No scope contains `manage`: a key that leaked must not be able to create
 * other keys.
 */
export const permit = (
  principal: Principal,
  permission: Permission,
): Result.Result<void, MissingRole | MissingScope> => {
  if (principal._tag === "ApiKey") {
    return principal.scopes.some((scope) => scope === permission)
      ? Result.succeed(undefined)
      : Result.fail(new MissingScope({ required: permission === "manage" ? null : permission }))
  }
  const required = roleNeeded[permission]
  return rank[principal.role] >= rank[required]
    ? Result.succeed(undefined)
    : Result.fail(new MissingRole({ role: principal.role, required }))
}

/**
 * Fails if the current principal lacks the permission. For operations whose permission depends on their input;
 * authentication has already checked the permission that every such request needs.
 */
export const requirePermission = (
  permission: Permission,
): Effect.Effect<void, MissingRole | MissingScope, CurrentPrincipal> =>
  Effect.flatMap(CurrentPrincipal, (principal) => Effect.fromResult(permit(principal, permission)))

/** `X-Account-ID` is missing, repeated, or not a slug (spec §5.3). */
export class AccountHeaderInvalid extends Schema.TaggedError<AccountHeaderInvalid>()("AccountHeaderInvalid", {
  reason: Schema.Literals(["missing", "repeated", "malformed"]).annotate({
    description: "What is wrong with the header `X-Account-ID`.",
  }),
}) {
  override get message() {
    return {
      missing: "The header X-Account-ID is missing. Send the slug of the account.",
      repeated: "The header X-Account-ID was sent more than once. Send it once.",
      malformed: "X-Account-ID must match ^[a-z0-9][a-z0-9_-]{0,62}$",
    }[this.reason]
  }
}

/** The administration account is not a tenant: it has no agents, numbers or campaigns (spec §5.4). */
export class ReservedAccount extends Schema.TaggedError<ReservedAccount>()("ReservedAccount", {
  slug: Schema.String.annotate({ description: "The account of the request." }),
}) {
  override get message() {
    return `The account ${this.slug} is reserved for administration`
  }
}

/** The bearer token is missing or does not identify anyone. The sentence names the fault, never the expected value. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  detail: Schema.String.annotate({ description: "What is wrong with the token, as a sentence for people." }),
}) {
  override get message() {
    return this.detail
  }
}

/** The issuer's keys could not be fetched, so its tokens cannot be verified now. */
export class IssuerUnreachable extends Schema.TaggedError<IssuerUnreachable>()("IssuerUnreachable", {
  retry_after_seconds: Schema.Int.annotate({ description: "Seconds to wait before the next request." }),
}) {
  override get message() {
    return "The identity provider cannot be reached, so tokens cannot be checked now. Try again in a moment."
  }
}

/** The token is valid, but its holder is not a member of this account. */
export class NotAMember extends Schema.TaggedError<NotAMember>()("NotAMember", {
  slug: Schema.String.annotate({ description: "The account of the request." }),
}) {
  override get message() {
    return `The token is valid, but its holder is not a member of the account ${this.slug}`
  }
}

/** An administrator has suspended the account. With a token or an API key, only members get this answer. */
export class AccountSuspended extends Schema.TaggedError<AccountSuspended>()("AccountSuspended", {
  slug: Schema.String.annotate({ description: "The account of the request." }),
}) {
  override get message() {
    return `The account ${this.slug} is suspended`
  }
}

export class MissingRole extends Schema.TaggedError<MissingRole>()("MissingRole", {
  role: Role.annotate({ description: "The role that the person has." }),
  required: Role.annotate({ description: "The role that the operation needs." }),
}) {
  override get message() {
    return `This operation requires the role ${this.required}; the holder of the token has the role ${this.role} in this account`
  }
}

export class MissingScope extends Schema.TaggedError<MissingScope>()("MissingScope", {
  required: Schema.NullOr(Scope).annotate({
    description: "The scope that the operation needs. Null if no API key may do it, only a person.",
  }),
}) {
  override get message() {
    return this.required === null
      ? "Only an owner of the account may do this; an API key may not"
      : this.required === "dial"
        ? "This operation can cause calls, so it requires an API key with the scope dial."
        : `This operation requires an API key with the scope ${this.required}`
  }
}

/**
 * A request to an admin path has no `X-Admin: true`, or comes from a person who is not a platform administrator (spec
 * §5.5).
 */
export class AdminRequired extends Schema.TaggedError<AdminRequired>()("AdminRequired", {
  missing: Schema.Literals(["header", "role"]).annotate({
    description: "`header`: `X-Admin: true`. `role`: the person is not a platform administrator.",
  }),
}) {
  override get message() {
    return this.missing === "header"
      ? "Admin paths require the header X-Admin: true"
      : "Admin paths require the token of a platform administrator"
  }
}
