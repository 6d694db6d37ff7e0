/** Counts incoming calls that are neither answered nor refused yet, so that a flood over one trunk harms no other. */

/** The most undecided calls from one trunk's address, and from all addresses together. */
const mostOfTrunk = 100
const mostOfAll = 500

export class UndecidedCalls {
  private readonly countOf = new Map<string, number>()
  private count = 0

  /** Counts a call. Returns false if too many wait already. Each admitted call needs a `leave`. */
  admit(source: string): boolean {
    const waiting = this.countOf.get(source) ?? 0
    if (waiting >= mostOfTrunk || this.count >= mostOfAll) return false
    this.countOf.set(source, waiting + 1)
    this.count++
    return true
  }

  leave(source: string): void {
    this.count--
    const left = (this.countOf.get(source) ?? 1) - 1
    if (left > 0) this.countOf.set(source, left)
    else this.countOf.delete(source)
  }
}
