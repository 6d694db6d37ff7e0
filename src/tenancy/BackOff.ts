/** Pauses for what fails again and again: doubled with each failure in a row. Times are in milliseconds. */
export class BackOff {
  readonly #failed = new Map<string, { readonly until: number; readonly pauseMs: number }>()
  readonly #firstMs: number
  readonly #longestMs: number

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
  }

  get isEmpty(): boolean {
    return this.#failed.size === 0
  }

  /** What has failed and has not succeeded since. */
  get failing(): ReadonlyArray<string> {
    return [...this.#failed.keys()]
  }

  /** Whether it failed the last time. */
  has(key: string): boolean {
    return this.#failed.has(key)
  }

  isResting(key: string, now: number): boolean {
    return now < (this.#failed.get(key)?.until ?? 0)
  }

  /** What has failed and may be tried again. */
  due(now: number): ReadonlyArray<string> {
    return [...this.#failed].flatMap(([key, { until }]) => (until <= now ? [key] : []))
  }

  /** Returns the pause that begins now. */
  fail(key: string, now: number): number {
    const before = this.#failed.get(key)?.pauseMs
    const pauseMs = before === undefined ? this.#firstMs : Math.min(this.#longestMs, before * 2)
    this.#failed.set(key, { until: now + pauseMs, pauseMs })
    return pauseMs
  }

  succeed(key: string): void {
    this.#failed.delete(key)
  }
}
