/**
 * The sound of one peer between the network and our clock: put in order by its time stamps, delayed by as much as its
 * jitter needs, and read at our own pace, however fast the peer's clock runs. Plain code: `hear` for each packet,
 * `schedule` once a frame, and `read` for each of the frame's two blocks of 10 ms. Times are milliseconds of a
 * monotonic clock.
 */
import { g711Rate } from "./G711.ts"

export const blockSamples = 80
const samplesAMs = g711Rate / 1_000

/** A second of sound; a power of two, so that a position in it is the low bits of a time stamp. */
const ringSamples = 8_192
/** Bounds of the delay: less stutters on any network, more is felt in the talk. */
const leastDelayMs = 40
const mostDelayMs = 120
const frameMs = 20
/** The delay covers this share of the packets, out of about the last four seconds. */
const coveredShare = 0.99
const forgetting = 0.995
const binMs = 10
const bins = 20
/** What jitter is assumed of a peer of which nothing is known yet: with the frame itself, a delay of 60 ms. */
const assumedBin = 3
/** The fastest packet of this long tells the peer's clock from its network. */
const baseBlocks = 10
const baseBlockMs = 1_000
/** Sound is only left out or stretched when it is off by more than this, on average. */
const tooEarly = 10 * samplesAMs
const tooLate = 20 * samplesAMs
/** Beyond this it is not corrected bit by bit. */
const jump = 200 * samplesAMs
/** While the peer is loud, a click would be heard: only this much too late makes that worth it. */
const muchTooLate = 60 * samplesAMs
const quietSample = 300
/** As many packets in a row that come too late mean that the way has become longer. */
const lateInARow = 10
/** Time stamps that are off by this much belong to another stretch of sound; a single packet of the kind is a stray. */
const strayMs = 2_000
/** After such a pause a peer may go on with the time stamps at which it stopped. */
const pauseMs = 500
/** Nothing for this long is a pause of the peer and no loss. */
const blocksToIdle = 20

/**
 * What a block is: sound as it was sent; `spliced`, sound after some that was left out; `stretched`, nothing, so that
 * the delay grows; `lost`, missing between sounds; `idle`, nothing that was to be expected. Only the first two are written.
 */
export type Block = "sound" | "spliced" | "stretched" | "lost" | "idle"

export class JitterBuffer {
  readonly #ring = new Int16Array(ringSamples)
  readonly #present = new Uint8Array(ringSamples)
  readonly #lateness = new Float64Array(bins)
  #isEmpty = true
  /** Positions are time stamps that do not wrap: the last heard, the next to be read, and the end of the newest sound. */
  #last = 0
  #head = 0
  #end = 0
  #isWaiting = true
  /** The least difference of arrival and time stamp, in this second and in the seconds before it. */
  #base = 0
  #bases: Array<number> = []
  #baseNow = 0
  #baseSince = 0
  #delayMs = leastDelayMs
  #deviation = 0
  #adjustment: "none" | "skip" | "stretch" = "none"
  #lateRow = 0
  #missing = 0
  #heardAt = 0
  #stray: number | null = null
  #late = 0
  #skipped = 0
  #stretched = 0

  constructor() {
    this.#lateness[assumedBin] = 1
  }

  /** How long sound is held back on purpose. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** Packets that came after their time. */
  get late(): number {
    return this.#late
  }

  /** Blocks of 10 ms that were left out, and added, to keep the delay. */
  get skipped(): number {
    return this.#skipped
  }

  get stretched(): number {
    return this.#stretched
  }

  /** Another stream follows, of which nothing is known. */
  reset(): void {
    this.#isEmpty = true
  }

  /** The sound of a packet. */
  hear(timestamp: number, samples: Int16Array, now: number): void {
    if (this.#isEmpty) this.#restart(timestamp, now)
    let at = this.#positionOf(timestamp)
    const lag = now - at / samplesAMs - this.#base
    const paused = now - this.#heardAt
    this.#heardAt = now
    if (Math.abs(lag) > strayMs || (lag > mostDelayMs && paused > pauseMs)) {
      const goesOn = this.#stray !== null && Math.abs(at - this.#stray) < strayMs * samplesAMs
      if (!goesOn && paused <= pauseMs) {
        this.#stray = at
        return
      }
      this.#restart(timestamp, now)
      at = this.#last
    }
    this.#stray = null
    this.#last = at
    this.#learn(now - at / samplesAMs, now)
    this.#write(at, samples, now)
  }

  #positionOf(timestamp: number): number {
    return this.#last + ((timestamp - this.#last) | 0)
  }

  #restart(timestamp: number, now: number): void {
    this.#present.fill(0)
    this.#isEmpty = false
    this.#isWaiting = true
    this.#last = this.#head = this.#end = timestamp
    this.#base = this.#baseNow = now - timestamp / samplesAMs
    this.#bases = []
    this.#baseSince = now
    this.#heardAt = now
    this.#lateRow = 0
    this.#missing = 0
    this.#stray = null
  }

  #learn(transit: number, now: number): void {
    if (now - this.#baseSince >= baseBlockMs) {
      this.#bases.push(this.#baseNow)
      if (this.#bases.length >= baseBlocks) this.#bases.shift()
      this.#baseNow = transit
      this.#baseSince = now
    }
    this.#baseNow = Math.min(this.#baseNow, transit)
    this.#base = Math.min(this.#baseNow, ...this.#bases)
    const bin = Math.min(bins - 1, Math.floor((transit - this.#base) / binMs))
    let sum = 0
    let covering = 0
    for (let at = 0; at < bins; at++) {
      const weight = (this.#lateness[at] ?? 0) * forgetting + (at === bin ? 1 - forgetting : 0)
      this.#lateness[at] = weight
      if (sum < coveredShare) covering = at
      sum += weight
    }
    this.#delayMs = Math.max(leastDelayMs, Math.min(mostDelayMs, (covering + 1) * binMs + frameMs))
  }

  #write(at: number, samples: Int16Array, now: number): void {
    const end = at + samples.length
    if (end - this.#head > ringSamples) return
    // After a pause it begins where the peer begins, and waits anew.
    if (this.#missing >= blocksToIdle && at > this.#head) {
      this.#head = at
      this.#isWaiting = true
      this.#missing = 0
    }
    if (end <= this.#head) {
      this.#late++
      this.#lateRow++
      if (this.#lateRow >= lateInARow) this.#restart(at, now)
      return
    }
    this.#lateRow = 0
    for (let position = Math.max(at, this.#head); position < end; position++) {
      const index = position & (ringSamples - 1)
      this.#ring[index] = samples[position - at] ?? 0
      this.#present[index] = 1
    }
    this.#end = Math.max(this.#end, end)
  }

  /** Decides whether the next frame is read as it is, or whether some of it is left out or added. */
  schedule(now: number): void {
    if (this.#isEmpty) return
    const early = this.#head - (now - this.#base - this.#delayMs) * samplesAMs
    if (this.#isWaiting) {
      if (early > 0) return
      this.#isWaiting = false
      this.#deviation = 0
    }
    if (early < -jump) {
      this.#forget(Math.ceil(-early / blockSamples))
      this.#deviation = 0
      return
    }
    this.#deviation += (early - this.#deviation) / 16
    if (this.#deviation > tooEarly) this.#adjustment = "stretch"
    else if (this.#deviation < -tooLate && (this.#isQuiet() || this.#deviation < -muchTooLate)) {
      this.#adjustment = "skip"
    }
  }

  #isQuiet(): boolean {
    for (let position = this.#head; position < this.#head + blockSamples; position++) {
      if (Math.abs(this.#ring[position & (ringSamples - 1)] ?? 0) > quietSample) return false
    }
    return true
  }

  /** Passes over so many blocks. */
  #forget(blocks: number): void {
    const until = this.#head + blocks * blockSamples
    for (let position = this.#head; position < Math.min(until, this.#end); position++) {
      this.#present[position & (ringSamples - 1)] = 0
    }
    this.#head = until
  }

  /** The next 10 ms, written into `block` if there are any. */
  read(block: Int16Array): Block {
    if (this.#isEmpty || this.#isWaiting) return "idle"
    const adjustment = this.#adjustment
    this.#adjustment = "none"
    if (adjustment === "stretch") {
      this.#stretched++
      this.#deviation -= blockSamples
      return "stretched"
    }
    if (adjustment === "skip") {
      this.#skipped++
      this.#deviation += blockSamples
      this.#forget(1)
    }
    let found = 0
    for (let at = 0; at < blockSamples; at++) {
      const index = (this.#head + at) & (ringSamples - 1)
      found += this.#present[index] ?? 0
      block[at] = this.#ring[index] ?? 0
    }
    this.#forget(1)
    if (found < blockSamples) {
      this.#missing++
      return this.#missing > blocksToIdle ? "idle" : "lost"
    }
    this.#missing = 0
    return adjustment === "skip" ? "spliced" : "sound"
  }
}
