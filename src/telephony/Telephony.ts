/**
 * The line to the outside: places calls and carries what is said on them. One port; Carriers lists the carriers behind
 * it.
 */
import { Context, Data, Effect, type Schema, type Scope } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import type { Model, Voice } from "../domain/Agent.ts"
import type { AnsweredBy } from "../domain/AnsweredBy.ts"
import type { CallId, Outcome } from "../domain/Call.ts"
import type { Carrier, PhoneNumber } from "../domain/PhoneNumber.ts"
import type { SoundFigures } from "../domain/SoundFigures.ts"
import type { Music } from "../speech/HoldMusic.ts"
import type { Position } from "../speech/Playout.ts"
import type { Listening } from "../speech/SpeechToText.ts"
import type { VoiceDetector } from "../speech/detection/VoiceDetector.ts"
import type { Manners } from "./Manners.ts"
import type { ModelVoice } from "./ModelVoice.ts"
import type { SoundPatch } from "./SoundPatch.ts"
import type { TappableSound } from "./SoundTap.ts"

/** A call as its carrier knows it. */
interface CarrierCall {
  readonly account: AccountSlug
  /** The carrier's idempotency key and call reference. */
  readonly call_id: CallId
  readonly to: string
  readonly from: string
  readonly carrier: Carrier
  readonly carrier_config: Schema.JsonObject
  /** The hard limit on the talk, for carriers that enforce one themselves. */
  readonly max_call_seconds: number
}

export interface DialRequest extends CarrierCall {
  /** The language of the talk, as a BCP 47 tag. */
  readonly language: string
  /** The agent's voice, for carriers on which it speaks with a voice of this installation. */
  readonly voice: Voice
  /**
   * The agent's model; left out if nothing but fixed sentences is said. A voice model takes the place of the recogniser
   * and the voice.
   */
  readonly model?: Model
  /** The carrier listens for a machine's tone: there is a message to leave. */
  readonly wants_beep: boolean
  /**
   * Run right before the carrier is told to call: completes only if the database says that this process owns the call.
   */
  readonly confirmForDialling: Effect.Effect<void>
  /** Run before every later command to the carrier, for the same reason. */
  readonly confirmOwnership: Effect.Effect<void>
}

/** A call whose end its carrier has not confirmed. */
export interface UnconfirmedCall extends CarrierCall {
  /** When it was intended. */
  readonly started_at: Date
}

/** The carrier's final report. */
export interface FinalReport {
  readonly outcome: Outcome
  readonly answered_at: Date | null
}

/**
 * The carrier refused or could not connect the call. Many calls end like this: it is an outcome, and collects no
 * stack.
 */
export class Refused extends Data.TaggedClass("Refused")<{
  readonly outcome: Outcome
  /** The SIP answer or the like: evidence, not shown to clients. */
  readonly detail: string
  /** What the network said before the refusal. It decides the outcome, whatever the carrier reports later. */
  readonly answered_by?: AnsweredBy
}> {}

/** Refuses a call that this installation or its carrier could not place. */
export const refuseAsCarrierError = (detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ outcome: "carrier_error", detail }))

/** How the other side went away: it hung up, or the line broke. */
export type Gone = "hung_up" | "lost"

/** The line's events, in the order in which they happened. Times are milliseconds of phone time since the answer. */
export type LineEvent =
  /**
   * A sound of the other side that is loud and long enough to be a voice. Lines that hear only whole utterances leave
   * it out.
   */
  | { readonly _tag: "SpeechStarted"; readonly at: number }
  /** The words recognised so far. */
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "SpeechEnded"; readonly at: number }
  /** A final utterance. It ends the speech that it belongs to. */
  | { readonly _tag: "Utterance"; readonly text: string; readonly started_ms: number; readonly ended_ms: number }
  /** Speech that could not be recognised. */
  | { readonly _tag: "Misheard" }
  /** The tone after which a machine records. `said`: the carrier's word for it, if the carrier heard it. */
  | { readonly _tag: "Beep"; readonly said?: string }
  /** A fax machine's tone, or the three tones before an announcement of the network. */
  | { readonly _tag: "Tone"; readonly tone: "fax" | "sit" }
  /** The other side has heard the last sound of this piece. */
  | { readonly _tag: "Played"; readonly piece: number; readonly started_ms: number; readonly ended_ms: number }
  /**
   * The first packet of this piece was sent. `audio_ms`: when the voice made its first sound. Lines that carry no sound
   * leave it out.
   */
  | { readonly _tag: "Voiced"; readonly piece: number; readonly audio_ms: number; readonly frame_ms: number }
  /** Held in the middle of its sound, the line is silent from this moment on. */
  | { readonly _tag: "Silenced"; readonly at: number }
  /** The other side pressed a key: one of `0-9*#A-D`. It may be part of a card's number: never log or show it. */
  | { readonly _tag: "Key"; readonly digit: string }
  /** The other side has put the call on hold: it hears nothing that is said, until it is back. */
  | { readonly _tag: "PeerHeld" }
  | { readonly _tag: "PeerBack" }
  | { readonly _tag: "Gone"; readonly how: Gone }

/** Words that are spoken in one breath. */
export interface Piece {
  /** Its number in this call. */
  readonly id: number
  readonly text: string
  /** The other side may talk over it. */
  readonly interruptible: boolean
  /** A voice model makes its sound, which has this id; the text is what is known of its words. */
  readonly sound?: string
}

/** The line's own clock, and the piece that is being heard: only the line knows how much of it was. */
export interface Moment {
  readonly at: number
  readonly playing: Position | null
}

/** An answered call. Nothing here waits for the other side: results arrive as events. */
/** What a person's words are recognised with. */
export interface PersonHearing {
  readonly listening: Listening
  readonly detector: VoiceDetector
}

export interface Line {
  /** Seconds of phone time that pass in one second: 1 everywhere but in the lab (`LAB_SPEED`). */
  readonly speed: number
  readonly manners: Manners
  /** Null if the sound does not pass through this process, or there is none. */
  readonly sound: TappableSound | null
  /** All events up to the returned moment have been delivered before it returns. */
  readonly moment: Effect.Effect<Moment>
  /** Attaches the one listener. It is called at once for every event and must not wait. */
  readonly attach: (listener: (event: LineEvent) => void) => Effect.Effect<void>
  /** Speaks, after the pieces before it. */
  readonly play: (piece: Piece) => Effect.Effect<void>
  /** The agent has finished for now. A line that carries sound may ignore it. */
  readonly yield: Effect.Effect<void>
  /** Falls silent, in the middle of a word if need be, and keeps the rest. */
  readonly hold: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Falls silent and drops the rest: it is neither heard nor reported any more. */
  readonly cut: Effect.Effect<void>
  readonly sendDigits: (digits: string) => Effect.Effect<void>
  /** From the next piece on; left out by lines without recogniser and voice. */
  readonly changeSpeech?: (speech: { readonly language: string; readonly voice: Voice }) => Effect.Effect<void>
  /** On lines with sound whose agent has a voice model. */
  readonly modelVoice?: ModelVoice
  /** Transfers the other side to `target`; false if that failed and the call goes on. */
  readonly transfer: (target: string) => Effect.Effect<boolean>
  /** Keys that the other side presses are reported. */
  readonly hearsKeys?: boolean
  /** Music from now on, whenever no voice is heard, until null; on lines that carry sound. */
  readonly accompany?: (music: Music | null) => Effect.Effect<void>
  /** Connects its sound with another line. Present on lines whose sound Parley carries. */
  readonly patch?: SoundPatch
  /** Opens another recogniser in the language of the talk, for a person who talks on it in the agent's place. */
  readonly listen?: (rate: number) => Effect.Effect<PersonHearing, never, Scope.Scope>
  /** How good the sound was until now, on lines that count its packets. */
  readonly quality?: () => SoundFigures
}

/** Places one call. Closing the scope hangs it up or stops its ringing, however the call ends. */
export type Dial = (
  request: DialRequest,
  /** Run when the carrier reports that the phone rings. */
  ringing: Effect.Effect<void>,
) => Effect.Effect<Line, Refused, Scope.Scope>

export class Telephony extends Context.Service<
  Telephony,
  {
    readonly dials: (carrier: Carrier) => boolean
    /** Why no call can be placed from the number; null if one can. */
    readonly obstacleOf: (number: Pick<PhoneNumber, "carrier" | "carrier_config">) => string | null
    readonly dial: Dial
    /** Whether its calls go on when the process that placed them is gone. */
    readonly outlives: (carrier: Carrier) => boolean
    /**
     * Ends a call that may still live at its carrier, and waits for its final report: bounded in time, and safe to
     * repeat.
     */
    readonly close: (call: UnconfirmedCall) => Effect.Effect<FinalReport>
  }
>()("telephony/Telephony") {}
