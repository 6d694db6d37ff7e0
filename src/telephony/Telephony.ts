/** The line to the outside: places calls and carries what is said on them. One port; which carriers there are is Carriers'. */
import { Context, Data, type Effect, type Schema, type Scope } from "effect"
import type { AccountSlug } from "../domain/Account.ts"
import type { CallId, Outcome } from "../domain/Call.ts"
import type { Carrier, PhoneNumber } from "../domain/PhoneNumber.ts"
import type { Position } from "../speech/Playout.ts"

export interface DialRequest {
  readonly account: AccountSlug
  /** The carrier's idempotency key and call reference. */
  readonly call_id: CallId
  readonly to: string
  readonly from: string
  readonly carrier: Carrier
  readonly carrier_config: Schema.JsonObject
  /** What is spoken, as a BCP 47 tag. */
  readonly language: string
  /** The hard end of the talk, for carriers that keep one themselves. */
  readonly max_call_seconds: number
  /** A machine's tone is to be listened for: there is a message to leave. */
  readonly wants_beep: boolean
  /** Right before the carrier is told to call: goes on only if the call is this process's, by the database's word. */
  readonly dialling: Effect.Effect<void>
  /** Before every later word to it. */
  readonly mine: Effect.Effect<void>
}

/** A call whose end its carrier has not confirmed. */
export interface Left {
  readonly account: AccountSlug
  readonly call_id: CallId
  readonly to: string
  readonly from: string
  readonly carrier: Carrier
  readonly carrier_config: Schema.JsonObject
  readonly max_call_seconds: number
  /** When it was intended. */
  readonly started_at: Date
}

/** What the carrier says in the end. */
export interface LastWord {
  readonly outcome: Outcome
  readonly answered_at: Date | null
}

/** The carrier's word that nobody will speak. Every other call ends so: it is no error, and looks for no stack. */
export class Refused extends Data.TaggedClass("Refused")<{
  readonly outcome: Outcome
  /** The SIP answer, or the like: evidence, shown to nobody who dials. */
  readonly detail: string
}> {}

/** How the other side went away: it hung up, or the line broke. */
export type Gone = "hung_up" | "lost"

/** What the line tells, in the order in which it happened. Times are milliseconds of phone time since the answer. */
export type LineEvent =
  /** A sound of the other side that is loud and long enough to be a voice. Lines that hear only whole utterances leave it out. */
  | { readonly _tag: "SpeechStarted"; readonly at: number }
  /** What was recognised of it so far. */
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "SpeechEnded"; readonly at: number }
  /** What was said, for good. It ends the speech that it belongs to. */
  | { readonly _tag: "Utterance"; readonly text: string; readonly started_ms: number; readonly ended_ms: number }
  /** There were words in it, and nobody can say which. */
  | { readonly _tag: "Misheard" }
  /** The tone after which a machine records. */
  | { readonly _tag: "Beep" }
  /** The other side has heard the last sound of this piece. */
  | { readonly _tag: "Played"; readonly piece: number; readonly started_ms: number; readonly ended_ms: number }
  | { readonly _tag: "Gone"; readonly how: Gone }

/** Some words to be spoken in one breath. */
export interface Piece {
  /** Its number in this call. */
  readonly id: number
  readonly text: string
  /** The other side may talk over it. */
  readonly interruptible: boolean
}

/** The line's own clock, and what is being heard at that moment: it alone knows how much was. */
export interface Moment {
  readonly at: number
  readonly playing: Position | null
}

/** How long the other side is waited for, in milliseconds. */
export interface Manners {
  /** Before the agent speaks first. */
  readonly first_word_ms: number
  /** After the last sound of somebody who has said this. */
  readonly endpoint_ms: (text: string) => number
}

/** A call that was answered. Nothing here waits for the other side: what comes of it is an event. */
export interface Line {
  /** Seconds of phone time that pass in one second: 1 everywhere but in the lab (`LAB_SPEED`). */
  readonly speed: number
  /** In writing: who writes has said all of it, and waits for nobody to begin. */
  readonly written: boolean
  /** Of a line on which speech is heard as it is, and not as whole utterances. */
  readonly manners?: Manners
  /** Everything that has happened until then has been told before it answers. */
  readonly moment: Effect.Effect<Moment>
  /** To be called once, with what takes every event: at once, and never waiting. */
  readonly attach: (listener: (event: LineEvent) => void) => Effect.Effect<void>
  /** Speaks, after the pieces before it. */
  readonly play: (piece: Piece) => Effect.Effect<void>
  /** The agent has said all it has to say for now. A line that carries sound need not know. */
  readonly yield: Effect.Effect<void>
  /** Falls silent in the middle of a word, and keeps the rest. */
  readonly hold: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Falls silent and forgets the rest: nothing of it is heard any more, and nothing more is told of it. */
  readonly cut: Effect.Effect<void>
  readonly sendDigits: (digits: string) => Effect.Effect<void>
  /** Hands the other side over to `target`; false when that failed and the call goes on. */
  readonly transfer: (target: string) => Effect.Effect<boolean>
}

/** Places one call. It is hung up, or no longer rings, when the scope closes, however the call ends. */
export type Dial = (
  request: DialRequest,
  /** Run when the carrier says that it rings. */
  ringing: Effect.Effect<void>,
) => Effect.Effect<Line, Refused, Scope.Scope>

export class Telephony extends Context.Service<
  Telephony,
  {
    readonly dials: (carrier: Carrier) => boolean
    /** Why a number cannot be dialled from; null when it can. */
    readonly obstacleOf: (number: Pick<PhoneNumber, "carrier" | "carrier_config">) => string | null
    readonly dial: Dial
    /** Whether its calls go on when the process that placed them is gone. */
    readonly outlives: (carrier: Carrier) => boolean
    /** Ends a call that may still live at its carrier, and waits for the last word: bounded, and safe to do twice. */
    readonly close: (left: Left) => Effect.Effect<LastWord>
  }
>()("telephony/Telephony") {}
