/** What tokens of models cost by `PARLEY_MODEL_PRICES`. Pure. */
import { Schema } from "effect"

/** US dollars for a million tokens. Models that hear and speak have prices of their own for tokens of sound. */
const ModelPrice = Schema.Struct({
  input: Schema.Finite,
  output: Schema.Finite,
  cached_input: Schema.optionalKey(Schema.Finite),
  audio_input: Schema.optionalKey(Schema.Finite),
  cached_audio_input: Schema.optionalKey(Schema.Finite),
  audio_output: Schema.optionalKey(Schema.Finite),
})

/** By `provider/model`. */
export const ModelPrices = Schema.fromJsonString(Schema.Record(Schema.String, ModelPrice))
export type ModelPrices = typeof ModelPrices.Type

export interface Tokens {
  readonly tokens_in: number
  readonly tokens_out: number
}

/** The parts of `tokens_in` and `tokens_out` with prices of their own. */
export interface SoundTokens extends Tokens {
  /** All tokens that were read from a cache, and those of sound among them. */
  readonly cached: number
  readonly cached_audio: number
  readonly audio_in: number
  readonly audio_out: number
}

/** US dollars; 0 for a model without a price. */
export const costOf = (prices: ModelPrices, model: string, { tokens_in, tokens_out }: Tokens): number => {
  const price = prices[model]
  return price === undefined ? 0 : (tokens_in * price.input + tokens_out * price.output) / 1_000_000
}

/** The same with sound. A missing price is taken from uncached tokens of the same kind, or else from text. */
export const soundCostOf = (prices: ModelPrices, model: string, tokens: SoundTokens): number => {
  const price = prices[model]
  if (price === undefined) return 0
  const { audio_input = price.input, audio_output = price.output, cached_input = price.input } = price
  const { cached_audio_input = audio_input } = price
  const { audio_in, audio_out, cached, cached_audio, tokens_in, tokens_out } = tokens
  const cachedText = cached - cached_audio
  return (
    ((tokens_in - audio_in - cachedText) * price.input +
      cachedText * cached_input +
      (audio_in - cached_audio) * audio_input +
      cached_audio * cached_audio_input +
      (tokens_out - audio_out) * price.output +
      audio_out * audio_output) /
    1_000_000
  )
}
