/** Recognises and speaks at a line's rate, and resamples for a provider that works at other rates. */
import { Effect, Stream } from "effect"
import { Resampler } from "./Resampler.ts"
import type { SpeechRecogniser, SttOptions } from "./SpeechToText.ts"
import type { SpeechSynthesiser, TtsOptions } from "./TextToSpeech.ts"

/** Returns the line's rate if the provider supports it, else the provider's preferred rate. */
const rateAt = ([preferred, ...others]: SpeechRecogniser["rates"], line: number): number =>
  others.includes(line) ? line : preferred

/** Opens a recogniser that takes frames at the rate of the options. */
export const openAt = Effect.fnUntraced(function* (recogniser: SpeechRecogniser, options: SttOptions) {
  const rate = rateAt(recogniser.rates, options.rate)
  const listening = yield* recogniser.open({ ...options, rate })
  const resampler = new Resampler(options.rate, rate)
  return { ...listening, push: (frame: Int16Array) => listening.push(resampler.take(frame)) }
})

/** Speaks a text at the rate of the options. */
export const speakAt = (synthesiser: SpeechSynthesiser, text: string, options: TtsOptions) =>
  Stream.suspend(() => {
    const rate = rateAt(synthesiser.rates, options.rate)
    const resampler = new Resampler(rate, options.rate)
    let hasSound = false
    return synthesiser.speak(text, { ...options, rate }).pipe(
      Stream.map((samples) => {
        hasSound ||= samples.length > 0
        return resampler.take(samples)
      }),
      Stream.concat(Stream.suspend(() => (hasSound ? Stream.make(resampler.drain()) : Stream.empty))),
    )
  })
