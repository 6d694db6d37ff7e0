/**
 * An adaptive jitter buffer for one peer. It orders sound by time stamp, delays it by as much as the jitter requires,
 * and is read at our own pace, whatever the rate of the peer's clock. Plain code: `hear` for each packet, `schedule`
 * once a frame, and `read` for each of the frame's two blocks of 10 ms. Times are milliseconds of a monotonic clock.
 *
 * The target is the delay of `NetworkDelay`. `schedule` compares the present delay with it, and `read` corrects the
 * difference:
 *
 * | the delay is, on average                    | the next block                               |
 * | ------------------------------------------- | -------------------------------------------- |
 * | too short by more than 10 ms                | is empty: `stretched`                        |
 * | too long by more than 20 ms, and it is quiet | is left out, and the one after it: `spliced` |
 * | too long by more than 60 ms                 | is left out, also when it is loud            |
 * | too long by more than 200 ms, even once     | is left out with all others that are too late |
 */
import { g711Rate } from "../../speech/G711.ts"
import { mostDelayMs, NetworkDelay } from "./NetworkDelay.ts"
import { ringSamples, SampleRing } from "./SampleRing.ts"

export const blockSamples = 80
const samplesAMs = g711Rate / 1_000

/** The corrections of the table, in samples. A splice in loud sound is audible, so it is made later. */
const tooEarly = 10 * samplesAMs
const tooLate = 20 * samplesAMs
const muchTooLate = 60 * samplesAMs
const jump = 200 * samplesAMs
/** The delay is averaged over about this many frames. */
const averagedFrames = 16
/** This many late packets in a row mean that the network delay has grown. */
const lateInARow = 10
/** Time stamps that jump by this much begin another stretch of sound. A single such packet is ignored as a stray. */
const strayMs = 2_000
/** After a pause of this length a peer may continue with the time stamps at which it stopped. */
const pauseMs = 500
/** A longer gap is a pause of the peer and not a loss. */
const blocksToIdle = 20
/** If sound continues without a gap after this many empty blocks, it was delayed: the network delay has grown. */
const blocksOfDetour = 6

/**
 * What `read` did with a block. `sound`: wrote the sound as it was sent. `spliced`: skipped some sound and wrote what
 * follows. `stretched`: wrote nothing, so that the delay grows. `lost`: wrote nothing, because expected sound is
 * missing. `idle`: wrote nothing, because no sound was expected.
 */
export type Block = "sound" | "spliced" | "stretched" | "lost" | "idle"

export class JitterBuffer {
  readonly #ring = new SampleRing()
  readonly #network = new NetworkDelay()
  #isEmpty = true
  /** Positions are time stamps that do not wrap: the last one heard, the next to read, and the end of the newest sound. */
  #last = 0
  #head = 0
  #end = 0
  /** Whether the first sound of a stretch still waits for its delay to pass. */
  #isWaiting = true
  /** By how many samples sound is read too early, on average. */
  #deviation = 0
  #adjustment: "none" | "skip" | "stretch" = "none"
  #lateRow = 0
  /** Missing blocks in a row. */
  #missing = 0
  /** Blocks that were requested since the buffer ran empty. */
  #starved = 0
  #heardAt = 0
  #stray: number | null = null
  #late = 0
  #skipped = 0
  #stretched = 0

  /** The time in milliseconds by which sound is delayed to absorb jitter. */
  get delayMs(): number {
    return this.#network.playoutMs
  }

  /** Packets that arrived too late to be played. */
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

  /** Resets the buffer: the next packet begins another stream. */
  reset(): void {
    this.#isEmpty = true
  }

  /** Takes the sound of a packet that arrived at `now`. */
  hear(timestamp: number, samples: Int16Array, now: number): void {
    if (this.#isEmpty) this.#restart(timestamp, now)
    const meaning = this.#interpret(this.#positionOf(timestamp), now)
    if (meaning === "stray") return
    if (meaning === "another stretch") this.#restart(timestamp, now)
    const position = this.#positionOf(timestamp)
    this.#stray = null
    this.#last = position
    this.#network.learn(transitOf(position, now), now)
    this.#write(position, samples, now)
  }

  /** Converts a time stamp, which wraps at 2³², to the position that is nearest to the last one. */
  #positionOf(timestamp: number): number {
    return this.#last + ((timestamp - this.#last) | 0)
  }

  /** Decides whether a packet belongs to the present stretch of sound, begins another one, or is a stray. */
  #interpret(position: number, now: number): "this stretch" | "another stretch" | "stray" {
    const lateMs = transitOf(position, now) - this.#network.fastest
    const hasPaused = now - this.#heardAt > pauseMs
    this.#heardAt = now
    const isFarOff = Math.abs(lateMs) > strayMs
    if (!isFarOff && !(hasPaused && lateMs > mostDelayMs)) return "this stretch"
    const followsStray = this.#stray !== null && Math.abs(position - this.#stray) < strayMs * samplesAMs
    if (followsStray || hasPaused) return "another stretch"
    this.#stray = position
    return "stray"
  }

  #restart(position: number, now: number): void {
    this.#ring.clear()
    this.#isEmpty = false
    this.#isWaiting = true
    this.#last = this.#head = this.#end = position
    this.#network.restart(transitOf(position, now), now)
    this.#heardAt = now
    this.#lateRow = 0
    this.#missing = 0
    this.#starved = 0
    this.#stray = null
  }

  #write(position: number, samples: Int16Array, now: number): void {
    const end = position + samples.length
    const hasPaused = this.#missing >= blocksToIdle && this.#head >= this.#end
    if (hasPaused && position > this.#head) this.#endPause(position)
    if (end - this.#head > ringSamples) return
    if (this.#starved > 0 && end > this.#head) this.#endStarvation(position, now)
    if (end <= this.#head) return this.#countLate(position, now)
    this.#lateRow = 0
    this.#ring.write(position, samples, this.#head)
    this.#end = Math.max(this.#end, end)
  }

  /** After a pause that emptied the buffer, reading continues at the peer's new position, with the initial delay. */
  #endPause(position: number): void {
    this.#head = position
    this.#isWaiting = true
    this.#missing = 0
    this.#starved = 0
  }

  /**
   * Takes the first sound after the buffer ran empty. Blocks that are missing before it were lost, and their time has
   * passed. The rest of the waiting time counts as delay.
   */
  #endStarvation(position: number, now: number): void {
    const lost = Math.max(0, Math.min(this.#starved, Math.floor((position - this.#head) / blockSamples)))
    const waited = this.#starved - lost
    this.#starved = 0
    this.#head += lost * blockSamples
    if (waited >= blocksOfDetour) this.#restart(Math.max(position, this.#head), now)
  }

  #countLate(position: number, now: number): void {
    this.#late++
    this.#lateRow++
    if (this.#lateRow >= lateInARow) this.#restart(position, now)
  }

  /** Decides before each frame, by the table above, whether to read it as it is, shorten it or stretch it. */
  schedule(now: number): void {
    if (this.#isEmpty || this.#starved > 0) return
    const due = (now - this.#network.fastest - this.#network.playoutMs) * samplesAMs
    const early = this.#head - due
    if (this.#isWaiting) {
      if (early > 0) return
      this.#isWaiting = false
      this.#deviation = 0
    }
    if (early < -jump) {
      this.#pass(Math.ceil(-early / blockSamples))
      this.#deviation = 0
      return
    }
    this.#deviation += (early - this.#deviation) / averagedFrames
    if (this.#deviation > tooEarly) this.#adjustment = "stretch"
    else if (this.#deviation < -muchTooLate || (this.#deviation < -tooLate && this.#isQuiet()))
      this.#adjustment = "skip"
  }

  #isQuiet(): boolean {
    return this.#ring.isQuiet(this.#head, blockSamples)
  }

  /** Skips this many blocks. */
  #pass(blocks: number): void {
    const until = this.#head + blocks * blockSamples
    this.#ring.erase(this.#head, Math.min(until, this.#end))
    this.#head = until
  }

  /** Writes the next 10 ms into `block`, if there are any. */
  read(block: Int16Array): Block {
    if (this.#isEmpty || this.#isWaiting) return "idle"
    if (this.#head >= this.#end) return this.#starve()
    const adjustment = this.#adjustment
    this.#adjustment = "none"
    if (adjustment === "stretch") return this.#stretch()
    if (adjustment === "skip") this.#skip()
    const arrived = this.#ring.read(this.#head, block)
    this.#pass(1)
    if (arrived < blockSamples) return this.#miss()
    this.#missing = 0
    return adjustment === "skip" ? "spliced" : "sound"
  }

  #stretch(): Block {
    this.#stretched++
    this.#deviation -= blockSamples
    return "stretched"
  }

  #skip(): void {
    this.#skipped++
    this.#deviation += blockSamples
    this.#pass(1)
  }

  /** The buffer is empty. The position stays, so that delayed sound does not count as late. */
  #starve(): Block {
    this.#starved++
    this.#adjustment = "none"
    return this.#miss()
  }

  #miss(): Block {
    this.#missing++
    return this.#missing > blocksToIdle ? "idle" : "lost"
  }
}

/** The transit of a packet with sound from `position` on: its arrival minus its time stamp. */
const transitOf = (position: number, now: number): number => now - position / samplesAMs
