/** The steps that work on a tenant's input may take: its cost is often known only by doing it. */

/** The work needs more steps than it was given, or goes deeper than it may. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps"
}

/** A full stack and a text beyond the longest string count as out of steps too. */
export const isOutOfSteps = (cause: unknown): boolean => cause instanceof OutOfSteps || cause instanceof RangeError

export class Budget {
  private left: number

  /** A step takes at most some 100 ns: a comparison, a look-up, a few characters. */
  constructor(steps: number) {
    this.left = steps
  }

  /** In a worker, where the clock ends the work. */
  get isUnlimited(): boolean {
    return this.left === Number.POSITIVE_INFINITY
  }

  /** To be called before the steps are taken. Throws `OutOfSteps`. */
  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) throw new OutOfSteps("The work takes more steps than it may")
  }
}
