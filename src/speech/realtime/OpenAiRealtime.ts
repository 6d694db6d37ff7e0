/** OpenAI's Realtime API as the installation's voice model. Present if the environment has the key. */
import { Config, Effect, Layer, Option, Redacted } from "effect"
import { ModelPrices, soundCostOf } from "../../domain/ModelPrice.ts"
import { type ModelUsage, VoiceModel, type VoiceModelOptions, voiceModelProvider } from "../VoiceModel.ts"
import * as ProviderSocket from "../ProviderSocket.ts"
import * as RealtimeSession from "./RealtimeSession.ts"
import type { ReportedUsage } from "./ServerEvents.ts"

const settings = Config.all({
  key: Config.option(Config.Redacted("OPENAI_API_KEY")),
  url: Config.schema(ProviderSocket.SocketUrl, "OPENAI_REALTIME_URL").pipe(
    Config.withDefault(new URL("wss://api.openai.com/v1/realtime")),
  ),
  voice: Config.NonEmptyString("OPENAI_REALTIME_VOICE").pipe(Config.withDefault("marin")),
  transcriber: Config.NonEmptyString("OPENAI_REALTIME_STT_MODEL").pipe(Config.withDefault("gpt-4o-mini-transcribe")),
  prices: Config.schema(ModelPrices, "PARLEY_MODEL_PRICES").pipe(Config.withDefault<ModelPrices>({})),
})

type Settings = Config.Success<typeof settings>

export const layer = Layer.effect(
  VoiceModel,
  Effect.map(settings, ({ key, ...own }) =>
    Option.map(key, (key) => ({
      open: (options, listener) => {
        const voiceId = options.voice.provider === voiceModelProvider ? options.voice.id : own.voice
        const server = serverOf(own, Redacted.value(key), options)
        return RealtimeSession.open(server, RealtimeSession.settingsOf(options, voiceId), options, listener)
      },
    })),
  ),
)

const serverOf = (
  { prices, transcriber, url }: Omit<Settings, "key">,
  key: string,
  { model }: VoiceModelOptions,
): RealtimeSession.Server => {
  const address = new URL(url)
  address.searchParams.set("model", model)
  return {
    address,
    headers: { authorization: `Bearer ${key}` },
    transcriber,
    usageOf: counter(prices, model),
    hearingOf: counter(prices, transcriber),
  }
}

const counter =
  (prices: ModelPrices, id: string) =>
  (usage: ReportedUsage): ModelUsage => {
    const {
      input_token_details: read = {},
      output_token_details: made = {},
      input_tokens = 0,
      output_tokens = 0,
    } = usage
    const model = `${voiceModelProvider}/${id}`
    const tokens = {
      tokens_in: input_tokens,
      tokens_out: output_tokens,
      cached: read.cached_tokens ?? 0,
      cached_audio: read.cached_tokens_details?.audio_tokens ?? 0,
      audio_in: read.audio_tokens ?? 0,
      audio_out: made.audio_tokens ?? 0,
    }
    return { model, tokens_in: input_tokens, tokens_out: output_tokens, cost: soundCostOf(prices, model, tokens) }
  }
