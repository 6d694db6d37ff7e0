/**
 * How many messages are read in a second: the rest of a flood is dropped unread, and each address keeps its share. A long
 * message counts as several.
 */

/** The longest message that counts as one. An INVITE of a carrier is shorter. */
const bytesOfOne = 2_048

/** Messages a second from one address. A busy trunk sends some eight messages a call; this is 250 calls a second. */
const mostOfOne = 2_000
/**
 * Messages a second from all addresses together: a fifth of a core, at some 20 µs a message. Beyond it, an address that has
 * sent less than an equal share is still read.
 */
const mostOfAll = 10_000
const secondMs = 1_000

export class SourceAllowance {
  /** The messages read in this second by address; it begins anew each second. */
  private readonly read = new Map<string, number>()
  private total = 0
  private since = 0
  private readonly now: () => number

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.now = now
  }

  /** Whether one more message of so many bytes may be read. */
  admits(address: string, bytes: number): boolean {
    const now = this.now()
    // Also where the clock was set back.
    if (Math.abs(now - this.since) >= secondMs) {
      this.read.clear()
      this.total = 0
      this.since = now
    }
    const already = this.read.get(address) ?? 0
    const most = this.total < mostOfAll ? mostOfOne : Math.min(mostOfOne, mostOfAll / (this.read.size + 1))
    if (already >= most) return false
    const cost = Math.max(1, Math.ceil(bytes / bytesOfOne))
    this.read.set(address, already + cost)
    this.total += cost
    return true
  }
}
