/** How many messages of one address are read: the rest of a flood is dropped unread. */

/** A busy trunk sends some eight messages a call; this is 250 calls a second. */
const perSecond = 2_000
const burst = 4_000
/** Beyond this many addresses all counts start anew. */
const mostAddresses = 10_000

export class SourceAllowance {
  private readonly buckets = new Map<string, { left: number; at: number }>()
  private readonly now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  /** Whether one more message may be read. */
  admits(address: string): boolean {
    const now = this.now()
    const bucket = this.buckets.get(address) ?? { left: burst, at: now }
    if (this.buckets.size >= mostAddresses && !this.buckets.has(address)) this.buckets.clear()
    const left = Math.min(burst, bucket.left + ((now - bucket.at) / 1_000) * perSecond)
    this.buckets.set(address, { left: left >= 1 ? left - 1 : left, at: now })
    return left >= 1
  }
}
