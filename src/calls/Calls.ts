/**
 * The door of the room: places, conducts and ends calls. A campaign writes its intents in its own transaction
 * (`readUsage`, `intend`) and hands them over after the commit (`conduct`).
 */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Node } from "../cluster/Node.ts"
import type { AccountSlug } from "../domain/Account.ts"
import type { Call, CallId, DoNotCall, NewCall, TranscriptEntry } from "../domain/Call.ts"
import type { CapReached } from "../domain/Cap.ts"
import type { NumberPaceReached } from "../domain/NumberPace.ts"
import type { Carrier } from "../domain/PhoneNumber.ts"
import type { Invalid, InvalidState, NotFound, UnknownReference } from "../domain/Refusals.ts"
import { Telephony } from "../telephony/Telephony.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { DirectCalls } from "./DirectCalls.ts"
import * as CallLog from "./ledger/CallLog.ts"
import { CallWriter } from "./ledger/CallWriter.ts"
import type { IntendedCall, Intent } from "./ledger/Intent.ts"
import { CallRecovery } from "./live/CallRecovery.ts"
import { HangUps } from "./live/HangUps.ts"
import { InAccount } from "./live/InAccount.ts"
import { LastWords } from "./live/LastWords.ts"
import { LiveCalls } from "./live/LiveCalls.ts"
import * as LiveWords from "./live/LiveWords.ts"
import { OutboundCalls } from "./live/OutboundCalls.ts"
import { Ownership } from "./live/Ownership.ts"
import * as RecoverySweep from "./live/RecoverySweep.ts"
import { type Arrival, Arrivals } from "./visitors/Arrivals.ts"

export { readUsage } from "./ledger/Admission.ts"
export { AfterCall, type EndedCall, type LockedCampaign, type LockedCampaigns } from "./ledger/AfterCall.ts"
export type { IntendedCall, Intent } from "./ledger/Intent.ts"
export { Node } from "../cluster/Node.ts"
export { recordCallsFrom, numberPaceOf } from "./ledger/NumberPace.ts"

/** The account and its database: what the fiber of a request or a campaign has. */
type InTenant = CurrentTenant | SqlClient.SqlClient

export class Calls extends Context.Service<
  Calls,
  {
    /** Whether this build can speak to the carrier; a campaign over another one ends with `carrier_rejected`. */
    readonly dials: (carrier: Carrier) => boolean
    /**
     * Writes the intents as `queued`, in their order, inside the caller's transaction under the budget's lock, within what `readUsage` leaves. A
     * number or contact that has a live call is a `UniqueViolation` for the whole batch: leave those out before.
     */
    readonly intend: (
      intents: ReadonlyArray<Intent>,
    ) => Effect.Effect<ReadonlyArray<IntendedCall>, SqlError.SqlError, SqlClient.SqlClient>
    /** Takes calls just committed to their carrier, each a fiber in this service's scope. Returns at once. */
    readonly conduct: (tenant: AccountEntry, calls: ReadonlyArray<IntendedCall>) => Effect.Effect<void>
    /**
     * A direct call: caps, do-not-call list, its number's pace and intent in one transaction, the carrier after its
     * commit. It waits some seconds for its moment when its number may not begin another call yet.
     */
    readonly place: (
      request: NewCall,
    ) => Effect.Effect<
      Call,
      CapReached | NumberPaceReached | DoNotCall | UnknownReference | InvalidState | Invalid,
      InTenant
    >
    /** A conversation that came to us, over a line that stands: it has a row and a slot as any other call. */
    readonly receive: (arrival: Arrival) => Effect.Effect<CallId, CapReached | UnknownReference, InTenant>
    /** Ends a live call and gives it back as it ended. */
    readonly hangUp: (id: string) => Effect.Effect<Call, NotFound | InvalidState, InTenant>
    /**
     * Takes over what processes that are gone left live, and says how many. A carrier whose calls live on is asked, and
     * ends them. The outcome of any other is what its row proves (`CallRecovery.outcomeOfLost`).
     */
    readonly recover: Effect.Effect<number, never, InTenant>
    /** Live calls of this process, until their end is written: a drain waits for them. */
    readonly active: Effect.Effect<number>
    /** What was said so far on a live call of this process; undefined when it is none, or nobody talks yet. */
    readonly transcript: (account: AccountSlug, id: CallId) => ReadonlyArray<TranscriptEntry> | undefined
  }
>()("calls/Calls") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const node = yield* Node
      const telephony = yield* Telephony
      const live = yield* LiveCalls
      const { conduct } = yield* OutboundCalls
      const { place } = yield* DirectCalls
      const { receive } = yield* Arrivals
      const { hangUp } = yield* HangUps
      const { recover } = yield* CallRecovery
      return {
        dials: telephony.dials,
        intend: (intents) => CallLog.intend(node.id, intents),
        conduct,
        place,
        receive,
        hangUp,
        recover,
        active: Effect.sync(() => live.all.size),
        transcript: (account, id) => {
          const call = live.all.get(id)
          return call?.tenant.account.slug === account ? call.record?.transcript : undefined
        },
      }
    }),
  ).pipe(
    Layer.provide([DirectCalls.layer, Arrivals.layer, HangUps.layer, RecoverySweep.layer, LiveWords.layer]),
    Layer.provide([OutboundCalls.layer, CallRecovery.layer]),
    Layer.provide([Ownership.layer, LastWords.layer]),
    // Closed before its writer: a process that stops interrupts its calls, and their ends are then written.
    Layer.provide(LiveCalls.layer),
    Layer.provide([CallWriter.layer, InAccount.layer]),
  )
}
