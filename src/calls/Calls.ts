/**
 * The door of the room: places, conducts and ends calls. A campaign writes its intents in its own transaction
 * (`readUsage`, `intend`) and hands them over after the commit (`conduct`).
 */
import { Context, Effect, Layer } from "effect"
import { OutcomeReader } from "../brain/outcome/OutcomeReader.ts"
import { Links } from "../cluster/Links.ts"
import { Node } from "../cluster/Node.ts"
import type { CallRecord } from "../conversation/CallRecord.ts"
import type { AccountSlug } from "../domain/Account.ts"
import type { CallId, TranscriptEntry } from "../domain/Call.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { DirectCalls } from "./DirectCalls.ts"
import * as ExtractionWorker from "./extraction/ExtractionWorker.ts"
import * as CallLog from "./ledger/CallLog.ts"
import { CallWriter } from "./ledger/CallWriter.ts"
import type { Intent } from "./ledger/Intent.ts"
import { Arrivals } from "./live/Arrivals.ts"
import { CallRecovery } from "./live/CallRecovery.ts"
import { HandOuts } from "./live/HandOuts.ts"
import { Handovers } from "./live/Handovers.ts"
import { HangUps } from "./live/HangUps.ts"
import { InAccount } from "./live/InAccount.ts"
import { FinalReports } from "./live/FinalReports.ts"
import { Listeners } from "./live/Listeners.ts"
import { LeftCalls } from "./live/LeftCalls.ts"
import * as LiveCall from "./live/LiveCall.ts"
import { LiveCalls } from "./live/LiveCalls.ts"
import * as LiveWords from "./live/LiveWords.ts"
import * as OfferIntake from "./live/OfferIntake.ts"
import { OutboundCalls } from "./live/OutboundCalls.ts"
import { Ownership } from "./live/Ownership.ts"
import { PeerLoads } from "./live/PeerLoads.ts"
import { Takeovers } from "./live/Takeovers.ts"
import { Whispers } from "./live/Whispers.ts"
import { RecordingPauses } from "./live/RecordingPauses.ts"
import * as RecoverySweep from "./live/RecoverySweep.ts"
import { ToolRequests } from "./requests/ToolRequests.ts"
import { WaitingMusic } from "./live/WaitingMusic.ts"

export type { LiveSound } from "./live/LiveSound.ts"
export type { Arrived } from "./live/Arrival.ts"
export type { Claim } from "./live/PeerLoads.ts"
export { readUsage } from "./ledger/Admission.ts"
export { AfterCall, type EndedCall, type LockedCampaign, type LockedCampaigns } from "./ledger/AfterCall.ts"
export type { IntendedCall, Intent } from "./ledger/Intent.ts"
export { recordCallsFrom, numberPaceOf, paceAt, type PacedNumber } from "./ledger/NumberPace.ts"
export { costAtMost, mostAt } from "./ledger/Reservation.ts"

export class Calls extends Context.Service<
  Calls,
  {
    /** Whether this build supports the carrier. A campaign over an unsupported carrier ends with `carrier_rejected`. */
    readonly dials: Telephony["Service"]["dials"]
    /**
     * Writes the intents as `queued`, in order, inside the caller's transaction under the budget's lock, within the
     * limits of `readUsage`. A number or contact that is in a live call makes the whole batch a `UniqueViolation`, so
     * the caller leaves those out.
     */
    readonly intend: (
      intents: ReadonlyArray<Intent>,
    ) => Effect.Effect<
      Effect.Success<ReturnType<typeof CallLog.intend>>,
      Effect.Error<ReturnType<typeof CallLog.intend>>,
      Effect.Services<ReturnType<typeof CallLog.intend>> | CurrentTenant
    >
    /** Runs a dial pass with a claim on the room that all processes have for new calls. */
    readonly withClaim: PeerLoads["Service"]["withClaim"]
    /**
     * Divides calls of `intend` among the processes, which conduct them after the commit. Runs in the transaction of
     * `intend`.
     */
    readonly handOut: HandOuts["Service"]["handOut"]
    /** Logs that campaigns wait because every process is full. */
    readonly reportFull: HandOuts["Service"]["reportFull"]
    /** Begins to conduct calls that were just committed, each in a fiber of this service's scope. Returns at once. */
    readonly conduct: OutboundCalls["Service"]["conduct"]
    /**
     * Places a direct call. One transaction checks the caps, the do-not-call list, the rules and consent that the
     * request asks for, and the number's pace, and writes the intent; the carrier is asked after the commit. If the
     * number may not begin another call yet, this waits for some seconds.
     */
    readonly place: DirectCalls["Service"]["place"]
    /**
     * Admits a call that the other side began, by telephone or from a page: it gets a row and a slot like any other
     * call. Its line is answered after the commit.
     */
    readonly receive: Arrivals["Service"]["receive"]
    /** Takes over a conversation in writing that this process does not conduct, and begins to conduct it. */
    readonly takeOverChat: Arrivals["Service"]["takeOver"]
    /** Gives up this process's calls among `ids`: another process will go on with them, and this one ends none. */
    readonly giveUp: (ids: ReadonlyArray<CallId>) => Effect.Effect<void>
    /** Gives up the calls with which another process can go on, if there is another one, and returns their count. */
    readonly leave: Effect.Effect<number>
    /** Ends a session's conversations in writing at other processes, without waiting for their ends. */
    readonly endChatsElsewhere: HangUps["Service"]["endChatsElsewhere"]
    /** Ends a live call and returns it as it ended. */
    readonly hangUp: HangUps["Service"]["hangUp"]
    /** Pauses or resumes the recording of a live call, and returns the call. */
    readonly setRecordingPaused: RecordingPauses["Service"]["setPaused"]
    /** Tells the agent of a live call what to do in its next reply, and returns the call. */
    readonly whisper: Whispers["Service"]["whisper"]
    /** Lets the current principal talk on a live call in the agent's place, over a socket. */
    readonly takeOver: Takeovers["Service"]["begin"]
    /** Connects the socket of a take-over until the scope closes. Null: the token is unknown or expired. */
    readonly joinTakeover: Takeovers["Service"]["join"]
    /** Lets the current principal hear a live call until the scope closes. */
    readonly listen: Listeners["Service"]["listen"]
    /**
     * Takes over the live calls of dead processes and returns their count. If the carrier's calls outlive the process,
     * the carrier is asked to end them; for other calls the rows decide the outcome (`CallRecovery.outcomeOfLost`).
     */
    readonly recover: CallRecovery["Service"]["recover"]
    /**
     * Live calls of this process, until their end is written, and those that it has offered to others: a drain waits for
     * them.
     */
    readonly active: Effect.Effect<number>
    /**
     * The transcript so far of a live call of this process. Undefined if this process has no such call or nothing was
     * said yet.
     */
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
      const { handOut, open, reportFull } = yield* HandOuts
      const { withClaim } = yield* PeerLoads
      const { place } = yield* DirectCalls
      const { receive, takeOver: takeOverChat } = yield* Arrivals
      const { endChatsElsewhere, hangUp } = yield* HangUps
      const { setPaused: setRecordingPaused } = yield* RecordingPauses
      const { listen } = yield* Listeners
      const { whisper } = yield* Whispers
      const { begin: takeOver, join: joinTakeover } = yield* Takeovers
      const { recover } = yield* CallRecovery
      return {
        dials: telephony.dials,
        intend: (intents) => Effect.flatMap(node.enter, (owner) => CallLog.intend(owner, intents)),
        withClaim,
        handOut,
        reportFull,
        conduct,
        place,
        receive,
        takeOverChat,
        giveUp: (ids) =>
          Effect.sync(() => {
            for (const id of ids) {
              const call = live.all.get(id)
              if (call !== undefined) LiveCall.giveUp(call)
            }
          }),
        leave: Effect.gen(function* () {
          const left = [...live.all.values()].filter(({ record }) => record !== undefined && canBeLeft(record))
          if (left.length === 0 || !(yield* hasOthers(node))) return 0
          for (const call of left) LiveCall.giveUp(call)
          return left.length
        }),
        endChatsElsewhere,
        hangUp,
        setRecordingPaused,
        listen,
        whisper,
        takeOver,
        joinTakeover,
        recover,
        active: Effect.sync(() => live.all.size + open()),
        transcript: (account, id) => {
          const call = live.all.get(id)
          return call?.tenant.account.slug === account ? call.record?.transcript : undefined
        },
      }
    }),
  ).pipe(
    Layer.provide([
      DirectCalls.layer,
      Arrivals.layer,
      HangUps.layer,
      RecordingPauses.layer,
      Listeners.layer,
      Whispers.layer,
      Takeovers.layer,
      RecoverySweep.layer,
      LiveWords.layer,
      OfferIntake.layer,
      HandOuts.layer,
    ]),
    Layer.provide([CallRecovery.layer.pipe(Layer.provide(LeftCalls.layer)), Links.layer]),
    Layer.provide([OutboundCalls.layer, PeerLoads.layer]),
    Layer.provide(Handovers.layer.pipe(Layer.provide(WaitingMusic.layer))),
    Layer.provide([Ownership.layer, FinalReports.layer]),
    // Closed before its writer: a stopping process first interrupts its calls, and their ends are then written.
    Layer.provide(LiveCalls.layer),
    // A stopping process first ends its calls, and then waits for the requests of their tools.
    Layer.provide([CallWriter.layer, ToolRequests.layer]),
    Layer.provide(ExtractionWorker.layer.pipe(Layer.provide(OutcomeReader.layer))),
    Layer.provide(InAccount.layer),
  )
}

/** False if the platform's database does not answer: a process that stops does not wait for it. */
const hasOthers = (node: Node["Service"]) =>
  node.hasOthers.pipe(
    Effect.timeout("2 seconds"),
    Effect.catchCause(() => Effect.succeed(false)),
  )

/** A recording has one part, and two connected lines belong to one process: such calls end with this process. */
const canBeLeft = ({ is_bridged, is_transfer, line, recording }: CallRecord) =>
  line?.canBeLeft === true && recording === null && !is_bridged && !is_transfer
