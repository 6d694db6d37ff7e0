/**
 * Detects the tone after which a machine records: one steady frequency for 0.14 to 2.5 s, then quiet. It ignores
 * voices, music and pressed keys (two frequencies at once). Plain code, called for each frame.
 */
import { frameMs } from "./Audio.ts"

/** The frequency of a beep moves by at most this much between frames. A voice's moves further. */
const steadyHz = 45
const framesAtLeast = 140 / frameMs
const framesAtMost = 2_500 / frameMs
/** One frame within a tone may be lost. */
const framesLost = 1
/** The tone is over after this many frames without it. */
const framesAfter = 120 / frameMs
/** A tone that follows another one sooner is part of a melody. */
const framesApart = 500 / frameMs

export class BeepDetector {
  #hz = 0
  #toneFrames = 0
  #otherFrames = 0
  /** Frames until a tone can be a beep again. */
  #melodyFrames = 0

  /** Takes the frame's tone, or null if it is not one tone. Returns true once for each beep, 120 ms after its end. */
  hear(hz: number | null): boolean {
    if (this.#melodyFrames > 0) {
      this.#melodyFrames = hz === null ? this.#melodyFrames - 1 : framesApart
      return false
    }
    if (this.#toneFrames === 0) {
      if (hz !== null) this.#follow(hz)
      return false
    }
    if (hz !== null && Math.abs(hz - this.#hz) < steadyHz) {
      this.#follow(hz)
      return false
    }
    this.#otherFrames++
    if (hz !== null && this.#otherFrames > framesLost) {
      this.#melodyFrames = framesApart
      this.#forget()
    }
    if (this.#otherFrames < framesAfter) return false
    const isBeep = this.#toneFrames >= framesAtLeast && this.#toneFrames <= framesAtMost
    this.#forget()
    return isBeep
  }

  #follow(hz: number): void {
    this.#hz = this.#toneFrames < 2 ? hz : 0.7 * this.#hz + 0.3 * hz
    this.#toneFrames += 1 + this.#otherFrames
    this.#otherFrames = 0
  }

  #forget(): void {
    this.#toneFrames = 0
    this.#otherFrames = 0
  }
}
