/**
 * The port to the telephone network: places calls and carries what is said on them. `Carriers` lists the carriers
 * behind it.
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
   * The agent's model; left out if the line says only fixed sentences. A voice model takes the place of the recogniser
   * and the voice.
   */
  readonly model?: Model
  /** Whether the carrier listens for the tone of a voicemail, because the agent wants to leave a message. */
  readonly wants_beep: boolean
  /** Runs right before the order to call. Completes only if the database says that this process owns the call. */
  readonly confirmForDialling: Effect.Effect<void>
  /** Runs before every later command to the carrier, for the same reason. */
  readonly confirmOwnership: Effect.Effect<void>
  /** Runs before the call is hung up. False: another process goes on with it. */
  readonly mayHangUp: Effect.Effect<boolean>
}

/** What is known of an answered call that the process before has left. */
export interface LeftTalk {
  readonly answered_at: Date
  /** The other side's words up to this moment are in the call's record. */
  readonly heard_until: Date
  /** The number of this installation in the call. */
  readonly own_number: string
}

/** A call whose end its carrier has not confirmed. */
export interface UnconfirmedCall extends CarrierCall {
  /** When the row of the call was written. */
  readonly started_at: Date
}

/** The carrier's final report. */
export interface FinalReport {
  readonly outcome: Outcome
  readonly answered_at: Date | null
  /** How long the call lasted from its answer, as the carrier counts it; absent if it does not say. */
  readonly duration_seconds?: number | null
}

/**
 * The carrier refused the call or could not connect it. This is an ordinary outcome of a call, so it collects no stack.
 */
export class Refused extends Data.TaggedClass("Refused")<{
  readonly outcome: Outcome
  /** The SIP answer or the like: evidence, not shown to clients. */
  readonly detail: string
  /**
   * What the network announced before the refusal. It decides the outcome and overrides the carrier's later reports.
   */
  readonly answered_by?: AnsweredBy
}> {}

/** Fails with `carrier_error`: this installation or its carrier could not place the call. */
export const refuseAsCarrierError = (detail: string): Effect.Effect<never, Refused> =>
  Effect.fail(new Refused({ outcome: "carrier_error", detail }))

/** How the call ended: the other side hung up, or the line broke. */
export type Gone = "hung_up" | "lost"

/** The line's events, in the order in which they happened. Times are milliseconds of phone time since the answer. */
export type LineEvent =
  /**
   * The other side makes a sound that is loud and long enough for a voice. Lines that hear only whole utterances never
   * send this event.
   */
  | { readonly _tag: "SpeechStarted"; readonly at: number }
  /** The words recognised so far. */
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "SpeechEnded"; readonly at: number }
  /** The final words of an utterance. They end its speech. */
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
   * The line sent the first frame of this piece at `frame_ms`. `audio_ms`: when the voice had made the piece's first
   * sound. Lines that carry no sound never send this event.
   */
  | { readonly _tag: "Voiced"; readonly piece: number; readonly audio_ms: number; readonly frame_ms: number }
  /** The line was held while it was sending sound. The other side hears silence from this moment on. */
  | { readonly _tag: "Silenced"; readonly at: number }
  /** The other side pressed a key: one of `0-9*#A-D`. It may be part of a card's number: never log or show it. */
  | { readonly _tag: "Key"; readonly digit: string }
  /** The other side has put the call on hold. It hears nothing until `PeerBack`. */
  | { readonly _tag: "PeerHeld" }
  | { readonly _tag: "PeerBack" }
  /** `hears`: the words of speech from before follow, and then `HeardOut`. */
  | { readonly _tag: "Gone"; readonly how: Gone; readonly hears?: true }
  | { readonly _tag: "HeardOut" }

/** Words that the line speaks without a pause. */
export interface Piece {
  /** Its number in this call. */
  readonly id: number
  readonly text: string
  /** The other side may talk over it. */
  readonly interruptible: boolean
  /** The id of the sound that a voice model makes for this piece. `text` then has the words known so far. */
  readonly sound?: string
}

/** The time on the line's own clock, and how much of the current piece the other side has heard. */
export interface Moment {
  readonly at: number
  readonly playing: Position | null
}

/** The recogniser and the voice detector of a person who talks on a line. */
export interface PersonHearing {
  readonly listening: Listening
  readonly detector: VoiceDetector
}

/** An answered call. No operation waits for the other side: its results arrive as events. */
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
  /** Queues a piece to be spoken. */
  readonly play: (piece: Piece) => Effect.Effect<void>
  /** Says that the agent has finished for now. A line that carries sound may ignore it. */
  readonly yield: Effect.Effect<void>
  /** Stops speaking, even within a word, and keeps the rest for `resume`. */
  readonly hold: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Stops speaking and drops the rest, which is then neither heard nor reported. */
  readonly cut: Effect.Effect<void>
  readonly sendDigits: (digits: string) => Effect.Effect<void>
  /** Applies from the next piece on. Lines without a recogniser and a voice leave it out. */
  readonly changeSpeech?: (speech: { readonly language: string; readonly voice: Voice }) => Effect.Effect<void>
  /** Present on lines with sound whose agent has a voice model. */
  readonly modelVoice?: ModelVoice
  /** Whether another process can rejoin the call if this one leaves it (`Telephony.rejoin`). */
  readonly canBeLeft?: boolean
  /** Transfers the other side to `target`; false if that failed and the call goes on. */
  readonly transfer: (target: string) => Effect.Effect<boolean>
  /** Whether the line reports keys that the other side presses. */
  readonly hearsKeys?: boolean
  /** Plays music whenever no voice is heard; null ends it. Present on lines that carry sound. */
  readonly accompany?: (music: Music | null) => Effect.Effect<void>
  /** Connects the line's sound with another line. Present on lines whose sound Parley carries. */
  readonly patch?: SoundPatch
  /** Opens another recogniser in the language of the talk, for a person who talks in the agent's place. */
  readonly listen?: (rate: number) => Effect.Effect<PersonHearing, never, Scope.Scope>
  /** Returns how good the sound was until now. Present on lines that count packets. */
  readonly quality?: () => SoundFigures
}

/** Places one call. Closing the scope hangs it up or stops its ringing, however the call ends. */
export type Dial = (
  request: DialRequest,
  /** Runs when the carrier reports that the phone rings. */
  ringing: Effect.Effect<void>,
) => Effect.Effect<Line, Refused, Scope.Scope>

export class Telephony extends Context.Service<
  Telephony,
  {
    readonly dials: (carrier: Carrier) => boolean
    /** Why no call can be placed from the number; null if one can. */
    readonly obstacleOf: (number: Pick<PhoneNumber, "carrier" | "carrier_config">) => string | null
    readonly dial: Dial
    /** Whether the carrier's calls go on when the process that placed them has died. */
    readonly outlives: (carrier: Carrier) => boolean
    /** Whether another process can rejoin the carrier's answered calls. */
    readonly rejoins: (carrier: Carrier) => boolean
    /**
     * Rejoins an answered call that its process has left. The times of the line count from the answer. Null if that is
     * impossible, or if the call is over. Closing the scope hangs up.
     */
    readonly rejoin: (request: DialRequest, left: LeftTalk) => Effect.Effect<Line | null, never, Scope.Scope>
    /**
     * Ends a call that may still live at its carrier, and waits for its final report: bounded in time, and safe to
     * repeat.
     */
    readonly close: (call: UnconfirmedCall) => Effect.Effect<FinalReport>
  }
>()("telephony/Telephony") {}
