/** Limits the steps of work on a tenant's input. The cost of such work is often known only by doing it. */

/** The work needs more steps than it was given, or recurses deeper than it may. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps"
}

/**
 * A stack overflow and a text beyond the longest string, both of which are a `RangeError`, count as out of steps too.
 */
export const isOutOfSteps = (cause: unknown): boolean => cause instanceof OutOfSteps || cause instanceof RangeError

export class Budget {
  private left: number

  /** A step takes at most some 100 ns: a comparison, a look-up, a few characters. */
  constructor(steps: number) {
    this.left = steps
  }

  /** True in a worker, where a deadline ends the work instead. */
  get isUnlimited(): boolean {
    return this.left === Number.POSITIVE_INFINITY
  }

  /** Must be called before the steps are taken. Throws `OutOfSteps` if fewer are left. */
  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) throw new OutOfSteps("The work takes more steps than it may")
  }
}
