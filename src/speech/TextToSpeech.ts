/** Speaks a text. Without a provider there is no voice. */
import { Context, Option, Schema, type Stream } from "effect"
import type { Voice } from "../domain/Agent.ts"

export class TtsFailed extends Schema.TaggedError<TtsFailed>()("TtsFailed", {
  reason: Schema.String,
  /** The provider works, and refused this text or this agent's voice: other agents can rely on it. */
  isRefused: Schema.optionalKey(Schema.Boolean),
}) {
  override get message() {
    return `Not spoken: ${this.reason}`
  }
}

export interface TtsOptions {
  readonly voice: Voice
  /** The language of the text, as a BCP 47 tag. */
  readonly language: string
  /** Samples a second of the sound: one of the synthesiser's `rates`. */
  readonly rate: number
}

export interface SpeechSynthesiser {
  /** The rates that it speaks at, in samples a second, its preferred one first. */
  readonly rates: readonly [number, ...ReadonlyArray<number>]
  /** Samples, as they are made; ending the stream stops the work. */
  readonly speak: (text: string, options: TtsOptions) => Stream.Stream<Int16Array, TtsFailed>
}

export const TextToSpeech = Context.Reference<Option.Option<SpeechSynthesiser>>("speech/TextToSpeech", {
  defaultValue: Option.none,
})
