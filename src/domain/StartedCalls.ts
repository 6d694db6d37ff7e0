/** When calls began, as far as a sliding minute remembers. */
const minute = 60_000

export class StartedCalls {
  /** Ascending; what came before `head` has left the minute. */
  private begun: Array<number> = []
  private head = 0

  begin(at: number): void {
    this.begun.push(at)
  }

  /** Begun in the 60 seconds before `now`: one that is 60 seconds old has left them. */
  within(now: number): number {
    while ((this.begun[this.head] ?? Infinity) <= now - minute) this.head++
    if (this.head > 10_000) {
      this.begun = this.begun.slice(this.head)
      this.head = 0
    }
    return this.begun.length - this.head
  }

  /** When the `limit`-th newest leaves the minute, which makes room for another; `now` if there are fewer. */
  freesAt(limit: number, now: number): number {
    const newest = this.begun.length - limit
    return newest < this.head ? now : (this.begun[newest] ?? now) + minute
  }
}
