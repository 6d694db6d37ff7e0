/** The line to the outside: places calls and carries what is said on them. One port; which carriers there are is Carriers'. */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { AccountSlug } from "../../domain/Account.ts"
import { type CallId, Outcome } from "../../domain/Call.ts"
import type { Carrier, PhoneNumber } from "../../domain/PhoneNumber.ts"

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

/** The carrier's word that nobody will speak. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  outcome: Outcome,
  /** The SIP answer, or the like: evidence, shown to nobody who dials. */
  detail: Schema.String,
}) {
  override get message() {
    return `The carrier says ${this.outcome}: ${this.detail}`
  }
}

/** How the other side went away: it hung up, or the line broke. */
export type Gone = "hung_up" | "lost"

export type Heard =
  | { readonly _tag: "Utterance"; readonly text: string; readonly started_ms: number; readonly ended_ms: number }
  /** The tone after which a machine records. */
  | { readonly _tag: "Beep" }
  | { readonly _tag: "Silence" }
  | { readonly _tag: "Gone"; readonly how: Gone }

export interface Said {
  /** What the other side heard of it: whole words. */
  readonly heard: string
  readonly started_ms: number
  readonly ended_ms: number
  /** The other side began to speak, and the rest was not said. */
  readonly interrupted: boolean
  readonly gone: Gone | null
}

/** A call that was answered. All of its times are milliseconds of phone time since the answer. */
export interface Line {
  /** Seconds of phone time that pass in one second: 1 everywhere but in the lab (`LAB_SPEED`). */
  readonly speed: number
  readonly elapsed: Effect.Effect<number>
  /** The next thing from the other side; `Silence` when nothing has begun after `patience` milliseconds. */
  readonly hear: (patience: number) => Effect.Effect<Heard>
  /** Speaks, and returns when the last word was heard or the other side cut it short. */
  readonly say: (text: string, options: { readonly interruptible: boolean }) => Effect.Effect<Said>
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
>()("calls/telephony/Telephony") {}
