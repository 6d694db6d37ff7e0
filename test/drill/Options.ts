export interface Options {
  /** A run for CI: as little of each part as still finds a fault. */
  readonly isShort: boolean
  /** The length of the soak. */
  readonly hours: number
  readonly log: (line: string) => void
}
