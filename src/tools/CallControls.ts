/**
 * A tool's effects on the call in which it is invoked. Without a call (an invocation or a preview over HTTP) they do
 * nothing.
 */
import { Effect, type Schema } from "effect"
import type { Voice } from "../domain/Agent.ts"
import type { Disposition } from "../domain/Disposition.ts"

/** What the caller is to press. */
export interface DigitsWanted {
  readonly min: number
  readonly max: number
  /** Null: no key ends it. */
  readonly finish_on_key: string | null
  /** The collection ends this many milliseconds after the last key, or the last word of either side. */
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
  /** Transfers the call once the agent has finished its sentence. `warm`: a person is asked to take the call first. */
  readonly transfer: (target: string, warm: WarmTransfer | null) => Effect.Effect<void>
  readonly sendDigits: (digits: string) => Effect.Effect<void>
  /**
   * Begins to collect digits, which are kept under `name`; false if the line has no keys. The call completes the result
   * of the tool later.
   */
  readonly collectDigits: (name: string, wanted: DigitsWanted) => Effect.Effect<boolean>
  /** Sets the message that is left if a machine answered. Null: the first message. */
  readonly leaveVoicemail: (message: string | null) => Effect.Effect<void>
  /** Pauses or resumes the recording; false if the call is not recorded. */
  readonly pauseRecording: (isPaused: boolean) => Effect.Effect<boolean>
  /** From now on the agent hears and speaks this language, with these parts of a voice in place of its own. */
  readonly switchLanguage: (language: string, voice: Partial<Voice>) => Effect.Effect<void>
  /** Replaces the fields of the call's `result`, and the disposition, that were recorded before. */
  readonly recordOutcome: (fields: Schema.JsonObject, disposition: Disposition | null) => Effect.Effect<void>
  /** Adds the callback to the call's `result`, as `callback`. */
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
