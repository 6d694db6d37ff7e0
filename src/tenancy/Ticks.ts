/**
 * Synchronous work on many items, spread over ticks of the event loop: after two milliseconds of it, timers, sockets
 * and other fibers go first.
 */
import { Effect } from "effect"

/** Milliseconds. A single item may take longer; a tenant's item is at most what one request may write. */
const tickMs = 2

export const forEach = <A>(items: Iterable<A>, work: (item: A) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    const iterator = items[Symbol.iterator]()
    const tick = (): Effect.Effect<void> => {
      const began = performance.now()
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        work(next.value)
        if (performance.now() - began >= tickMs) return Effect.flatMap(Effect.yieldNow, tick)
      }
      return Effect.void
    }
    return tick()
  })

export const map = <A, B>(items: Iterable<A>, toResult: (item: A) => B): Effect.Effect<Array<B>> =>
  Effect.suspend(() => {
    const results: Array<B> = []
    return Effect.as(
      forEach(items, (item) => void results.push(toResult(item))),
      results,
    )
  })
