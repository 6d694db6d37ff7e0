/** An incoming call or a conversation of a page, as the carrier or the page describes it. */
import type { Effect, Schema, Scope } from "effect"
import type * as AgentKit from "../../catalog/AgentKit.ts"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import type { WrittenTalk } from "../../conversation/CallRecord.ts"
import type { CallId, EndReason } from "../../domain/Call.ts"
import type { E164 } from "../../domain/E164.ts"
import type { Line, Refused } from "../../telephony/Telephony.ts"
import type { Chat } from "../../telephony/browser/Chat.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { NewChat } from "../ledger/ChatRows.ts"

/** The parts of an admitted call that its line needs. */
export interface Arrived {
  readonly account: AccountEntry
  readonly call_id: CallId
  /** The agent. Its `first_message` is still a template. */
  readonly agent: AgentKit.AgentKit["agent"]
  /** Runs when the caller hears the ringing. */
  readonly ringing: Effect.Effect<void>
  /** Completes only while this process owns the call. */
  readonly confirmOwnership: Effect.Effect<void>
  /** False: another process goes on with the call. */
  readonly mayHangUp: Effect.Effect<boolean>
}

/** A conversation in writing. It can go on in any process that the page reaches. */
export interface Written {
  readonly chat: Chat
  /** Its row; null if another process has begun the conversation, and its row exists. */
  readonly row: NewChat | null
  /** What another process wrote of it; null if it begins here. */
  readonly past: WrittenTalk | null
  /**
   * Called once, when this process no longer conducts the conversation. `moved`: it gave the conversation up. `taken`:
   * another process has it. `ended`: another process has ended it.
   */
  readonly released: (why: "moved" | "taken" | "ended") => void
}

export interface Arrival {
  readonly agent_id: string
  readonly variables: Schema.JsonObject
  /** The first message; null for the agent's own. */
  readonly greeting: string | null
  /**
   * The conversation if the visitor types; null if there is sound. The agent then never asks "Are you still there?",
   * because the page reports when the visitor leaves.
   */
  readonly written: Written | null
  /** The called number and the caller; null for a visitor of a page. */
  readonly phone: {
    /** The number that was called, as its carrier needs it. */
    readonly number: PhoneNumberRow
    /** The caller's number; null if it is hidden. */
    readonly from_number: E164 | null
  } | null
  /**
   * Answers the call. Closing the scope hangs up. Fails with `Refused` if the caller has given up or the two sides
   * share no sound format. It is interrupted if the call ends before the answer.
   */
  readonly line: (arrived: Arrived) => Effect.Effect<Line, Refused, Scope.Scope>
  /** Called once, when the end is decided and is being written. */
  readonly ended: (reason: EndReason) => void
}
