/** The port to recognisers. Without a provider there is none, and pages cannot offer voice. */
import { Context, Option, Schema, type Effect, type Scope, type Stream } from "effect"
import type { Recogniser } from "./Ear.ts"

export class SttFailed extends Schema.TaggedError<SttFailed>()("SttFailed", {
  reason: Schema.String,
  /** Whether the provider works but refused this sound or this agent's language. Other agents can still use it. */
  isRefused: Schema.optionalKey(Schema.Boolean),
}) {
  override get message() {
    return `Not understood: ${this.reason}`
  }
}

/** The words of one stretch of speech. */
export type Transcript =
  /** All words so far. The next result of the same stretch replaces them. Some recognisers send none. */
  | { readonly final: false; readonly text: string }
  | {
      readonly final: true
      /**
       * Empty: the stretch had no words. Null: the recogniser failed twice, or refused the stretch
       * (`SttFailed.isRefused`).
       */
      readonly text: string | null
      readonly isRefused?: boolean
      readonly started_ms: number
      readonly ended_ms: number
    }

export interface Listening extends Recogniser {
  /** One final result for each finalised stretch, in the order in which they were spoken. */
  readonly results: Stream.Stream<Transcript>
}

export interface SttOptions {
  /** A BCP 47 tag. */
  readonly language: string
  /** Samples a second of the pushed frames: one of the recogniser's `rates`. */
  readonly rate: number
}

export interface SpeechRecogniser {
  /** The rates that it takes, in samples a second, its preferred one first. */
  readonly rates: readonly [number, ...ReadonlyArray<number>]
  /** Opens a recogniser for one call. It never blocks: when it cannot keep up it drops the oldest speech. */
  readonly open: (options: SttOptions) => Effect.Effect<Listening, never, Scope.Scope>
}

export const SpeechToText = Context.Reference<Option.Option<SpeechRecogniser>>("speech/SpeechToText", {
  defaultValue: Option.none,
})
