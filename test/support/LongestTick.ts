/**
 * Measures how long work holds this process's event loop at a stretch, in the thread's own processor time. Time used by
 * other processes does not count.
 */

import { asOnIdleMachine, ownMs } from "./MachineSpeed.ts"

/** The most milliseconds, on an idle machine, that any input of a tenant may hold the loop. */
export const mostMs = 50

/**
 * Samples every millisecond and not at every tick, since a loop that never waits would take processor time from the
 * measured work.
 */
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
  // Work that never yields ends before the first sample.
  return Math.max(worst, ownMs() - last)
}

/** The first result below the limit, or the best of three. Longer ones are scaled by the machine's present speed. */
export const bestOf = async (tries: () => Promise<number>): Promise<number> => {
  let best = Infinity
  for (let round = 0; round < 3 && best >= mostMs; round++) {
    const ms = await tries()
    best = Math.min(best, ms < mostMs ? ms : asOnIdleMachine(ms))
  }
  return best
}

/**
 * The longest tick of the event loop during `work`, in milliseconds. `work` has to be repeatable, since a garbage
 * collection may fall into any tick.
 */
export const longestTick = (work: () => Promise<unknown>): Promise<number> => bestOf(() => measure(work))

/** The longest hold that a process with LoopWatch.ts has reported, in milliseconds. 0 if it reported none. */
export const longestSaid = (said: string): number =>
  Math.max(0, ...[...said.matchAll(/event loop was held for (\d+) ms/g)].map(([, ms]) => Number(ms)))
