/**
 * The line that is connected with this one: where the other side's sound goes, and the sound that comes from there. It
 * comes over a network in bursts and leaves at the pace of the ticks. Plain code, called for each frame.
 */
import { levelOf } from "../speech/Audio.ts"
import type { SoundSink } from "./SoundPatch.ts"

/** Frames that have to wait before the first one leaves, so that a burst that is late leaves no gap. */
const cushion = 2
/** More than 200 ms of delay would make the two talk into each other's words. */
const mostFrames = 10
/** Nothing is lost in frames below this level. */
const quietDb = -50

export class ConnectedLine {
  #sink: SoundSink | null = null
  #frames: Array<Int16Array> = []
  #isFlowing = false
  #db: number | null = null

  /** Null: no line is connected. */
  connect(sink: SoundSink | null): void {
    this.#sink = sink
    this.#frames = []
    this.#isFlowing = false
    this.#db = null
  }

  get sink(): SoundSink | null {
    return this.#sink
  }

  /** The level of the frame that left last; null if none did at the last tick. */
  get db(): number | null {
    return this.#db
  }

  put(frame: Int16Array): void {
    if (this.#sink === null) return
    this.#frames.push(frame)
    if (this.#frames.length > mostFrames) this.#frames.shift()
  }

  /** The frame of this tick; null if there is none. */
  next(): Int16Array | null {
    this.#isFlowing ||= this.#frames.length >= cushion
    this.#catchUp()
    const frame = this.#isFlowing ? this.#frames.shift() : undefined
    this.#isFlowing &&= frame !== undefined
    this.#db = frame === undefined ? null : levelOf(frame)
    return frame ?? null
  }

  /** What a burst has delayed is made up for in pauses, a frame a tick, so that no word is lost. */
  #catchUp(): void {
    const [first] = this.#frames
    if (first !== undefined && this.#frames.length > cushion && levelOf(first) < quietDb) this.#frames.shift()
  }
}
