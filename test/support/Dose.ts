/**
 * How much costly tests do (`TEST_DOSE`). By default they do little. `.ci/run` takes the full dose. The long one takes
 * an hour: parts of it run in `npm run drill`, the others by hand.
 */
const taken = process.env["TEST_DOSE"]

export const isLong = taken === "long"
export const isFull = taken === "full" || isLong

export const dose = (everyday: number, full: number, long = full): number => (isLong ? long : isFull ? full : everyday)

/** The first of every `everyday` or `full` items, by the dose, and all of them in the long one. */
export const oneIn = <A>(everyday: number, all: ReadonlyArray<A>, full = 1): ReadonlyArray<A> =>
  all.filter((_, index) => index % dose(everyday, full, 1) === 0)
