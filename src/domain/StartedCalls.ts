/** The calls begun in the last minute of a preflight's simulation. A dial pass counts them in the database instead. */
const minute = 60_000

export class StartedCalls {
  /** When calls began, ascending. Entries before `head` have left the minute. */
  private begun: Array<number> = []
  private head = 0

  begin(at: number): void {
    this.begun.push(at)
  }

  /**
   * The number of calls begun in the 60 seconds before `now`. A call that is exactly 60 seconds old no longer counts.
   */
  within(now: number): number {
    while ((this.begun[this.head] ?? Infinity) <= now - minute) this.head++
    if (this.head > 10_000) {
      this.begun = this.begun.slice(this.head)
      this.head = 0
    }
    return this.begun.length - this.head
  }

  /** When the `limit`-th newest call leaves the minute and makes room for another; `now` if there are fewer. */
  freesAt(limit: number, now: number): number {
    const newest = this.begun.length - limit
    return newest < this.head ? now : (this.begun[newest] ?? now) + minute
  }
}
