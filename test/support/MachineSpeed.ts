/**
 * How slow this machine is just now. Limits in processor time were set on an idle one; cores and a memory that others use
 * too make the same instructions take several times as long.
 */

/** What a server does with what it is sent: it reads values, makes others of them and writes them. */
const text = JSON.stringify(
  Array.from({ length: 2_000 }, (_, at) => ({ id: at, name: `name ${at}`, of: [at, at + 1] })),
)
const work = () => {
  const values: ReadonlyArray<{ readonly id: number; readonly name: string }> = JSON.parse(text)
  return JSON.stringify(values.map((value) => ({ ...value, name: value.name.toUpperCase() })))
}

/** As many as take some thirty times the 4 ms by which the kernel counts a thread's time. */
const rounds = 60

/**
 * Milliseconds of a round on the machine on which the limits were set, with nothing else to do. The slowest that has run the
 * tests since takes 0.9, and starts a server in 2.5 times the time.
 */
const ordinaryMs = 0.5

/** Of this thread alone, in milliseconds. */
export const ownMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** How many times as long as on that machine the same work takes just now. */
export const slowness = (): number => {
  // Code that has run before, as that which is weighed.
  for (let round = 0; round < rounds; round++) work()
  const before = ownMs()
  for (let round = 0; round < rounds; round++) work()
  return (ownMs() - before) / rounds / ordinaryMs
}

/** What these milliseconds of processor time, measured just now, would be on that machine. */
export const asOnIdleMachine = (ms: number): number => ms / Math.max(1, slowness())
