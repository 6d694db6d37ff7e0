/**
 * How much costly tests do (`TEST_DOSE`). By default they do little. `.ci/run` takes the full dose. The long one takes
 * an hour: parts of it run in `npm run drill`, the others by hand.
 */
const taken = process.env["TEST_DOSE"]

export const isLong = taken === "long"
export const isFull = taken === "full" || isLong

export const dose = (everyday: number, full: number, long = full): number => (isLong ? long : isFull ? full : everyday)

/** All items in the full dose, otherwise the first of every `count`. */
export const oneIn = <A>(count: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((_, index) => index % dose(count, 1) === 0)
