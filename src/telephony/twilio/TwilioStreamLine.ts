/**
 * The talk on a Twilio call over its media stream, with the voices and the recogniser of this installation. What a stream
 * cannot do, Twilio is told to do: a transfer, and keys. Each ends the stream, and a new one follows if the call goes on.
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
/** Milliseconds in which a stream follows an instruction to open one; a key takes half a second at most. */
const joinsWithinMs = 10_000
const keyMs = 500

interface StreamedCall extends InstructedCall {
  readonly equipment: SoundLine.SoundEquipment
  readonly expected: ExpectedStream
  readonly stream_url: string
}

export const make = Effect.fnUntraced(function* (call: StreamedCall) {
  const { equipment, expected, feed, request, stream_url } = call
  const { account, language, max_call_seconds, model, voice } = request
  const { path } = expected
  const scope = yield* Effect.scope
  const options = { account, path, language, voice, model, first_word_ms, meetsMachines: true, onlooker: null }
  const line = yield* SoundLine.make(equipment, options)
  const instruct = TwilioInstructions.make(call)

  /** Has Twilio press the keys, and open a new stream then. The call is lost if none comes. */
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
    // Twilio did not take the instruction: the talk goes on where it was.
    if (path.isConnected) return path.expectStay()
    path.leave(ending !== null && "gone" in ending ? ending.gone : "lost")
  })

  const transferred: Line = {
    ...line,
    attach: (listener) =>
      Effect.andThen(line.attach(listener), Effect.forkIn(tellBeside(feed, path, beepIn, listener), scope)),
    sendDigits: (digits) => {
      const playable = Twiml.playable(digits)
      return playable === "" ? Effect.void : reopen(playable)
    },
    // The call, and its slot, live on while the two talk: the carrier counts the call too.
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
