/** A recogniser of one call whose language can change while it listens. */
import { Effect, Exit, Queue, Scope, Stream } from "effect"
import { openAt } from "./AtRate.ts"
import type { Listening, SpeechRecogniser, SttOptions, Transcript } from "./SpeechToText.ts"

export interface ChangingListening extends Listening {
  /** Recognises later frames in this language. Stretches that were already finalised still get their results. */
  readonly changeTo: (language: string) => Effect.Effect<void>
}

/** How long the recogniser of the previous language stays open for its last results. */
const resultsWithin = "5 seconds"

interface Opened {
  readonly listening: Listening
  readonly scope: Scope.Closeable
}

export const openChanging = Effect.fnUntraced(function* (recogniser: SpeechRecogniser, options: SttOptions) {
  const scope = yield* Effect.scope
  const results = yield* Queue.unbounded<Transcript>()

  const open = Effect.fnUntraced(function* (language: string): Effect.fn.Return<Opened> {
    const own = yield* Scope.fork(scope)
    const listening = yield* Scope.provide(openAt(recogniser, { ...options, language }), own)
    yield* listening.results.pipe(
      Stream.runForEach((result) => Queue.offer(results, result)),
      Effect.forkIn(own, { startImmediately: true }),
    )
    return { listening, scope: own }
  })

  let current = yield* open(options.language)
  const changing: ChangingListening = {
    push: (frame) => current.listening.push(frame),
    finalise: (started_ms, ended_ms) => current.listening.finalise(started_ms, ended_ms),
    discard: () => current.listening.discard(),
    results: Stream.fromQueue(results),
    changeTo: Effect.fnUntraced(function* (language) {
      const before = current
      current = yield* open(language)
      const close = Scope.close(before.scope, Exit.void)
      yield* Effect.forkIn(Effect.delay(close, resultsWithin), scope)
    }),
  }
  return changing
})
