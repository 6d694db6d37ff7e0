/** Every refusal's status and stable code: the table of spec §7 and decisions §2, in one place. */
import { AccountElsewhere, AccountNotFound, AccountUnavailable } from "../../domain/Account.ts"
import {
  AccountHeaderInvalid,
  AccountSuspended,
  AdminRequired,
  IssuerUnreachable,
  MissingRole,
  MissingScope,
  NotAMember,
  ReservedAccount,
  Unauthenticated,
} from "../../domain/Principal.ts"
import { EventsPruned } from "../../domain/Event.ts"
import {
  BuiltInProtected,
  Crowded,
  InUse,
  Invalid,
  InvalidState,
  NameTaken,
  NotFound,
  PreconditionFailed,
  TooCostly,
  UnknownReference,
} from "../../domain/Refusals.ts"
import { OriginForbidden } from "../../domain/WidgetKey.ts"
import { asProblem } from "./Problem.ts"

export const invalid = Invalid.pipe(asProblem({ status: 400, code: "invalid_request", title: "Invalid request" }))
export const notFound = NotFound.pipe(asProblem({ status: 404, code: "not_found", title: "Not found" }))
export const unknownReference = UnknownReference.pipe(
  asProblem({ status: 404, code: "reference_not_found", title: "Referenced resource not found" }),
)
export const nameTaken = NameTaken.pipe(asProblem({ status: 409, code: "name_taken", title: "Name already taken" }))
export const inUse = InUse.pipe(asProblem({ status: 409, code: "in_use", title: "Still in use" }))
export const invalidState = InvalidState.pipe(
  asProblem({ status: 409, code: "invalid_state", title: "Not possible in this state" }),
)
export const builtInProtected = BuiltInProtected.pipe(
  asProblem({ status: 403, code: "built_in", title: "A built-in cannot be deleted" }),
)
export const preconditionFailed = PreconditionFailed.pipe(
  asProblem({ status: 412, code: "precondition_failed", title: "Resource has changed" }),
)
const tooCostly = TooCostly.pipe(asProblem({ status: 422, code: "too_costly", title: "Too costly to process" }))
const crowded = Crowded.pipe(
  asProblem({ status: 429, code: "rate_limited", title: "Too many costly requests at once" }),
)
/** For endpoints whose work on a tenant's input may be costly. */
export const costly = [tooCostly, crowded] as const
export const eventsPruned = EventsPruned.pipe(
  asProblem({ status: 410, code: "events_pruned", title: "Events no longer available" }),
)
export const accountNotFound = AccountNotFound.pipe(
  asProblem({ status: 404, code: "account_not_found", title: "Account not found" }),
)
export const accountElsewhere = AccountElsewhere.pipe(
  asProblem({ status: 421, code: "account_elsewhere", title: "Account served by another cell" }),
)
export const accountUnavailable = AccountUnavailable.pipe(
  asProblem({ status: 503, code: "account_unavailable", title: "Account not available" }),
)
export const accountSuspended = AccountSuspended.pipe(
  asProblem({ status: 403, code: "account_suspended", title: "Account suspended" }),
)
export const accountHeaderInvalid = AccountHeaderInvalid.pipe(
  asProblem({ status: 400, code: "invalid_account", title: "Account header missing or invalid" }),
)
export const reservedAccount = ReservedAccount.pipe(
  asProblem({ status: 403, code: "reserved_account", title: "Reserved account" }),
)
export const unauthenticated = Unauthenticated.pipe(
  asProblem({ status: 401, code: "unauthenticated", title: "Token missing or invalid" }),
)
export const issuerUnreachable = IssuerUnreachable.pipe(
  asProblem({ status: 503, code: "issuer_unreachable", title: "Identity provider not reachable" }),
)
export const notAMember = NotAMember.pipe(
  asProblem({ status: 403, code: "not_a_member", title: "Not a member of this account" }),
)
export const missingRole = MissingRole.pipe(asProblem({ status: 403, code: "missing_role", title: "Role missing" }))
export const missingScope = MissingScope.pipe(asProblem({ status: 403, code: "missing_scope", title: "Scope missing" }))
export const adminRequired = AdminRequired.pipe(
  asProblem({ status: 403, code: "admin_required", title: "Administrator required" }),
)
export const originForbidden = OriginForbidden.pipe(
  asProblem({ status: 403, code: "origin_forbidden", title: "Origin not allowed" }),
)
