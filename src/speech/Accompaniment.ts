/**
 * Plays music on one line while neither side speaks. The music fades in slowly, and fades out within a frame when a
 * voice begins, so that nothing clicks. Plain code, called for each frame.
 */
import { frameMs, levelOf } from "./Audio.ts"
import type { Music } from "./HoldMusic.ts"

/** The time from silence to full level. */
const fadeInMs = 800
const step = frameMs / fadeInMs

export class Accompaniment {
  readonly #rate: number
  #music: Music | null = null
  #isWanted = false
  #position = 0
  /** The gain at the end of the last frame, from 0 to 1. */
  #gain = 0
  #db: number | null = null

  constructor(rate: number) {
    this.#rate = rate
  }

  /** Sets the music; null ends it. */
  set(music: Music | null): void {
    this.#isWanted = music !== null
    if (music !== null) this.#music = music
  }

  /** The level of the music that is being heard now; null for none. */
  get db(): number | null {
    return this.#db
  }

  /** Returns the next frame of music; null for none. `isQuiet`: no other sound is playing or about to play. */
  next(isQuiet: boolean): Int16Array | null {
    const to = this.#isWanted && isQuiet ? Math.min(1, this.#gain + step) : 0
    if (to === 0 && this.#gain === 0) {
      this.#db = null
      return null
    }
    const frame = this.#take(to)
    this.#db = levelOf(frame)
    return frame
  }

  /** Mixes the fading end of the music into the frame that replaces it. */
  end(frame: Int16Array): Int16Array {
    if (this.#gain === 0) return frame
    const last = this.#take(0)
    this.#db = null
    return frame.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (last[at] ?? 0))))
  }

  #take(to: number): Int16Array {
    const from = this.#gain
    this.#gain = to
    const frame = this.#music?.frame(this.#rate, this.#position++) ?? new Int16Array(0)
    return frame.map((sample, at) => Math.round(sample * (from + ((to - from) * (at + 1)) / frame.length)))
  }
}
