/** Waiting for a condition, never for a time. */

/** What `look` finds, as soon as it is neither false nor undefined; the test's own time-out ends the wait. */
export const until = async <Found>(look: () => Found | Promise<Found>): Promise<Exclude<Found, false | undefined>> => {
  while (true) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<Found, false | undefined>
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
