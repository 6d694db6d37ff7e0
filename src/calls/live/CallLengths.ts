/**
 * The average length of this process's calls at the moment. The first calls to end are short ones, so calls in progress
 * count too. Plain code; times are milliseconds.
 */

/** The average before the first call has ended, and the weight of the latest end in the average. */
const firstMs = 10_000
const weight = 0.02
/** With fewer calls in progress, their age is not counted: it says too little. */
const leastInProgress = 32

export class CallLengths {
  private ended = firstMs
  private count = 0
  /** The sum of the beginnings of the calls in progress, relative to `origin` so that it stays exact. */
  private beginnings = 0
  private readonly origin: number

  constructor(now: number) {
    this.origin = now
  }

  /** The number of calls in progress. */
  get inProgress(): number {
    return this.count
  }

  begin(at: number): void {
    this.count++
    this.beginnings += at - this.origin
  }

  /** Removes a call that began at `at` and does not count its length, because it goes on elsewhere or was lost. */
  leave(at: number): void {
    this.count--
    this.beginnings -= at - this.origin
  }

  end(at: number, now: number): void {
    this.leave(at)
    this.ended += (now - at - this.ended) * weight
  }

  /** The average length of the calls that ended last, or the average age of those in progress if that is more. */
  mean(now: number): number {
    if (this.count < leastInProgress) return this.ended
    return Math.max(this.ended, now - this.origin - this.beginnings / this.count)
  }
}
