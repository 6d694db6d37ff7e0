/**
 * The line that is connected with this one: the sink for this line's sound, and a small jitter buffer for the sound of
 * that line. Frames come in bursts and leave one a tick. Plain code, called for each frame.
 */
import { levelOf } from "../speech/Audio.ts"
import type { SoundSink } from "./SoundPatch.ts"

/** The buffer holds this many frames before the first one leaves, so that a late burst makes no gap. */
const cushion = 2
/** With a delay of more than 200 ms the two would talk over each other. */
const mostFrames = 10
/** A frame below this level can be dropped without losing a word. */
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

  /** The level of the frame that left at the last tick; null if none did. */
  get db(): number | null {
    return this.#db
  }

  put(frame: Int16Array): void {
    if (this.#sink === null) return
    this.#frames.push(frame)
    if (this.#frames.length > mostFrames) this.#frames.shift()
  }

  /** Returns the frame of this tick; null if there is none. */
  next(): Int16Array | null {
    this.#isFlowing ||= this.#frames.length >= cushion
    this.#catchUp()
    const frame = this.#isFlowing ? this.#frames.shift() : undefined
    this.#isFlowing &&= frame !== undefined
    this.#db = frame === undefined ? null : levelOf(frame)
    return frame ?? null
  }

  /** Shortens the delay after a burst: drops one quiet frame a tick, so that no word is lost. */
  #catchUp(): void {
    const [first] = this.#frames
    if (first !== undefined && this.#frames.length > cushion && levelOf(first) < quietDb) this.#frames.shift()
  }
}
