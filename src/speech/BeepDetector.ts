/**
 * Hears the tone after which a machine records: one steady frequency for 0.14 to 2.5 s, then quiet. A voice, music or a
 * pressed key (two frequencies at once) is none. Plain code, called for each frame.
 */
import { frameMs, levelOf } from "./Audio.ts"

/** Tones of machines lie well within a telephone's band. */
const lowestHz = 380
const highestHz = 2_600
const quietestDb = -40
/** The share of a frame's power that must lie at its frequency. A pure tone has 1, two tones of equal level 0.5. */
const leastShare = 0.7
/** From frame to frame the frequency moves by no more than this; a voice's moves further. */
const steadyHz = 45
const framesAtLeast = 140 / frameMs
const framesAtMost = 2_500 / frameMs
/** One frame within a tone may be lost. */
const framesLost = 1
/** The tone is over after so many frames without it. */
const framesAfter = 120 / frameMs
/** A tone so soon after another one is part of a melody. */
const framesApart = 500 / frameMs

export class BeepDetector {
  readonly #rate: number
  #hz = 0
  #toneFrames = 0
  #otherFrames = 0
  /** Frames until a tone may be a beep again. */
  #melodyFrames = 0

  /** Samples a second of the frames. */
  constructor(rate: number) {
    this.#rate = rate
  }

  /** Returns true once for each tone, 120 ms after its end. */
  hear(frame: Int16Array): boolean {
    const hz = this.#toneOf(frame)
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

  /** The frequency of a frame that is one tone, else null. */
  #toneOf(frame: Int16Array): number | null {
    if (levelOf(frame) < quietestDb) return null
    const hz = frequencyOf(frame, this.#rate)
    return hz > lowestHz && hz < highestHz && shareAt(frame, hz / this.#rate) > leastShare ? hz : null
  }
}

/**
 * The frequency of a tone in noise, by Pisarenko: correlations at one and two samples' distance, in which white noise has
 * no part. That at none has, and would draw the estimate towards the middle of the band.
 */
const frequencyOf = (frame: Int16Array, rate: number): number => {
  let one = 0
  let two = 0
  for (let at = 2; at < frame.length; at++) {
    const sample = frame[at] ?? 0
    one += sample * (frame[at - 1] ?? 0)
    two += sample * (frame[at - 2] ?? 0)
  }
  const cosine = one === 0 ? 1 : (two + Math.sqrt(two * two + 8 * one * one)) / (4 * one)
  return Math.abs(cosine) < 1 ? (Math.acos(cosine) * rate) / (2 * Math.PI) : 0
}

/** The share of the frame's power at a frequency, in cycles a sample (Goertzel). */
const shareAt = (frame: Int16Array, frequency: number): number => {
  const coefficient = 2 * Math.cos(2 * Math.PI * frequency)
  let last = 0
  let earlier = 0
  let power = 0
  for (const sample of frame) {
    const next = sample + coefficient * last - earlier
    earlier = last
    last = next
    power += sample * sample
  }
  const atFrequency = (last * last + earlier * earlier - coefficient * last * earlier) / (frame.length / 2)
  return power === 0 ? 0 : atFrequency / power
}
