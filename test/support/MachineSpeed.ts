/**
 * How slow this machine is at present. Limits in processor time were set on an idle machine. On a shared one,
 * contention for cores and memory makes the same instructions take several times as long.
 */

/** Work as a server does it: parses values, transforms them and serialises them. */
const text = JSON.stringify(
  Array.from({ length: 2_000 }, (_, at) => ({ id: at, name: `name ${at}`, of: [at, at + 1] })),
)
const work = () => {
  const values: ReadonlyArray<{ readonly id: number; readonly name: string }> = JSON.parse(text)
  return JSON.stringify(values.map((value) => ({ ...value, name: value.name.toUpperCase() })))
}

/** At 0.5 ms a round they take 30 ms, several times the 4 ms in which the kernel counts a thread's time. */
const rounds = 60

/**
 * Milliseconds of a round on the idle machine on which the limits were set. The slowest machine that has run the tests
 * since takes 0.9, and starts a server in 2.5 times the time.
 */
const ordinaryMs = 0.5

/** The processor time of this thread, in milliseconds. */
export const ownMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The time that work takes now, as a multiple of its time on the reference machine. */
export const slowness = (): number => {
  // Warm up, since the measured code has also run before.
  for (let round = 0; round < rounds; round++) work()
  const before = ownMs()
  for (let round = 0; round < rounds; round++) work()
  return (ownMs() - before) / rounds / ordinaryMs
}

/** Converts processor time measured just now, in milliseconds, to that of the reference machine. */
export const asOnIdleMachine = (ms: number): number => ms / Math.max(1, slowness())
