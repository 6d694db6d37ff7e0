/**
 * The scheduler of all fibers. It runs those that begin or have yielded, in order, for two milliseconds per tick of
 * the event loop. The rest waits for the next tick, after timers and sockets, so that many fibers together do not hold
 * the loop.
 */
import { Layer, Scheduler } from "effect"
import { sendGathered } from "./tenancy/GatheredWrites.ts"

/**
 * Milliseconds. An answer of PostgreSQL that arrives during a tick waits for its end; if its transaction holds an account's
 * budget, all of the account's dialling waits too. The longest step of a fiber and a garbage collection come on top.
 */
const tickMs = 2
/** Milliseconds that a statement written during a tick waits for others to be sent with it. */
const heldMs = 0.5

const fair = () => {
  let waiting: Array<() => void> = []
  let planned = false
  const tick = () => {
    sendGathered()
    const began = performance.now()
    const due = waiting
    waiting = []
    let at = 0
    try {
      for (let now = began, sent = began; at < due.length && now < began + tickMs; now = performance.now()) {
        if (now >= sent + heldMs) {
          sendGathered()
          sent = now
        }
        due[at++]?.()
      }
    } finally {
      if (at < due.length) waiting = [...due.slice(at), ...waiting]
      planned = waiting.length > 0
      if (planned) setImmediate(tick)
    }
  }
  return (step: () => void) => {
    waiting.push(step)
    if (!planned) setImmediate(tick)
    planned = true
    return () => void (waiting = waiting.filter((other) => other !== step))
  }
}

export const layer = Layer.sync(Scheduler.Scheduler, () => new Scheduler.MixedScheduler("async", fair()))
