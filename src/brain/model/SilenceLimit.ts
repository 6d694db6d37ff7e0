/**
 * The abort signal of a request to a model. It fires when the model is silent for too long, and at the end of the
 * scope.
 */
import { Clock, Effect } from "effect"

/**
 * One error shared by all requests: each of them is aborted with it at the end of its scope, and nothing reads its
 * message.
 */
const over = new Error("the question is over")

/** `firstMs`: real milliseconds until the first sign of the model. Nothing is aborted before `watch` runs. */
export const make = Effect.fnUntraced(function* (firstMs: number) {
  const clock = yield* Clock.Clock
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort(over)),
  )
  let patience = firstMs
  let since = clock.currentTimeMillisUnsafe()
  return {
    signal: abort.signal,
    /** The model gave a sign; the next one has to come within `limit` milliseconds. */
    noteSign: (limit: number): void => {
      patience = limit
      since = clock.currentTimeMillisUnsafe()
    },
    watch: Effect.gen(function* () {
      while (true) {
        const left = since + patience - clock.currentTimeMillisUnsafe()
        if (left <= 0) return abort.abort(new Error("it took too long"))
        yield* Effect.sleep(left)
      }
    }),
  }
})
