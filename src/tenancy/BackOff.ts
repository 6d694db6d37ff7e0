/**
 * Exponential back-off by key: the pause doubles with each failure in a row, up to a maximum. Times are in
 * milliseconds.
 */
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

  /** The keys that have failed and have not succeeded since. */
  get failing(): ReadonlyArray<string> {
    return [...this.#failed.keys()]
  }

  /** Whether the key failed the last time. */
  has(key: string): boolean {
    return this.#failed.has(key)
  }

  isResting(key: string, now: number): boolean {
    return now < (this.#failed.get(key)?.until ?? 0)
  }

  /** The keys that have failed and may be tried again. */
  due(now: number): ReadonlyArray<string> {
    return [...this.#failed].flatMap(([key, { until }]) => (until <= now ? [key] : []))
  }

  /** Records a failure, and returns the pause that begins now. */
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
