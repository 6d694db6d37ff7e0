/**
 * Lets requests begin a few at a time, and their senders in turn. A sender that sends more than this process can serve
 * then delays its own requests, and hardly those of others.
 */
import { Context, Effect, Layer } from "effect"

/** How many requests begin in a turn of the event loop, during which others wait to be accepted. */
const beginsEach = 4
/**
 * The event loop accepts one connection in each turn. While connections come, no request begins for this many turns, so
 * that those who connect do not wait behind work for those who were first.
 */
const heldTurns = 8

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
    const line = new Line()
    let begun = 0
    let held = 0
    let hasAccepted = false
    let isPlanned = false

    const plan = () => {
      if (!isPlanned) setImmediate(turn)
      isPlanned = true
    }
    const turn = () => {
      isPlanned = false
      const isHeld = hasAccepted && held < heldTurns
      hasAccepted = false
      held = isHeld ? held + 1 : 0
      if (isHeld) return plan()
      for (begun = 0; begun < beginsEach && line.begin(); begun++);
      // The next turn sets the count back.
      if (begun > 0) plan()
    }
    const isFree = () => begun < beginsEach && held === 0 && !hasAccepted && line.isEmpty()

    return {
      noteConnection: () => {
        hasAccepted = true
        plan()
      },
      take: (sender) =>
        Effect.suspend(() => {
          plan()
          if (!isFree()) return Effect.callback((resume) => line.join(sender, () => resume(Effect.void)))
          begun++
          return Effect.void
        }),
    }
  })
}

/** The requests that wait, by sender. Plain code. */
class Line {
  /** The sender whose request began longest ago is the first. */
  readonly #senders = new Map<string, Set<Begin>>()

  isEmpty(): boolean {
    return this.#senders.size === 0
  }

  /** Interrupting the result leaves the line. */
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
