/** How much costly tests do. The full dose takes minutes; `.ci/run` uses it (`npm run test:full`). */
export const isFull = process.env["TEST_DOSE"] === "full"

export const dose = (everyday: number, full: number): number => (isFull ? full : everyday)

/** All items in the full dose, otherwise the first of every `count`. */
export const oneIn = <A>(count: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((_, index) => index % dose(count, 1) === 0)
