/** The port to voices. Without a provider there is none. */
import { Context, Option, Schema, type Stream } from "effect"
import type { Voice } from "../domain/Agent.ts"

export class TtsFailed extends Schema.TaggedError<TtsFailed>()("TtsFailed", {
  reason: Schema.String,
  /** Whether the provider works but refused this text or this agent's voice. Other agents can still use it. */
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
  /** Streams the samples as they are made. Ending the stream stops the synthesis. */
  readonly speak: (text: string, options: TtsOptions) => Stream.Stream<Int16Array, TtsFailed>
}

export const TextToSpeech = Context.Reference<Option.Option<SpeechSynthesiser>>("speech/TextToSpeech", {
  defaultValue: Option.none,
})
