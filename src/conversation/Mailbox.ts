/** The queue of a talk's events, in order. Plain code adds an event at once; one fiber takes them. */
import { Effect } from "effect"
import * as Patience from "../speech/Patience.ts"

/** The most events that wait. The queue reaches this length only if the conductor takes none any more. */
const capacity = 1_024

export interface Mailbox<A> {
  readonly post: (item: A) => void
  /**
   * Takes the next item. Returns null if none arrives within this many milliseconds, and `overflow` if one was
   * dropped.
   */
  readonly take: (longest: number) => Effect.Effect<A | null | "overflow">
}

export const make = Effect.fnUntraced(function* <A>(): Effect.fn.Return<Mailbox<A>> {
  const items: Array<A> = []
  const patience = yield* Patience.make
  let overflowed = false
  const next = () => (overflowed ? "overflow" : items.shift())
  const isEmpty = () => !overflowed && items.length === 0
  return {
    post: (item) => {
      if (items.length < capacity) items.push(item)
      else overflowed = true
      patience.end()
    },
    // An item is taken after the wait, never by it, so that no race can lose one.
    take: (longest) =>
      Effect.suspend(() => {
        const item = next()
        if (item !== undefined) return Effect.succeed(item)
        if (longest <= 0) return Effect.succeed(null)
        return Effect.map(
          patience.wait(() => (isEmpty() ? longest : 0)),
          () => next() ?? null,
        )
      }),
  }
})
