/** How long work in this process holds its event loop at a stretch, in the thread's own time: other processes do not count. */

/** Milliseconds that no input of a tenant may exceed. */
export const mostMs = 50

const ownMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}

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

/**
 * Milliseconds of the longest turn of the loop while `work` is under way, which can be done again: the best of three
 * tries if the first ones take too long. A collection of garbage may fall into any turn, and takes several times as long
 * where other processes want the memory's bandwidth.
 */
export const longestTick = async (work: () => Promise<unknown>): Promise<number> => {
  let best = await measure(work)
  for (let again = 0; again < 2 && best >= mostMs; again++) best = Math.min(best, await measure(work))
  return best
}
