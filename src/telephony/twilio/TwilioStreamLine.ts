/**
 * The talk on a Twilio call over its media stream, with the voices and the recogniser of this installation. A stream
 * can neither transfer the call nor carry keys, so Twilio gets instructions for these. Each instruction ends the
 * stream, and a new one follows if the call goes on.
 */
import { Effect } from "effect"
import { tellBeside } from "../rest/CallReports.ts"
import type { ExpectedStream } from "../stream/ExpectedStream.ts"
import * as SoundLine from "../SoundLine.ts"
import type { Line } from "../Telephony.ts"
import * as TwilioInstructions from "./TwilioInstructions.ts"
import type { InstructedCall } from "./TwilioInstructions.ts"
import { beepIn } from "./TwilioMachine.ts"
import { waitingKind } from "./TwilioUrls.ts"
import * as Twiml from "./Twiml.ts"

/** How long the agent waits for a first word before it speaks, in milliseconds. */
const first_word_ms = 1_200
/** Milliseconds that Twilio has to open a stream after an instruction, and that it takes at most to play a key. */
const joinsWithinMs = 10_000
const keyMs = 500

interface StreamedCall extends InstructedCall {
  readonly equipment: SoundLine.SoundEquipment
  readonly expected: ExpectedStream
  readonly stream_url: string
}

export const make = Effect.fnUntraced(function* (call: StreamedCall) {
  const { beginning, equipment, expected, feed, request, stream_url } = call
  const { account, language, max_call_seconds, model, voice } = request
  const { path } = expected
  const scope = yield* Effect.scope
  const options = { account, path, language, voice, model, first_word_ms, meetsMachines: true, onlooker: null }
  const line = yield* SoundLine.make(equipment, options)
  const instruct = TwilioInstructions.make(call)

  /** Instructs Twilio to play the keys and then open a new stream. The call is lost if no stream comes. */
  const reopen = Effect.fnUntraced(function* (digits: string) {
    path.expectEnd()
    const token = expected.issueToken(digits.length * keyMs + joinsWithinMs)
    const told = instruct({
      kind: "c",
      patience: digits.length * keyMs + joinsWithinMs,
      twiml: (next) => Twiml.stream({ url: stream_url, token, digits }, next),
    })
    const ending = yield* Effect.raceFirst(Effect.as(expected.joined.await, undefined), told)
    if (ending === undefined) return
    // Twilio did not take the instruction, so the old stream goes on.
    if (path.isConnected) return path.expectStay()
    path.leave(ending !== null && "gone" in ending ? ending.gone : "lost")
  })

  const transferred: Line = {
    ...line,
    // Another session of a voice model would not know the conversation.
    canBeLeft: line.modelVoice === undefined,
    attach: (listener) =>
      Effect.andThen(
        line.attach(listener),
        Effect.forkIn(tellBeside(feed, path, beepIn, beginning.heard_until, listener), scope),
      ),
    sendDigits: (digits) => {
      const playable = Twiml.playable(digits)
      return playable === "" ? Effect.void : reopen(playable)
    },
    // A transferred call stays live and keeps its slot while the two talk, because Twilio counts it too.
    transfer: Effect.fnUntraced(function* (target) {
      path.expectEnd()
      const ending = yield* instruct({
        kind: waitingKind,
        patience: max_call_seconds * 1_000,
        twiml: (next) => Twiml.dial(target, next),
      })
      if (path.isConnected) path.expectStay()
      else if (ending !== null && ("gone" in ending || ending.passed.text === "completed")) return true
      else yield* reopen("")
      return false
    }),
  }
  return transferred
})
