/**
 * Lets requests begin a few at a time, and their senders in turn. A sender that sends more than this process can serve
 * then delays its own requests, and hardly those of others.
 */
import { Context, Effect, Layer } from "effect"

/** How many requests begin in one tick of the event loop, during which new connections wait to be accepted. */
const beginsEach = 4
/**
 * The event loop accepts one connection in each tick. While connections arrive, no request begins for up to this many
 * ticks, so that new clients do not wait behind the work for earlier ones.
 */
const heldTicks = 8

type Begin = () => void

export class Turns extends Context.Service<
  Turns,
  {
    /** Waits until the sender may begin a request. */
    readonly take: (sender: string) => Effect.Effect<void>
    /** Notes that a connection was accepted. */
    readonly noteConnection: () => void
  }
>()("http/Turns") {
  static readonly layer = Layer.sync(this, () => {
    const waiting = new Waiting()
    let begun = 0
    let held = 0
    let hasAccepted = false
    let isPlanned = false

    const plan = () => {
      if (!isPlanned) setImmediate(tick)
      isPlanned = true
    }
    const tick = () => {
      isPlanned = false
      const isHeld = hasAccepted && held < heldTicks
      hasAccepted = false
      held = isHeld ? held + 1 : 0
      if (isHeld) return plan()
      for (begun = 0; begun < beginsEach && waiting.begin(); begun++);
      // The next tick sets the count back.
      if (begun > 0) plan()
    }
    const isFree = () => begun < beginsEach && held === 0 && !hasAccepted && waiting.isEmpty()

    return {
      noteConnection: () => {
        hasAccepted = true
        plan()
      },
      take: (sender) =>
        Effect.suspend(() => {
          plan()
          if (!isFree()) return Effect.callback((resume) => waiting.join(sender, () => resume(Effect.void)))
          begun++
          return Effect.void
        }),
    }
  })
}

/** The waiting requests, by sender. Plain code. */
class Waiting {
  /** The sender whose request began longest ago is the first. */
  readonly #senders = new Map<string, Set<Begin>>()

  isEmpty(): boolean {
    return this.#senders.size === 0
  }

  /** The returned effect takes the request out again. */
  join(sender: string, begin: Begin): Effect.Effect<void> {
    const waiting = this.#senders.get(sender) ?? new Set()
    this.#senders.set(sender, waiting.add(begin))
    return Effect.sync(() => {
      if (waiting.delete(begin) && waiting.size === 0) this.#senders.delete(sender)
    })
  }

  /** Begins one request of the sender whose turn it is. Returns false if none waits. */
  begin(): boolean {
    for (const [sender, waiting] of this.#senders) {
      this.#senders.delete(sender)
      const [begin] = waiting
      if (begin === undefined) continue
      waiting.delete(begin)
      if (waiting.size > 0) this.#senders.set(sender, waiting)
      begin()
      return true
    }
    return false
  }
}
