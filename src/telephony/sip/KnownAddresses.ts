/** The addresses whose messages are read: those that we called recently, and trusted ones. All others get no answer. */

/** How long an address is known after a call: longer than the longest call. */
const forMs = 24 * 3_600_000
/** The most addresses. Beyond this, the one that was called longest ago is forgotten. */
const most = 10_000

export class KnownAddresses {
  /** The time of the last call by address, the oldest first. */
  private readonly calledAt = new Map<string, number>()
  private readonly now: () => number
  private readonly isTrusted: (address: string) => boolean

  /** `now` in milliseconds; `isTrusted`: addresses that are always known. */
  constructor(now: () => number, isTrusted: (address: string) => boolean) {
    this.now = now
    this.isTrusted = isTrusted
  }

  add(address: string): void {
    this.calledAt.delete(address)
    this.calledAt.set(address, this.now())
    const [oldest] = this.calledAt.size > most ? this.calledAt.keys() : []
    if (oldest !== undefined) this.calledAt.delete(oldest)
  }

  has(address: string): boolean {
    const called = this.calledAt.get(address)
    return (called !== undefined && this.now() - called < forMs) || this.isTrusted(address)
  }
}
