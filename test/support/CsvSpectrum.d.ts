/** Types for csv-spectrum, which has none. */
declare module "csv-spectrum" {
  interface Case {
    readonly name: string
    readonly csv: Buffer
    readonly json: Buffer
  }
  const cases: (done: (error: Error | null, cases: ReadonlyArray<Case>) => void) => void
  export default cases
}
