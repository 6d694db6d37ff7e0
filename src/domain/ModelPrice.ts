/** The cost of a model's tokens, at the prices in `PARLEY_MODEL_PRICES`. Pure. */
import { Schema } from "effect"

/** US dollars per million tokens. Models that hear and speak have separate prices for tokens of sound. */
const ModelPrice = Schema.Struct({
  input: Schema.Finite,
  output: Schema.Finite,
  cached_input: Schema.optionalKey(Schema.Finite),
  audio_input: Schema.optionalKey(Schema.Finite),
  cached_audio_input: Schema.optionalKey(Schema.Finite),
  audio_output: Schema.optionalKey(Schema.Finite),
})

/** The prices by `provider/model`. */
export const ModelPrices = Schema.fromJsonString(Schema.Record(Schema.String, ModelPrice))
export type ModelPrices = typeof ModelPrices.Type

export interface Tokens {
  readonly tokens_in: number
  readonly tokens_out: number
}

/**
 * The tokens of a model that hears and speaks, with the parts of `tokens_in` and `tokens_out` that have separate
 * prices.
 */
export interface SoundTokens extends Tokens {
  /** The number of all tokens that were read from a cache, and the number of those among them that are sound. */
  readonly cached: number
  readonly cached_audio: number
  readonly audio_in: number
  readonly audio_out: number
}

/** The cost in US dollars; 0 for a model without a price. */
export const costOf = (prices: ModelPrices, model: string, { tokens_in, tokens_out }: Tokens): number => {
  const price = prices[model]
  return price === undefined ? 0 : (tokens_in * price.input + tokens_out * price.output) / 1_000_000
}

/**
 * The cost in US dollars with tokens of sound; 0 for a model without a price. A missing price for cached tokens is that
 * of uncached tokens of the same kind; a missing price for sound is that of text.
 */
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
