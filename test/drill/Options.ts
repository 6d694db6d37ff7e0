export interface Options {
  /** True in CI: every part does only as much as can still find a fault. */
  readonly isShort: boolean
  /** The length of the soak in hours. */
  readonly hours: number
  readonly log: (line: string) => void
}
