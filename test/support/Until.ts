/** Waits for a condition, never for a time. */

/**
 * Waits until `look` returns neither false nor undefined, and returns its result. The test's own time-out ends the
 * wait. The pauses between two looks grow, since a look is a request in most tests and fifty a second in five files
 * kept a core busy.
 */
export const until = async <Found>(look: () => Found | Promise<Found>): Promise<Exclude<Found, false | undefined>> => {
  const began = performance.now()
  while (true) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<Found, false | undefined>
    const pause = Math.min(100, Math.max(20, (performance.now() - began) / 20))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Does `act`, and repeats it every 20 s until `holds`: a busy machine loses frames of words said to a telephone. */
export const againUntil = (act: () => void, holds: () => boolean | Promise<boolean>): Promise<true> => {
  let actedAt = -Infinity
  return until(async () => {
    if (await holds()) return true
    if (performance.now() < actedAt + 20_000) return false
    act()
    actedAt = performance.now()
    return false
  })
}
