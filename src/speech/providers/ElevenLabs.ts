/** ElevenLabs' voices: streams the samples of a text over HTTP, at the line's own rate. */
import { Config, Effect, Option, Redacted } from "effect"
import type { SpeechSynthesiser, TtsOptions } from "../TextToSpeech.ts"
import { connect, streamSamples } from "./SpeechHttp.ts"

const settings = Config.all({
  key: Config.option(Config.Redacted("ELEVENLABS_API_KEY")),
  url: Config.URL("ELEVENLABS_BASE_URL").pipe(Config.withDefault(new URL("https://api.elevenlabs.io"))),
  model: Config.NonEmptyString("ELEVENLABS_MODEL").pipe(Config.withDefault("eleven_flash_v2_5")),
  voice: Config.NonEmptyString("ELEVENLABS_VOICE").pipe(Config.withDefault("JBFqnCBsd6RMkjVDRZzb")),
})

/**
 * The provider's name. An agent whose voice names it gets its own voice id; all others get the installation's voice.
 */
export const name = "elevenlabs"
const rates = [24_000, 16_000, 8_000] as const
/** Other speeds are refused by the server. */
const slowest = 0.7
const fastest = 1.2

/** Makes the voice, if there is a key. */
export const make = Effect.gen(function* () {
  const { key, model, url, voice: own } = yield* settings
  if (Option.isNone(key)) return Option.none()
  const server = yield* connect(url.href, { "xi-api-key": Redacted.value(key.value) })
  const pathOf = ({ rate, voice }: TtsOptions) => {
    const id = encodeURIComponent(voice.provider === name ? voice.id : own)
    return `/v1/text-to-speech/${id}/stream?output_format=pcm_${rate}`
  }
  const requestOf = (text: string, { voice }: TtsOptions) => ({
    text,
    model_id: model,
    ...(voice.speed === 1 ? {} : { voice_settings: { speed: Math.max(slowest, Math.min(fastest, voice.speed)) } }),
  })
  const synthesiser: SpeechSynthesiser = {
    rates,
    speak: (text, options) => streamSamples(server, pathOf(options), requestOf(text, options)),
  }
  return Option.some(synthesiser)
})
