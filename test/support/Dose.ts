/** How much a costly test does: the full dose takes minutes, and `.ci/run` gives it (`npm run test:full`). */
export const isFull = process.env["TEST_DOSE"] === "full"

export const dose = (everyday: number, full: number): number => (isFull ? full : everyday)

/** All of them in the full dose, else the first of each `count`. */
export const oneIn = <A>(count: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((_, index) => index % dose(count, 1) === 0)
