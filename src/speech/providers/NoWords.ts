/**
 * A recogniser that recognises no words, for trying the telephone out without an API key: the agent hears pressed keys
 * only.
 */
import { Effect, Queue, Stream } from "effect"
import type { SpeechRecogniser, Transcript } from "../SpeechToText.ts"

/** Used only where STT_PROVIDERS names it. */
export const name = "none"

export const recogniser: SpeechRecogniser = {
  rates: [8_000, 16_000, 24_000],
  open: () =>
    Effect.map(Queue.unbounded<Transcript>(), (results) => ({
      push: () => {},
      finalise: (started_ms, ended_ms) =>
        void Queue.offerUnsafe(results, { final: true, text: "", started_ms, ended_ms }),
      discard: () => {},
      results: Stream.fromQueue(results),
    })),
}
