/** The speech equipment of this installation's lines: its speech providers, a voice model, or both. */
import { Effect, Option, Stream } from "effect"
import type { Model } from "../domain/Agent.ts"
import * as NoWords from "./providers/NoWords.ts"
import { type SpeechRecogniser, SpeechToText } from "./SpeechToText.ts"
import { type SpeechSynthesiser, TextToSpeech, TtsFailed } from "./TextToSpeech.ts"
import { VoiceDetection } from "./detection/VoiceDetection.ts"
import { isVoiceModel, VoiceModel, type VoiceModelProvider } from "./VoiceModel.ts"

export interface LineSpeech {
  readonly recogniser: SpeechRecogniser
  readonly synthesiser: SpeechSynthesiser
  /** Detects when the other side speaks. */
  readonly detection: VoiceDetection
  /** The voice model, for agents that use one. Null: the installation has none. */
  readonly voiceModel: VoiceModelProvider | null
  /** False: the installation has neither a recogniser nor a voice, and only a voice model can talk. */
  readonly hasProviders: boolean
}

const noVoice: SpeechSynthesiser = {
  rates: [8_000, 16_000, 24_000],
  speak: () => Stream.fail(new TtsFailed({ reason: "no voice is configured" })),
}

/** None: the installation has no speech, and calls cannot have sound. */
export const lineSpeech: Effect.Effect<Option.Option<LineSpeech>> = Effect.gen(function* () {
  const voiceModel = Option.getOrNull(yield* VoiceModel)
  const detection = yield* VoiceDetection
  const providers = Option.all({ recogniser: yield* SpeechToText, synthesiser: yield* TextToSpeech })
  if (Option.isSome(providers)) return Option.some({ ...providers.value, detection, voiceModel, hasProviders: true })
  return voiceModel === null
    ? Option.none()
    : Option.some({ recogniser: NoWords.recogniser, synthesiser: noVoice, detection, voiceModel, hasProviders: false })
})

/** Whether an agent with this model can hear and speak with this equipment. */
export const canTalk = (
  { hasProviders = true, voiceModel = null }: Partial<Pick<LineSpeech, "hasProviders" | "voiceModel">>,
  model: Model | undefined,
): boolean => hasProviders || (voiceModel !== null && model !== undefined && isVoiceModel(model))
