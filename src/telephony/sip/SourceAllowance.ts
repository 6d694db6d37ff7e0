/**
 * Limits the messages that are read in a second. The rest of a flood is dropped unread, and each address keeps its
 * share. A long message counts as several.
 */

/** The longest message that counts as one. Carriers' INVITEs are shorter. */
const bytesOfOne = 2_048

/**
 * The most messages a second from one address. A trunk sends some eight messages a call, so this allows 250 calls a
 * second.
 */
const mostOfOne = 2_000
/**
 * The most messages a second from all addresses: a fifth of a core, at some 20 µs a message. Beyond it, an address is
 * still read up to an equal share.
 */
const mostOfAll = 10_000
const secondMs = 1_000

export class SourceAllowance {
  /** The messages read in this second, by address. */
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
    // The absolute difference also covers a clock that was set back.
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
