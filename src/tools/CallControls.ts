/**
 * A tool's effects on the call in which it is invoked. Without a call (an invocation or a preview over HTTP) there is
 * none.
 */
import { Effect, type Schema } from "effect"
import type { Voice } from "../domain/Agent.ts"

/** What the caller is to press. */
export interface DigitsWanted {
  readonly min: number
  readonly max: number
  /** Null: no key ends it. */
  readonly finish_on_key: string | null
  /** Milliseconds since the last key, or the last word of either side. */
  readonly timeout_ms: number
}

export interface WarmTransfer {
  /** What the caller needs. */
  readonly reason: string
  /** The caller hears music until the person has taken the call. */
  readonly music: boolean
}

export interface CallControls {
  /** The call ends once the agent has finished its sentence. */
  readonly end: (reason: string) => Effect.Effect<void>
  /** The other side is handed over once the agent has finished its sentence. `warm`: to a person who takes the call. */
  readonly transfer: (target: string, warm: WarmTransfer | null) => Effect.Effect<void>
  readonly sendDigits: (digits: string) => Effect.Effect<void>
  /** Begins to collect digits, to be kept under this name; false if the line has no keys. The call completes the result. */
  readonly collectDigits: (name: string, wanted: DigitsWanted) => Effect.Effect<boolean>
  /** Left instead of the first message, should a machine have answered. */
  readonly leaveVoicemail: (message: string | null) => Effect.Effect<void>
  /** Pauses or resumes the recording; false if the call is not recorded. */
  readonly pauseRecording: (isPaused: boolean) => Effect.Effect<boolean>
  /** From now on the agent hears and speaks this language, with these parts of a voice in place of its own. */
  readonly switchLanguage: (language: string, voice: Partial<Voice>) => Effect.Effect<void>
  /** Replaces the fields of the call's `result` that were recorded before. */
  readonly recordOutcome: (fields: Schema.JsonObject) => Effect.Effect<void>
  /** Beside them, as `callback`. */
  readonly noteCallback: (callback: Schema.JsonObject) => Effect.Effect<void>
  /** The called person wants no further call. */
  readonly optOut: Effect.Effect<void>
}

export const none: CallControls = {
  end: () => Effect.void,
  transfer: () => Effect.void,
  sendDigits: () => Effect.void,
  collectDigits: () => Effect.succeed(false),
  leaveVoicemail: () => Effect.void,
  pauseRecording: () => Effect.succeed(false),
  switchLanguage: () => Effect.void,
  recordOutcome: () => Effect.void,
  noteCallback: () => Effect.void,
  optOut: Effect.void,
}
