/**
 * The door of the room: places calls, hangs them up, and owns the scope in which every call's fiber lives. A campaign
 * writes its intents in its own transaction (`admit`, `intend`) and hands them over after the commit (`conduct`).
 */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AccountSlug } from "../domain/Account.ts"
import type { AgentId } from "../domain/Agent.ts"
import type { Call, CallId, DoNotCall, EndReason, NewCall, Outcome } from "../domain/Call.ts"
import type { CapReached } from "../domain/Cap.ts"
import type { Carrier, PhoneNumberId } from "../domain/PhoneNumber.ts"
import type { Invalid, InvalidState, NotFound, UnknownReference } from "../domain/Refusals.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import type { Tenant } from "../tenancy/TenantDatabases.ts"

export { admit } from "./Admission.ts"

/** The intent to dial: all that is decided before a word to the carrier. */
export interface Intent {
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly phone_number_id: PhoneNumberId
  readonly to_number: string
  readonly from_number: string
  /** The contact's custom fields and `campaign: {name}`; `phone_number` and `now` the call adds by itself. */
  readonly variables: Readonly<Record<string, unknown>>
  /** All four null for a direct call. */
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly attempt_number: number | null
  /** Why it was allowed: rule, caps, window. */
  readonly decision: Readonly<Record<string, unknown>> | null
}

/** An intent as it stands in the database, `queued`; its id is the carrier's idempotency key. */
export interface IntendedCall extends Intent {
  readonly id: CallId
  readonly started_at: Date
}

export interface EndedCall {
  readonly id: CallId
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly attempt_number: number | null
  readonly to_number: string | null
  readonly outcome: Outcome
  readonly end_reason: EndReason
  readonly ended_at: Date
  /** A person was reached, or a voicemail took the agent's message: the contact needs no further attempt. */
  readonly accepted: boolean
}

/** What follows from ended calls in the same transaction: campaigns settle their contacts here. */
export class AfterCall extends Context.Service<
  AfterCall,
  {
    /** Inside the transaction that writes the ends. Rows are locked in the order budget, campaign, calls, contacts. */
    readonly settle: (ended: ReadonlyArray<EndedCall>) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
    /** After its commit: wakes who waits for slots. */
    readonly settled: (account: AccountSlug, ended: ReadonlyArray<EndedCall>) => Effect.Effect<void>
  }
>()("calls/AfterCall") {
  static readonly layerNone = Layer.succeed(this, { settle: () => Effect.void, settled: () => Effect.void })
}

export class Calls extends Context.Service<
  Calls,
  {
    /** Whether this build can speak to the carrier; a campaign over another one ends with `carrier_rejected`. */
    readonly dials: (carrier: Carrier) => boolean
    /**
     * Writes the intents as `queued`, in their order, inside the caller's transaction and after `admit` in it. A
     * number or contact that has a live call is a `UniqueViolation` for the whole batch: leave those out before.
     */
    readonly intend: (
      intents: ReadonlyArray<Intent>,
    ) => Effect.Effect<ReadonlyArray<IntendedCall>, SqlError.SqlError, SqlClient.SqlClient>
    /** Takes calls just committed to their carrier, each a fiber in this service's scope. Returns at once. */
    readonly conduct: (tenant: AccountEntry, calls: ReadonlyArray<IntendedCall>) => Effect.Effect<void>
    /** A direct call: caps, do-not-call list and intent in one transaction, the carrier after its commit. */
    readonly place: (
      request: NewCall,
    ) => Effect.Effect<Call, CapReached | DoNotCall | UnknownReference | InvalidState | Invalid, Tenant>
    /** Ends a live call and gives it back as it ended. */
    readonly hangUp: (id: string) => Effect.Effect<Call, NotFound | InvalidState, Tenant>
    /**
     * Settles what processes that are gone left live, and says how many: without a word of the carrier the outcome is
     * `unknown`; answered ones stay `answered`.
     */
    readonly recover: Effect.Effect<number, never, Tenant>
    /** Live calls of this process: a drain waits for them. */
    readonly active: Effect.Effect<number>
  }
>()("calls/Calls") {}
