/**
 * The sound of one peer between the network and our clock: ordered by time stamp, delayed by as much as its jitter
 * requires, and read at our own pace, whatever the rate of the peer's clock. Plain code: `hear` for each packet,
 * `schedule` once a frame, and `read` for each of the frame's two blocks of 10 ms. Times are milliseconds of a
 * monotonic clock.
 */
import { g711Rate } from "./G711.ts"

export const blockSamples = 80
const samplesAMs = g711Rate / 1_000

/** About a second of sound. A power of two, so that a position in the ring is the low bits of a time stamp. */
const ringSamples = 8_192
/** Bounds of the delay: a shorter one stutters on any network, a longer one disturbs the conversation. */
const leastDelayMs = 40
const mostDelayMs = 120
const frameMs = 20
/** The delay is long enough for this share of the packets, out of about the last four seconds. */
const coveredShare = 0.99
const forgetting = 0.995
const binMs = 10
const bins = 20
/** The jitter assumed for a new peer; together with the frame itself it gives a delay of 60 ms. */
const assumedBin = 3
/**
 * The fastest packet in this many blocks of this length took the least time through the network, so that its arrival shows
 * the peer's clock.
 */
const baseBlocks = 10
const baseBlockMs = 1_000
/** Sound is only left out or stretched when its delay is off by more than this, on average. */
const tooEarly = 10 * samplesAMs
const tooLate = 20 * samplesAMs
/** A larger difference is corrected at once and not block by block. */
const jump = 200 * samplesAMs
/** A splice in loud sound is audible, so it is only made when the sound is later than this. */
const muchTooLate = 60 * samplesAMs
const quietSample = 300
/** This many late packets in a row mean that the network delay has grown. */
const lateInARow = 10
/** Time stamps that are off by this much begin another stretch of sound; a single such packet is a stray. */
const strayMs = 2_000
/** After a pause of this length a peer may continue with the time stamps at which it stopped. */
const pauseMs = 500
/** A longer gap is a pause of the peer and not a loss. */
const blocksToIdle = 20
/** Sound that continues without a gap after this many blocks of nothing was delayed: the network delay has grown. */
const blocksOfDetour = 6

/**
 * What a block holds. `sound`: the sound as it was sent. `spliced`: sound that follows some that was left out. `stretched`:
 * nothing, so that the delay grows. `lost`: nothing, where sound was expected. `idle`: nothing, and none was expected. Only
 * the first two write into the block.
 */
export type Block = "sound" | "spliced" | "stretched" | "lost" | "idle"

export class JitterBuffer {
  readonly #ring = new Int16Array(ringSamples)
  readonly #present = new Uint8Array(ringSamples)
  readonly #lateness = new Float64Array(bins)
  #isEmpty = true
  /** Positions are time stamps that do not wrap: the last one heard, the next to read, and the end of the newest sound. */
  #last = 0
  #head = 0
  #end = 0
  #isWaiting = true
  /** The least difference between arrival and time stamp: of all, by past second, and in the present second. */
  #base = 0
  #bases: Array<number> = []
  #baseNow = 0
  #baseSince = 0
  #delayMs = leastDelayMs
  #deviation = 0
  #adjustment: "none" | "skip" | "stretch" = "none"
  #lateRow = 0
  #missing = 0
  /** Blocks asked for since all arrived sound was read. */
  #starved = 0
  #heardAt = 0
  #stray: number | null = null
  #late = 0
  #skipped = 0
  #stretched = 0

  constructor() {
    this.#lateness[assumedBin] = 1
  }

  /** The time in milliseconds by which sound is delayed to absorb jitter. */
  get delayMs(): number {
    return this.#delayMs
  }

  /** Packets that arrived after their time to be played. */
  get late(): number {
    return this.#late
  }

  /** Blocks of 10 ms that were left out to shorten the delay. */
  get skipped(): number {
    return this.#skipped
  }

  /** Blocks of 10 ms that were added to lengthen it. */
  get stretched(): number {
    return this.#stretched
  }

  /** Forgets the present stream: the next packet begins another one. */
  reset(): void {
    this.#isEmpty = true
  }

  /** Takes the sound of a packet that arrived at `now`. */
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
    this.#starved = 0
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
    // After a pause, reading continues where the peer does, delayed as at the beginning.
    if (this.#missing >= blocksToIdle && at > this.#head) {
      this.#head = at
      this.#isWaiting = true
      this.#missing = 0
      this.#starved = 0
    }
    if (end - this.#head > ringSamples) return
    if (this.#starved > 0 && end > this.#head) this.#feed(at, now)
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

  /**
   * The first sound after starvation. Blocks that are missing before it were lost, and their time has passed. The rest of
   * the waiting time is a delay.
   */
  #feed(at: number, now: number): void {
    const missing = Math.max(0, Math.min(this.#starved, Math.floor((at - this.#head) / blockSamples)))
    const waited = this.#starved - missing
    this.#starved = 0
    this.#head += missing * blockSamples
    if (waited >= blocksOfDetour) this.#restart(Math.max(at, this.#head), now)
  }

  /** Decides before each frame whether it is read as it is, shortened or stretched. */
  schedule(now: number): void {
    if (this.#isEmpty || this.#starved > 0) return
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

  /** Moves past this many blocks without reading them. */
  #forget(blocks: number): void {
    const until = this.#head + blocks * blockSamples
    for (let position = this.#head; position < Math.min(until, this.#end); position++) {
      this.#present[position & (ringSamples - 1)] = 0
    }
    this.#head = until
  }

  /** Writes the next 10 ms into `block`, if there are any. */
  read(block: Int16Array): Block {
    if (this.#isEmpty || this.#isWaiting) return "idle"
    if (this.#head >= this.#end) return this.#starve()
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

  /** All arrived sound was read. The position stays, so that sound which is only delayed does not count as late. */
  #starve(): Block {
    this.#starved++
    this.#missing++
    this.#adjustment = "none"
    return this.#missing > blocksToIdle ? "idle" : "lost"
  }
}
