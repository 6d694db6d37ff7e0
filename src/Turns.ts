/**
 * The turns of the event loop: nobody holds it for long, however many have something to do at once. What fibers begin,
 * or go on with after they let others by, is done in its order, for so long a turn; the rest waits for the next one,
 * behind timers and sockets.
 */
import { Layer, Scheduler } from "effect"
import { sendGathered } from "./tenancy/GatheredWrites.ts"

/**
 * Milliseconds. An answer of PostgreSQL that comes during a turn waits for its end, and with it, in a transaction that
 * holds an account's budget, everybody else's. The longest step of a fiber and a collection of garbage come on top.
 */
const turnMs = 2
/** So long at most waits what a fiber has written in the middle of a turn, for company. */
const heldMs = 0.5

const fair = () => {
  let waiting: Array<() => void> = []
  let planned = false
  const turn = () => {
    sendGathered()
    const began = performance.now()
    const due = waiting
    waiting = []
    let at = 0
    try {
      for (let now = began, sent = began; at < due.length && now < began + turnMs; now = performance.now()) {
        if (now >= sent + heldMs) {
          sendGathered()
          sent = now
        }
        due[at++]?.()
      }
    } finally {
      if (at < due.length) waiting = [...due.slice(at), ...waiting]
      planned = waiting.length > 0
      if (planned) setImmediate(turn)
    }
  }
  return (step: () => void) => {
    waiting.push(step)
    if (!planned) setImmediate(turn)
    planned = true
    return () => void (waiting = waiting.filter((other) => other !== step))
  }
}

export const layer = Layer.sync(Scheduler.Scheduler, () => new Scheduler.MixedScheduler("async", fair()))
