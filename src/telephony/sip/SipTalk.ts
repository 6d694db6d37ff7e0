/** The talk on an answered SIP call: a line over its sound that handles the session's events. */
import { Deferred, Effect, Option, Result } from "effect"
import type { AgreedSound } from "../rtp/Sdp.ts"
import * as SoundLine from "../SoundLine.ts"
import type { DialRequest, Line } from "../Telephony.ts"
import type { CallSound } from "./CallSound.ts"
import type { Session, SessionEvent } from "./Session.ts"
import { SipPath } from "./SipPath.ts"

/** How long the peer may take to report how a transfer ended. */
const transferLimit = "30 seconds"

export interface AnsweredCall {
  readonly request: Pick<DialRequest, "account" | "language" | "voice" | "model" | "confirmOwnership">
  /** Whether we placed the call, so that a machine may have answered. */
  readonly meetsMachines: boolean
  /** After this silence the agent speaks first. */
  readonly first_word_ms: number
  readonly session: Session
  readonly sound: CallSound
  readonly equipment: SoundLine.SoundEquipment
  /** Returns the URI of a number on this trunk. */
  readonly uriOf: (number: string) => string
  /** Stores the dialog again, after it has changed. */
  readonly moved: Effect.Effect<void>
  /** Called when the peer has ended the call. */
  readonly ended: () => void
}

export const make = Effect.fnUntraced(function* (call: AnsweredCall) {
  const { equipment, first_word_ms, meetsMachines, request, session, sound, uriOf } = call
  const { account, language, confirmOwnership, model, voice } = request
  const path = new SipPath(sound.rtp, session)
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const referral = makeReferral(session, uriOf)

  const agree = (agreed: AgreedSound) => run(Effect.andThen(sound.rtp.agree(agreed), call.moved))
  const end = (how: "hung_up" | "lost") => {
    call.ended()
    // A peer that has transferred the other side ends its call with us.
    referral.end(how === "hung_up")
    path.leave(how)
  }
  const take = (event: SessionEvent): void => {
    switch (event._tag) {
      case "Offered": {
        if (event.offer === null) return event.answer(sound.offer())
        const answer = sound.answer(event.offer)
        event.answer(Result.isSuccess(answer) ? answer.success.text : null)
        if (Result.isSuccess(answer)) agree(answer.success.agreed)
        return
      }
      case "Answered": {
        const agreed = sound.accept(event.sdp)
        return Result.isSuccess(agreed) ? void agree(agreed.success) : undefined
      }
      case "Digit":
        return path.press(event.digit)
      case "TransferProgress":
        return event.status < 200 ? undefined : referral.end(event.status < 300)
      case "HungUp":
        return end("hung_up")
      case "Lost":
        return end("lost")
    }
  }

  const line: Line = yield* SoundLine.make(equipment, {
    account,
    path,
    language,
    voice,
    model,
    first_word_ms,
    meetsMachines,
    onlooker: null,
  })
  session.listen(take)
  const transfer: Line["transfer"] = (target) => Effect.andThen(confirmOwnership, referral.refer(target))
  return { ...line, transfer, quality: () => sound.rtp.quality() }
})

/** Asks the peer to call a number in our place (REFER), and waits until `end` is called with how that went. */
const makeReferral = (session: Session, uriOf: AnsweredCall["uriOf"]) => {
  let end: ((isDone: boolean) => void) | null = null
  const refer = Effect.fnUntraced(function* (target: string) {
    const done = yield* Deferred.make<boolean>()
    end = (isDone) => void Deferred.doneUnsafe(done, Effect.succeed(isDone))
    session.refer(uriOf(target), (isAccepted) => (isAccepted ? undefined : end?.(false)))
    return yield* Deferred.await(done).pipe(
      Effect.timeoutOption(transferLimit),
      Effect.map(Option.getOrElse(() => false)),
      Effect.ensuring(Effect.sync(() => void (end = null))),
    )
  })
  return { refer, end: (isDone: boolean) => end?.(isDone) }
}
