/**
 * Hands calls over to people (warm transfers). The second call goes out over the same number, takes a slot and has its
 * own row. It is conducted, ended and recovered like every call; only its talk differs.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import type { PhoneNumberRow } from "../../catalog/PhoneNumbers.ts"
import { InstallationPrices } from "../../catalog/PriceFile.ts"
import { Node } from "../../cluster/Node.ts"
import type { HandOver, HandOverOrder } from "../../conversation/Conversation.ts"
import * as Mailbox from "../../conversation/Mailbox.ts"
import {
  endOf,
  type HandoverEvent,
  type HandoverFailure,
  type HandoverState,
  isOver,
  move,
} from "../../domain/Handover.ts"
import { EventSignals } from "../../events/EventSignals.ts"
import { join } from "../../telephony/SoundPatch.ts"
import type { Line, LineEvent } from "../../telephony/Telephony.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { CallOnLine } from "../ledger/Intent.ts"
import * as CallSession from "./CallSession.ts"
import * as HandoverLeg from "./HandoverLeg.ts"
import * as HandoverTalk from "./HandoverTalk.ts"
import { InAccount } from "./InAccount.ts"
import type { LiveCall } from "./LiveCall.ts"
import { LiveCalls } from "./LiveCalls.ts"
import * as OutboundCall from "./OutboundCall.ts"
import { WaitingMusic } from "./WaitingMusic.ts"

/** The call to hand over. */
export interface HandedCall {
  readonly tenant: AccountEntry
  readonly call: CallOnLine
  readonly kit: CallSession.Session["kit"]
  readonly number: PhoneNumberRow
}

export class Handovers extends Context.Service<
  Handovers,
  {
    /** Returns the warm transfer of this call on this line; undefined if it can only be transferred blindly. */
    readonly from: (handed: HandedCall, line: Line) => HandOver | undefined
  }
>()("calls/live/Handovers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const conduct = yield* OutboundCall.make
      const events = yield* EventSignals
      const inAccount = yield* InAccount
      const live = yield* LiveCalls
      const music = yield* WaitingMusic
      const node = yield* Node
      const prices = yield* InstallationPrices

      /** Writes the row of the second call and begins to conduct it, or returns why there is no second call. */
      const begin = Effect.fnUntraced(function* (handed: HandedCall, target: string, talk: OutboundCall.Run) {
        const { kit, number, tenant } = handed
        const leg = yield* inAccount(tenant)(
          Effect.orDie(Effect.flatMap(node.enter, (owner) => HandoverLeg.intend(owner, prices, handed, target))),
        )
        if (typeof leg === "string") {
          const why = { account: tenant.account.slug, call: handed.call.id, why: leg }
          yield* Effect.annotateLogs(Effect.logInfo("a warm transfer was refused"), why)
          return leg
        }
        const entry = yield* live.add(tenant, leg.id, leg.started_at.getTime())
        yield* events.written(tenant.account.slug)
        entry.fiber = live.start(conduct(leg, entry, { kit, number }, talk))
        return entry
      }, Effect.uninterruptible)

      const handOver =
        (handed: HandedCall, line: Line): HandOver =>
        ({ bridged, music: isWanted, target, ...order }) => {
          const handover = new Handover()
          const accompany = line.accompany ?? (() => Effect.void)
          const silence = accompany(null)
          const talk: OutboundCall.Run = (session) =>
            CallSession.hangingUp(converse(session, line, handover, order)).pipe(
              Effect.ensuring(Effect.sync(() => handover.apply("refused"))),
            )
          return Effect.acquireUseRelease(
            begin(handed, target, talk),
            (entry) =>
              typeof entry === "string"
                ? Effect.succeed(entry)
                : accompany(isWanted ? music : null).pipe(
                    Effect.andThen(follow(handover, entry, Effect.andThen(silence, bridged))),
                    Effect.ensuring(silence),
                  ),
            (entry) =>
              Effect.suspend(() => {
                if (typeof entry === "string") return Effect.void
                // If the caller is gone, there is no reason left for the second call. Does nothing after its end.
                handover.apply("caller_gone")
                return Deferred.succeed(entry.hangUp, undefined)
              }),
          )
        }

      return {
        from: (handed, line) => {
          // The announcement needs a voice of the installation: a voice model cannot speak it.
          const hasVoice = line.modelVoice?.isReplaceable !== false
          return line.patch !== undefined && hasVoice ? handOver(handed, line) : undefined
        },
      }
    }),
  )
}

/** Returns null after the two have talked, or the reason why they have not. */
const follow = Effect.fnUntraced(function* (handover: Handover, { over }: LiveCall, bridged: Effect.Effect<void>) {
  // The second call may end before its talk begins, and while the two talk.
  const gone = Deferred.await(over)
  const state = yield* Effect.raceFirst(handover.decided, Effect.as(gone, "abandoned" as const))
  if (state !== "bridged") return failureOf(state)
  yield* bridged
  yield* Effect.raceFirst(handover.over, gone)
  return null
})

const failureOf = (state: HandoverState): HandoverFailure =>
  state === "not_answered" || state === "not_taken" || state === "machine" ? state : "failed"

/** The state of one warm transfer, which the caller's fiber and the second call's fiber share. */
class Handover {
  readonly #decided = Deferred.makeUnsafe<HandoverState>()
  readonly #over = Deferred.makeUnsafe<void>()
  #state: HandoverState = "dialling"
  /** Completes when the person has taken the call, or when it is certain that the person will not. */
  readonly decided = Deferred.await(this.#decided)
  /** Completes when the transfer has ended. */
  readonly over = Deferred.await(this.#over)

  /** Moves the state by an event and returns the new state. */
  apply(event: HandoverEvent): HandoverState {
    this.#state = move(this.#state, event)
    if (this.#state === "bridged" || isOver(this.#state)) {
      Deferred.doneUnsafe(this.#decided, Effect.succeed(this.#state))
    }
    if (isOver(this.#state)) Deferred.doneUnsafe(this.#over, Effect.void)
    return this.#state
  }
}

/** What the second call needs from the first. */
type Briefing = Pick<HandOverOrder, "reason" | "is_recorded" | "said">

/** Conducts the second call from dialling to its end. */
const converse = Effect.fnUntraced(function* (
  session: CallSession.Session,
  caller: Line,
  handover: Handover,
  order: Briefing,
) {
  const { record } = session
  record.is_transfer = true
  const dialled = yield* CallSession.dial(session, false)
  if (dialled._tag === "Ended") {
    const state = handover.apply("refused")
    const end: CallSession.CallEnd = state === "abandoned" ? { ...dialled.end, end_reason: "not_taken" } : dialled.end
    return end
  }
  const { line } = dialled
  handover.apply("answered")
  yield* talkTo(session, line, caller, handover, order).pipe(
    Effect.raceFirst(
      Effect.andThen(
        Deferred.await(session.hangUp),
        Effect.sync(() => void handover.apply("target_gone")),
      ),
    ),
    Effect.ensuring(
      Effect.map(line.moment, ({ at }) => {
        record.talked_ms = at
        record.sound = line.quality?.() ?? null
      }),
    ),
  )
  return endOf(handover.apply("target_gone"))
})

/** Announces the call. If the person takes it, connects the two until one of them is gone. */
const talkTo = Effect.fnUntraced(function* (
  { kit, record }: CallSession.Session,
  line: Line,
  caller: Line,
  handover: Handover,
  { is_recorded, reason, said }: Briefing,
) {
  const events = yield* Mailbox.make<LineEvent>()
  yield* line.attach(events.post)
  const text = HandoverTalk.announcementOf(kit.agent.language, reason, is_recorded)
  const decided = yield* HandoverTalk.announce(line, events, text, record)
  const { patch } = line
  if (decided !== "taken" || patch === undefined || caller.patch === undefined) {
    return void handover.apply(decided === "taken" ? "declined" : decided)
  }
  yield* line.cut
  yield* caller.cut
  const { patch: patchOfCaller } = caller
  // Each line has its own clock. Converts the second line's times to the caller's.
  const later = (yield* caller.moment).at - (yield* line.moment).at
  const hear = ({ ended_ms, started_ms, text }: HandoverTalk.Utterance) =>
    said({ text, started_ms: Math.max(0, started_ms + later), ended_ms: Math.max(0, ended_ms + later) })
  yield* Effect.acquireUseRelease(
    Effect.sync(() => join(patch, patchOfCaller, is_recorded)),
    () => {
      handover.apply("taken")
      return HandoverTalk.awaitGone(events, hear)
    },
    (separate) => Effect.sync(separate),
  )
})
