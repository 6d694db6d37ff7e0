/**
 * Counts the packets of one source as RFC 3550 A.1, A.3 and A.8 do: how many were sent, arrived and arrived twice, and
 * their jitter. Plain code, one call for each packet.
 */
import { g711Rate } from "../../speech/G711.ts"

/** A sequence number outside of these limits restarts the count if the next packet continues from it. */
const mostAhead = 3_000
const mostBehind = 100
/** How many recent sequence numbers are checked for duplicates; a power of two. */
const remembered = 1_024
const lap = 0x1_0000

export interface ReceptionReport {
  readonly ssrc: number
  /** The share of the packets since the last report that were lost, in 256ths. */
  readonly fractionLost: number
  /** Packets lost since the beginning; negative if duplicates outnumber losses. */
  readonly lost: number
  /** The extended highest sequence number: the count of wraps above the 16 bits. */
  readonly highest: number
  /** The interarrival jitter, in samples. */
  readonly jitter: number
}

export class Reception {
  readonly ssrc: number
  readonly #seen = new Uint8Array(remembered)
  #first: number | null = null
  #highest = 0
  /** Packets counted before the last restart. */
  #expectedBefore = 0
  #expectedAtReport = 0
  #received = 0
  #receivedAtReport = 0
  #duplicates = 0
  #next: number | null = null
  #transit: number | null = null
  #jitter = 0

  constructor(ssrc: number) {
    this.ssrc = ssrc
  }

  get expected(): number {
    return this.#first === null ? 0 : this.#expectedBefore + this.#highest - this.#first + 1
  }

  get received(): number {
    return this.#received
  }

  get lost(): number {
    return this.expected - this.#received
  }

  get duplicates(): number {
    return this.#duplicates
  }

  get jitterMs(): number {
    return (this.#jitter * 1_000) / g711Rate
  }

  /** Counts a packet. Only a `new` packet must be played. The sequence number of a `stray` does not fit. */
  count(sequence: number): "new" | "duplicate" | "stray" {
    if (this.#first === null) this.#begin(sequence)
    const ahead = ((sequence - this.#highest) << 16) >> 16
    if (ahead > mostAhead || ahead < -mostBehind) {
      const goesOn = this.#next === sequence
      this.#next = (sequence + 1) % lap
      if (!goesOn) return "stray"
      this.#expectedBefore = this.expected
      this.#begin(sequence)
      return this.count(sequence)
    }
    this.#next = null
    const position = this.#highest + ahead
    for (let passed = this.#highest + 1; passed <= position; passed++) this.#seen[passed & (remembered - 1)] = 0
    this.#highest = Math.max(this.#highest, position)
    if (this.#seen[position & (remembered - 1)] === 1) {
      this.#duplicates++
      return "duplicate"
    }
    this.#seen[position & (remembered - 1)] = 1
    this.#received++
    return "new"
  }

  #begin(sequence: number): void {
    this.#seen.fill(0)
    this.#first = this.#highest = sequence + lap
    this.#next = null
  }

  /** Updates the jitter with the arrival of a packet of sound. */
  time(timestamp: number, now: number): void {
    const transit = (now * g711Rate) / 1_000 - timestamp
    if (this.#transit !== null) {
      const difference = Math.abs(transit - this.#transit)
      // A difference of more than a second is a jump of the time stamps and not jitter.
      if (difference < g711Rate) this.#jitter += (difference - this.#jitter) / 16
    }
    this.#transit = transit
  }

  report(): ReceptionReport {
    const expected = this.expected - this.#expectedAtReport
    const lost = expected - (this.#received - this.#receivedAtReport)
    this.#expectedAtReport = this.expected
    this.#receivedAtReport = this.#received
    return {
      ssrc: this.ssrc,
      fractionLost: expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / expected)),
      lost: this.lost,
      highest: (this.#highest - lap) >>> 0,
      jitter: Math.round(this.#jitter),
    }
  }
}
