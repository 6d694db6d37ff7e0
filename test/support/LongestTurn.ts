/** How long work in this process holds its event loop at a stretch, in the thread's own time: other processes do not count. */

/** Milliseconds that no input of a tenant may exceed. */
export const mostMs = 50

const ownMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of the longest turn of the loop while `work` was under way. */
export const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let worst = 0
  let isOver = false
  let last = ownMs()
  const look = () => {
    const now = ownMs()
    worst = Math.max(worst, now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work().finally(() => {
    isOver = true
  })
  return worst
}
