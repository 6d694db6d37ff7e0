/** Makes words of what is heard. Without a provider there is none, and nobody can be called from a page. */
import { Context, Option, Schema, type Effect, type Scope, type Stream } from "effect"
import type { Recogniser } from "./Ear.ts"

export class SttFailed extends Schema.TaggedError<SttFailed>()("SttFailed", { reason: Schema.String }) {
  override get message() {
    return `Not understood: ${this.reason}`
  }
}

/** One stretch of speech. */
export interface Transcript {
  /** Empty: there were no words in it. Null: the recogniser failed, twice. */
  readonly text: string | null
  readonly started_ms: number
  readonly ended_ms: number
}

export interface Listening extends Recogniser {
  /** In the order in which they were spoken. */
  readonly results: Stream.Stream<Transcript>
}

export interface SttOptions {
  /** A BCP 47 tag. */
  readonly language: string
}

export interface SpeechRecogniser {
  /** For one call. What it cannot take any more it drops, the oldest first: nobody waits for it. */
  readonly open: (options: SttOptions) => Effect.Effect<Listening, never, Scope.Scope>
}

export const SpeechToText = Context.Reference<Option.Option<SpeechRecogniser>>("speech/SpeechToText", {
  defaultValue: Option.none,
})
