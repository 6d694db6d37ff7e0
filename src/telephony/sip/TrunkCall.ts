/** An incoming call from a trunk: reads its parties, refuses it, or answers it with an agent. */
import { Clock, Deferred, Effect, Option, Result, type Schema, type Scope } from "effect"
import type { E164 } from "../../domain/E164.ts"
import { trunkOf } from "../../domain/SipConfig.ts"
import type { RtpSessions } from "../rtp/RtpSession.ts"
import type { AgreedSound, SdpRefused } from "../rtp/Sdp.ts"
import type { SoundEquipment } from "../SoundLine.ts"
import { type DialRequest, type Line, Refused } from "../Telephony.ts"
import { type CalledNumber, calledNumbersOf, callerOf } from "./CallParties.ts"
import { CallSound, isAnswerable, soundPeerOf } from "./CallSound.ts"
import { newId } from "./Ids.ts"
import type { IncomingCall } from "./IncomingCall.ts"
import { localAddressTo } from "./LocalAddress.ts"
import type { Field } from "./Message.ts"
import type { Session } from "./Session.ts"
import type { UserAgent } from "./Sip.ts"
import type * as SipRecord from "./SipRecord.ts"
import * as SipReports from "./SipReports.ts"
import * as SipTalk from "./SipTalk.ts"
import { uriOn } from "./TrunkUri.ts"

/** Why a call is not taken. */
export type Rejection = "unknown_number" | "no_agent" | "suspended" | "full" | "no_sound" | "overloaded"

const retryLater: ReadonlyArray<Field> = [["retry-after", "5"]]
/**
 * A full account answers 486 (busy). A 503 would tell the trunk that the whole installation is out of order, and the
 * trunk would stop calling the other accounts.
 */
const statusOf: Record<Rejection, readonly [status: number, fields: ReadonlyArray<Field>]> = {
  unknown_number: [404, []],
  no_agent: [404, []],
  suspended: [403, []],
  full: [486, []],
  overloaded: [503, retryLater],
  no_sound: [488, []],
}

/** A caller waits for the agent to speak first. The path of the sound may take a moment to open. */
const first_word_ms = 500

/** The parts of an admitted call that the answer needs. */
export interface AnswerOrder extends Pick<
  DialRequest,
  "account" | "call_id" | "carrier_config" | "language" | "voice" | "model" | "confirmOwnership"
> {
  /** Runs when the caller gets the 180. */
  readonly ringing: Effect.Effect<void>
}

export interface TrunkCall {
  /** The numbers that may have been called, the likeliest first. */
  readonly called: ReadonlyArray<CalledNumber>
  /** Returns the caller's number; null if it is hidden. `isBare`: see `CallParties`. */
  readonly caller: (isBare: boolean) => E164 | null
  /** The IP address that the call came from. */
  readonly source: string
  /** Whether the caller offers sound that a number with this configuration accepts. Needs no port. */
  readonly hasSound: (carrier_config: Schema.JsonObject) => boolean
  /** Refuses the call. Does nothing if it was already answered or refused. */
  readonly refuse: (why: Rejection) => void
  /**
   * Rings, answers, and opens the line. Closing the scope hangs up. Fails with `Refused` if the caller has given up.
   */
  readonly answer: (order: AnswerOrder) => Effect.Effect<Line, Refused, Scope.Scope>
}

export interface AnswerParts {
  readonly agent: UserAgent
  readonly equipment: SoundEquipment
  readonly sessions: RtpSessions["Service"]
  readonly isOwnNetwork: (address: string) => boolean
  readonly record: ReturnType<typeof SipRecord.make>
  readonly process: Scope.Scope
}

const gaveUp = new Refused({ outcome: "no_answer", detail: "the caller gave up" })

export const make = (call: IncomingCall, parts: AnswerParts): TrunkCall => {
  const cancelled = Deferred.makeUnsafe<never, Refused>()
  call.cancelled = () => void Deferred.doneUnsafe(cancelled, Effect.fail(gaveUp))
  return {
    called: calledNumbersOf(call.request),
    caller: (isBare) => callerOf(call.request, isBare),
    source: call.source.address,
    hasSound: (carrier_config) =>
      call.offer === null || isAnswerable(call.offer, trunkOf(carrier_config)?.srtp ?? false),
    refuse: (why) => call.refuse(...statusOf[why]),
    answer: (order) => Effect.raceFirst(answer(call, order, parts), Deferred.await(cancelled)),
  }
}

const decline = (call: IncomingCall, status: number, detail: string, fields: ReadonlyArray<Field> = []) =>
  Effect.sync(() => call.refuse(status, fields)).pipe(
    Effect.andThen(Effect.annotateLogs(Effect.logWarning("an incoming SIP call was not answered"), { why: detail })),
    Effect.andThen(Effect.fail(new Refused({ outcome: "carrier_error", detail }))),
  )

const answer = Effect.fn("Telephony.answer")(function* (call: IncomingCall, order: AnswerOrder, parts: AnswerParts) {
  const { agent, equipment, isOwnNetwork, process, record, sessions } = parts
  // Refuses a call that is still unanswered then: the agent no longer exists, or a client hung up while it rang.
  yield* Effect.addFinalizer(() => Effect.sync(() => call.refuse(480)))
  const trunk = trunkOf(order.carrier_config)
  if (trunk === null) return yield* decline(call, 480, "the number's carrier_config has no server")
  call.recognise(trunk.host)
  call.ring()
  yield* order.ringing
  const localAddress = yield* localAddressTo(soundPeerOf(call.offer, call.source.address))
  const rtp = yield* Effect.catch(sessions.open({ localAddress, isOwnNetwork }), ({ message }) =>
    decline(call, 503, message, retryLater),
  )
  const sound = new CallSound(rtp, trunk.srtp)
  const described: Result.Result<{ text: string; agreed: AgreedSound | null }, SdpRefused> =
    call.offer === null ? Result.succeed({ text: sound.offer(), agreed: null }) : sound.answer(call.offer)
  if (Result.isFailure(described)) return yield* decline(call, 488, described.failure.message)
  yield* order.confirmOwnership
  const over = yield* Deferred.make<void>()
  const sid = newId()
  const establish = Effect.gen(function* () {
    // Stored first: if this process dies after its answer, another one can hang up.
    yield* record.keep(order, sid, SipReports.placed, call)
    const session = call.answer(described.success.text, trunk.credentials)
    const final = session === null ? SipReports.refused("no_answer") : SipReports.completed
    if (session === null) Deferred.doneUnsafe(over, Effect.void)
    yield* record.conclude(order, sid, over, Effect.succeed(final))
    return session
  })
  const session = yield* Effect.acquireRelease(establish, (session) =>
    session === null ? Effect.void : agent.finish(session, over),
  )
  if (session === null) return yield* Effect.fail(gaveUp)
  // Otherwise an INVITE with a forged source would make us send half a minute of sound to the address in its offer.
  rtp.withhold(true)
  const confirmed = yield* Deferred.make<void>()
  session.onConfirmed((isConfirmed) => {
    rtp.withhold(!isConfirmed)
    Deferred.doneUnsafe(confirmed, Effect.void)
  })
  const report = SipReports.answered(new Date(yield* Clock.currentTimeMillis))
  const moved = Effect.asVoid(Effect.forkIn(record.keep(order, sid, report, session), process))
  yield* moved
  yield* rtp.agree(described.success.agreed ?? (yield* awaitAnswer(session, sound)))
  // The talk begins then: words that are played before it would not be sent, but would count as heard.
  yield* Deferred.await(confirmed)
  const ended = () => void Deferred.doneUnsafe(over, Effect.void)
  return yield* SipTalk.make({
    request: order,
    session,
    sound,
    moved,
    equipment,
    ended,
    first_word_ms,
    meetsMachines: false,
    uriOf: (number) => uriOn(trunk, number),
  })
})

/** Waits for the ACK, due within 32 seconds. It carries the caller's answer if the caller wanted our offer. */
const awaitAnswer = (session: Session, sound: CallSound) =>
  Effect.callback<AgreedSound, Refused>((resume) => {
    const fail = (detail: string) => resume(Effect.fail(new Refused({ outcome: "carrier_error", detail })))
    session.listen((event) => {
      switch (event._tag) {
        case "Answered": {
          // Later events are for the talk.
          session.listen(null)
          return Result.match(sound.accept(event.sdp), {
            onFailure: ({ message }) => fail(message),
            onSuccess: (agreed) => resume(Effect.succeed(agreed)),
          })
        }
        case "Offered":
          return event.answer(null)
        case "HungUp":
          return resume(Effect.fail(gaveUp))
        case "Lost":
          return fail("the caller never acknowledged the answer")
      }
    })
  }).pipe(
    Effect.timeoutOption("40 seconds"),
    Effect.flatMap(Option.match({ onNone: () => Effect.fail(gaveUp), onSome: Effect.succeed })),
  )
