/** A recogniser of one call whose language can change while it listens. */
import { Effect, Exit, Queue, Scope, Stream } from "effect"
import { openAt } from "./AtRate.ts"
import { OwedWords } from "./OwedWords.ts"
import type { Listening, SpeechRecogniser, SttOptions, Transcript } from "./SpeechToText.ts"

export interface ChangingListening extends Listening {
  /** Recognises later frames in this language. Stretches that were already finalised still get their results. */
  readonly changeTo: (language: string) => Effect.Effect<void>
  /** Whether a result of a finalised stretch is still expected. */
  readonly isOwed: () => boolean
}

/** How long the recogniser of the previous language stays open for its last results. */
const resultsWithin = "5 seconds"

interface Opened {
  readonly listening: Listening
  readonly scope: Scope.Closeable
  readonly owed: OwedWords
}

interface Told {
  readonly result: Transcript
  readonly owed: OwedWords
}

export const openChanging = Effect.fnUntraced(function* (recogniser: SpeechRecogniser, options: SttOptions) {
  const scope = yield* Effect.scope
  const results = yield* Queue.unbounded<Told>()

  const opened = new Set<OwedWords>()
  const open = Effect.fnUntraced(function* (language: string): Effect.fn.Return<Opened> {
    const own = yield* Scope.fork(scope)
    const owed = new OwedWords()
    const listening = yield* Scope.provide(openAt(recogniser, { ...options, language }), own)
    yield* listening.results.pipe(
      Stream.runForEach((result) => Queue.offer(results, { result, owed })),
      Effect.forkIn(own, { startImmediately: true }),
    )
    opened.add(owed)
    yield* Scope.addFinalizer(
      own,
      Effect.sync(() => void opened.delete(owed)),
    )
    return { listening, scope: own, owed }
  })

  let current = yield* open(options.language)
  const changing: ChangingListening = {
    push: (frame) => current.listening.push(frame),
    finalise: (started_ms, ended_ms) => {
      current.owed.add(ended_ms)
      current.listening.finalise(started_ms, ended_ms)
    },
    discard: () => current.listening.discard(),
    // One by one: the words of a result are heard before the next one is settled.
    results: Stream.map(Stream.rechunk(Stream.fromQueue(results), 1), ({ owed, result }) => {
      if (result.final) owed.settle(result.ended_ms)
      return result
    }),
    isOwed: () => [...opened].some((owed) => !owed.isEmpty),
    changeTo: Effect.fnUntraced(function* (language) {
      const before = current
      current = yield* open(language)
      const close = Scope.close(before.scope, Exit.void)
      yield* Effect.forkIn(Effect.delay(close, resultsWithin), scope)
    }),
  }
  return changing
})
