/** How fast agents answer, as metrics: counted when a call's end is written. No label names an account or a number. */
import { Effect, Metric } from "effect"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { TurnTimings } from "../../domain/TurnTimings.ts"

/** Seconds. People answer one another within 0.2 to 0.8 s; after 2.5 s a caller asks whether anyone is there. */
const boundaries = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 2.5, 5, 10]

const stages: Readonly<Record<keyof TurnTimings, string>> = {
  voice_off_ms: "voice_off",
  transcript_ms: "transcript",
  decision_ms: "decision",
  first_token_ms: "first_token",
  first_words_ms: "first_words",
  first_audio_ms: "first_audio",
  first_frame_ms: "first_frame",
  voice_to_voice_ms: "voice_to_voice",
  interruption_ms: "interruption_to_silence",
}
const names = Object.keys(stages) as ReadonlyArray<keyof TurnTimings>

const histogram = (carrier: string, stage: string) =>
  Metric.histogram("parley_talk_stage_seconds", {
    description:
      "The stages of an agent's answer on lines that carry its sound: voice_off, transcript, decision, first_token, first_words, first_audio and first_frame add up to voice_to_voice. Beside them interruption_to_silence and answer_to_first_word.",
    boundaries,
    attributes: { carrier, stage },
  })

/** Returns the function that records the timings of a call's turns. A series is created once and then looked up. */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context()
  const series = new Map<string, ReturnType<typeof histogram>>()
  const observe = (carrier: string, stage: string, ms: number) => {
    const key = `${carrier} ${stage}`
    const known = series.get(key) ?? histogram(carrier, stage)
    series.set(key, known)
    known.updateUnsafe(ms / 1_000, context)
  }
  return ({ carrier, turns }: CallRecord): Effect.Effect<void> => {
    const measured = turns.flatMap(({ timings }) => timings ?? [])
    if (carrier === null || measured.length === 0) return Effect.void
    return Effect.sync(() => {
      for (const timings of measured) {
        for (const name of names) {
          const ms = timings[name]
          if (ms !== null) observe(carrier, stages[name], ms)
        }
      }
      const first = turns.find(({ first_word_ms }) => first_word_ms !== null)?.first_word_ms
      if (first !== undefined && first !== null) observe(carrier, "answer_to_first_word", first)
      // Hundreds of calls may end in one batch, so each call is recorded in its own tick of the event loop.
    }).pipe(Effect.andThen(Effect.yieldNow))
  }
})
