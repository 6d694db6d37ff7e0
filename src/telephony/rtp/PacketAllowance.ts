/**
 * Limits the packets that a call reads, so that a flood costs little more than receiving it. The peer has its own
 * allowance, which packets from other addresses cannot use up. Plain code.
 */

/**
 * A peer sends at most some 120 packets a second: frames of 10 ms, keys and reports. A burst follows each pause of this
 * process.
 */
const fromPeer = { aSecond: 250, burst: 250 }
const fromStrangers = { aSecond: 50, burst: 50 }
/** With this many packets within a second, keeping the socket open costs too much. */
const flood = 5_000
const secondMs = 1_000

class Bucket {
  readonly #limit: typeof fromPeer
  #left: number
  #since = 0

  constructor(limit: typeof fromPeer) {
    this.#limit = limit
    this.#left = limit.burst
  }

  take(now: number): boolean {
    const { aSecond, burst } = this.#limit
    this.#left = Math.min(burst, this.#left + ((now - this.#since) * aSecond) / secondMs)
    this.#since = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}

export class PacketAllowance {
  readonly #peer = new Bucket(fromPeer)
  readonly #strangers = new Bucket(fromStrangers)
  #second = 0
  #arrived = 0

  /** Whether this second's packets are a flood. */
  get isFlooded(): boolean {
    return this.#arrived >= flood
  }

  /** Counts a packet. Returns false if it must be dropped unread. */
  take(isPeer: boolean, now: number): boolean {
    if (now - this.#second >= secondMs) {
      this.#second = now
      this.#arrived = 0
    }
    this.#arrived++
    return (isPeer ? this.#peer : this.#strangers).take(now)
  }
}
