/** A call that the other side begins, as the carrier or the page that brings it describes it. */
import type { Effect, Schema, Scope } from "effect"
import type * as AgentKit from "../../catalog/AgentKit.ts"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import type { CallId, EndReason } from "../../domain/Call.ts"
import type { E164 } from "../../domain/E164.ts"
import type { Line, Refused } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"

/** A call that was admitted, as its line has to know it. */
export interface Arrived {
  readonly account: AccountEntry
  readonly call_id: CallId
  /** `first_message` is still a template. */
  readonly agent: AgentKit.AgentKit["agent"]
  /** Run when the caller hears that it rings. */
  readonly ringing: Effect.Effect<void>
  /** Completes only while this process owns the call. */
  readonly confirmOwnership: Effect.Effect<void>
}

export interface Arrival {
  readonly agent_id: string
  readonly variables: Schema.JsonObject
  /** The first message; null means the agent's own. */
  readonly greeting: string | null
  /** A visitor who types is not asked "Are you still there?": the page knows when the visitor leaves. */
  readonly written: boolean
  /** Null: a visitor of a page. */
  readonly phone: {
    /** The number that was called, as its carrier needs it. */
    readonly number: PhoneNumberRow
    /** Null: the caller hides it. */
    readonly from_number: E164 | null
  } | null
  /**
   * Answers. Closing the scope hangs up. Refused if the caller has given up, or no sound can be agreed on. It is interrupted
   * when the call ends before it was answered.
   */
  readonly line: (arrived: Arrived) => Effect.Effect<Line, Refused, Scope.Scope>
  /** Called once, when the end is decided and being written. */
  readonly ended: (reason: EndReason) => void
}
