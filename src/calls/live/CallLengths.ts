/**
 * How long this process's calls last, at the moment. The first calls to end are short ones, so calls in progress count
 * too. Plain code; times are milliseconds.
 */

/** What the average is before the first call has ended, and how much the latest end counts in it. */
const firstMs = 10_000
const weight = 0.02
/** With fewer calls in progress, their age says little. */
const telling = 32

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

  /** A call that began at `at` is no longer in progress here. */
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
    if (this.count < telling) return this.ended
    return Math.max(this.ended, now - this.origin - this.beginnings / this.count)
  }
}
