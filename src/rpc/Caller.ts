/**
 * One request as the router sees it. The edge of HTTP supplies authentication, permissions and the form of refusals.
 */
import type { Cause, Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Exports } from "../archive/Exports.ts"
import type { Calls } from "../calls/Calls.ts"
import type { CampaignControl } from "../campaigns/CampaignControl.ts"
import type { CampaignEvents } from "../campaigns/CampaignEvents.ts"
import type { Preflight } from "../campaigns/Preflight.ts"
import type { CatalogSettings } from "../catalog/CatalogSettings.ts"
import type { RulePacks } from "../catalog/RulePacks.ts"
import type { CurrentPrincipal, Permission } from "../domain/Principal.ts"
import type { create as createWebhook } from "../events/Webhooks.ts"
import type { Erasure } from "../erasure/Erasure.ts"
import type { Authenticator } from "../identity/Authentication.ts"
import type { DevelopmentLogin } from "../identity/DevelopmentLogin.ts"
import type { Memberships } from "../identity/Memberships.ts"
import type { preview } from "../rehearsal/Rehearsal.ts"
import type { ScenarioRuns } from "../rehearsal/ScenarioRuns.ts"
import type { NumberCheck } from "../telephony/NumberCheck.ts"
import type { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import type { Provisioning } from "../tenancy/Provisioning.ts"
import type { InboundNumbers } from "../tenancy/InboundNumbers.ts"
import type { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import type { Problem } from "./Problem.ts"

/** The rooms' services that procedures ask for. */
export type Rooms =
  | Exclude<Effect.Services<ReturnType<typeof preview | typeof createWebhook>>, CallerServices>
  | AccountDirectory
  | Authenticator
  | CampaignControl
  | CampaignEvents
  | Calls
  | CatalogSettings
  | DevelopmentLogin
  | Erasure
  | Exports
  | InboundNumbers
  | Memberships
  | NumberCheck
  | Preflight
  | Provisioning
  | RulePacks
  | ScenarioRuns
  | TenantDatabases

/** The services of a procedure: the caller's account, and its database. */
export type CallerServices = CurrentPrincipal | CurrentTenant | SqlClient.SqlClient

/** The permission that a procedure asks for; `none` needs no credential, `administrator` a platform administrator. */
export type RequiredPermission = Permission | "none" | "administrator"

/** The requested work, in the caller's account. */
export type ProcedureWork<A = unknown> = Effect.Effect<A, unknown, Rooms | CallerServices>

export interface Caller {
  readonly request_id: string
  /** A fault of the request itself. A permitted caller gets it instead of an answer. */
  readonly fault: { readonly message: string } | undefined
  readonly context: Context.Context<Rooms>
  /** The text after `Bearer `, for a procedure without an account. */
  readonly bearer: Effect.Effect<string, unknown>
  /** Fails unless the token is valid, and its holder a member of the account, if one is named. */
  readonly prove: Effect.Effect<unknown, unknown>
  /** Runs `doing` for a permitted caller: account, token, membership and role are checked first, in this order. */
  readonly enter: <A>(needs: RequiredPermission, doing: ProcedureWork<A>) => Effect.Effect<A, unknown, Rooms>
  /** Runs `doing` once for an `Idempotency-Key`: the same key with the same input gets the first answer again. */
  readonly once: (operation: string, input: unknown, doing: ProcedureWork) => ProcedureWork
  /** Runs a procedure and writes its entry in the audit log, if it has one. */
  readonly audit: (procedure: string, input: unknown, doing: ProcedureWork) => ProcedureWork
  /** The problem that REST would answer. An internal failure is logged. */
  readonly problemOf: (cause: Cause.Cause<unknown>) => Effect.Effect<Problem>
}
