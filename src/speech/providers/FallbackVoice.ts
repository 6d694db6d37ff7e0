/**
 * One voice made of several providers: the agent's own provider first, then the others in the installation's order. If
 * a provider fails before any sound of a text was spoken, the text goes to the next one. A provider that failed twice
 * in a row is asked last.
 */
import { Effect, Stream } from "effect"
import { speakAt } from "../AtRate.ts"
import { type SpeechSynthesiser, TtsFailed, type TtsOptions } from "../TextToSpeech.ts"
import { Health } from "./Health.ts"

/** The usual rates of lines. Sound is resampled from a provider that makes others. */
const rates = [24_000, 16_000, 8_000] as const

const silent = new TtsFailed({ reason: "it made no sound", isRefused: true })

interface Speaker {
  readonly synthesiser: SpeechSynthesiser
  readonly health: Health
}

/** Providers by their names, in the order in which they are asked. */
export const make = (providers: ReadonlyMap<string, SpeechSynthesiser>): SpeechSynthesiser => {
  const speakers = Array.from(providers, ([name, synthesiser]): Speaker => ({
    synthesiser,
    health: new Health("tts", name),
  }))
  return {
    rates,
    speak: (text, options) =>
      Stream.unwrap(
        Effect.map(Health.order(preferring(speakers, options.voice.provider)), (ordered) =>
          speak(ordered, text, options),
        ),
      ),
  }
}

/** The speakers with the agent's own provider first. */
const preferring = (speakers: ReadonlyArray<Speaker>, own: string) =>
  speakers.toSorted((a, b) => Number(b.health.name === own) - Number(a.health.name === own))

const speak = (
  [speaker, ...others]: ReadonlyArray<Speaker>,
  text: string,
  options: TtsOptions,
): Stream.Stream<Int16Array, TtsFailed> => {
  if (speaker === undefined) return Stream.empty
  const { health, synthesiser } = speaker
  const [next] = others
  let isHeard = false
  return speakAt(synthesiser, text, options).pipe(
    Stream.map((samples) => {
      isHeard ||= samples.length > 0
      return samples
    }),
    // Without this check a text without sound would count as spoken.
    Stream.concat(Stream.fromEffectDrain(Effect.suspend(() => (isHeard ? health.succeed : Effect.fail(silent))))),
    Stream.catch((failed) =>
      Stream.unwrap(
        Effect.gen(function* () {
          yield* health.fail(failed.reason, failed.isRefused)
          // The next voice would start again at the first word.
          if (isHeard || next === undefined) return Stream.fail(failed)
          yield* health.giveWay(next.health)
          return speak(others, text, options)
        }),
      ),
    ),
  )
}
