/** How much a test of random inputs does: the full dose takes minutes, and `.ci/run` gives it (`npm run test:full`). */
export const isFull = process.env["TEST_DOSE"] === "full"

export const dose = (everyday: number, full: number): number => (isFull ? full : everyday)
