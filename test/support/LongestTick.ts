/** How long work in this process holds its event loop at a stretch, in the thread's own time: other processes do not count. */

import { asOnIdleMachine, ownMs } from "./MachineSpeed.ts"

/** Milliseconds that no input of a tenant may exceed, of an idle machine. */
export const mostMs = 50

/** Looks each millisecond, not in each turn: a loop that never waits would take a core from what is measured. */
const measure = async (work: () => Promise<unknown>): Promise<number> => {
  let worst = 0
  let last = ownMs()
  const look = () => {
    const now = ownMs()
    worst = Math.max(worst, now - last)
    last = now
  }
  const looking = setInterval(look, 1)
  await work().finally(() => clearInterval(looking))
  // Work that never yields ends before the first look.
  return Math.max(worst, ownMs() - last)
}

/** The first of `tries` that is short enough, or the best of three; what is too long is weighed by the machine's speed. */
export const bestOf = async (tries: () => Promise<number>): Promise<number> => {
  let best = Infinity
  for (let round = 0; round < 3 && best >= mostMs; round++) {
    const ms = await tries()
    best = Math.min(best, ms < mostMs ? ms : asOnIdleMachine(ms))
  }
  return best
}

/**
 * Milliseconds of the longest turn of the loop while `work` is under way, which can be done again. A collection of garbage
 * may fall into any turn.
 */
export const longestTick = (work: () => Promise<unknown>): Promise<number> => bestOf(() => measure(work))

/** The longest hold, in milliseconds, of those that a process with LoopWatch.ts said; 0 if it said none. */
export const longestSaid = (said: string): number =>
  Math.max(0, ...[...said.matchAll(/event loop was held for (\d+) ms/g)].map(([, ms]) => Number(ms)))
