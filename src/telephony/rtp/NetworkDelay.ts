/**
 * Estimates the network delay in milliseconds: the transit of the fastest packets, which tells the offset of the peer's
 * clock, and how much later the others arrive. The playout delay covers nearly all of them.
 *
 * A _transit_ is the arrival of a packet minus the time that its time stamp says. The two clocks have no common zero,
 * so only differences of transits mean anything.
 */

/** Bounds of the playout delay: a shorter one stutters on any network, a longer one disturbs the conversation. */
export const leastDelayMs = 40
export const mostDelayMs = 120
const frameMs = 20
/** The delay covers this share of the packets of about the last four seconds. */
const coveredShare = 0.99
/** The share of its weight that an older packet keeps when another one arrives. */
const forgetting = 0.995
/** Packets are counted by their lateness, in steps of this length. */
const binMs = 10
const bins = 20
/** The jitter assumed for a new peer; together with the frame itself it gives a delay of 60 ms. */
const assumedBin = 3
/** The fastest packet is the fastest of this many blocks of time, each of this length. */
const blocks = 10
const blockMs = 1_000

export class NetworkDelay {
  /** The share of the packets in each step of lateness. */
  readonly #shares = new Float64Array(bins)
  #playoutMs = leastDelayMs
  /** The least transit: of all blocks, of each past block, of all past blocks, and of the present one. */
  #fastest = 0
  #fastestByBlock: Array<number> = []
  #fastestBefore = Number.POSITIVE_INFINITY
  #fastestNow = 0
  #blockBegan = 0

  constructor() {
    this.#shares[assumedBin] = 1
  }

  /** The least transit of about the last ten seconds. */
  get fastest(): number {
    return this.#fastest
  }

  /** The playout delay, counted from the transit of the fastest packet. */
  get playoutMs(): number {
    return this.#playoutMs
  }

  /** Begins another stretch of sound with a packet of this transit. Keeps the measured jitter. */
  restart(transit: number, now: number): void {
    this.#fastest = this.#fastestNow = transit
    this.#fastestByBlock = []
    this.#fastestBefore = Number.POSITIVE_INFINITY
    this.#blockBegan = now
  }

  learn(transit: number, now: number): void {
    this.#learnFastest(transit, now)
    this.#learnLateness(transit - this.#fastest)
  }

  #learnFastest(transit: number, now: number): void {
    if (now - this.#blockBegan >= blockMs) {
      this.#fastestByBlock.push(this.#fastestNow)
      if (this.#fastestByBlock.length >= blocks) this.#fastestByBlock.shift()
      this.#fastestBefore = Math.min(...this.#fastestByBlock)
      this.#fastestNow = transit
      this.#blockBegan = now
    }
    this.#fastestNow = Math.min(this.#fastestNow, transit)
    this.#fastest = Math.min(this.#fastestNow, this.#fastestBefore)
  }

  #learnLateness(lateMs: number): void {
    const own = Math.min(bins - 1, Math.floor(lateMs / binMs))
    let covered = 0
    let last = 0
    for (let bin = 0; bin < bins; bin++) {
      const share = (this.#shares[bin] ?? 0) * forgetting + (bin === own ? 1 - forgetting : 0)
      this.#shares[bin] = share
      if (covered < coveredShare) last = bin
      covered += share
    }
    this.#playoutMs = Math.max(leastDelayMs, Math.min(mostDelayMs, (last + 1) * binMs + frameMs))
  }
}
