/**
 * Detects the tones of fax machines (T.30: 1100 Hz from a calling one, 2100 Hz from a called one) and the three special
 * information tones before a network's announcement (E.180). Plain code, called for each frame.
 */
import { frameMs } from "./Audio.ts"

export type NetworkTone = "fax" | "sit"

/** T.30 allows a deviation of 38 and 15 Hz. Some is added for noise. */
const isCallingFax = (hz: number): boolean => Math.abs(hz - 1_100) < 45
const isCalledFax = (hz: number): boolean => Math.abs(hz - 2_100) < 35
/** A fax machine begins with its tone. As the first sound of a call, the tone is recognised after this time. */
const faxFrames = 400 / frameMs
/** Later in a call, a tone of 2100 Hz may be a voicemail's, which is shorter than this. */
const lateFaxFrames = 2_600 / frameMs
/** With more other sound before it, a tone is not the first sound of the call. */
const mostOtherFrames = 200 / frameMs

/** The bands of the three tones, with the variants that networks use. */
const sequence = [
  [890, 1_010],
  [1_340, 1_460],
  [1_740, 1_830],
] as const
const segmentAtLeast = 180 / frameMs
const segmentAtMost = 500 / frameMs
/** The longest gap between two of the three tones. */
const gapFrames = 120 / frameMs

/** The most by which the frames of one tone differ. */
const steadyHz = 45
/** One frame within a tone may be missing: lost, or spoiled by the phase reversals of a called fax machine. */
const framesLost = 1

export class NetworkTones {
  #hz = 0
  #frames = 0
  #lost = 0
  /** Loud frames without a tone, since the answer. */
  #others = 0
  /** How many of the three tones were heard, and how long ago the last one ended. */
  #heard = 0
  #since = 0
  #told = false

  /** Takes the frame's tone, or null if it is not one tone. Returns each recognised tone once. */
  hear(hz: number | null, isLoud: boolean): NetworkTone | null {
    if (this.#told) return null
    if (hz !== null && this.#frames > 0 && Math.abs(hz - this.#hz) < steadyHz) {
      this.#frames += 1 + this.#lost
      this.#hz = 0.7 * this.#hz + 0.3 * hz
      this.#lost = 0
    } else if (this.#frames > 0 && this.#lost < framesLost) {
      this.#lost++
      return null
    } else {
      this.#endSegment()
      if (hz !== null) {
        this.#hz = hz
        this.#frames = 1
      } else if (isLoud) this.#others++
    }
    const tone = this.#isFax() ? "fax" : this.#isLastOfThree() ? "sit" : null
    this.#told = tone !== null
    return tone
  }

  #isFax(): boolean {
    const isFirst = this.#others <= mostOtherFrames
    if (isFirst && this.#frames >= faxFrames && (isCallingFax(this.#hz) || isCalledFax(this.#hz))) return true
    return this.#frames >= lateFaxFrames && isCalledFax(this.#hz)
  }

  #isLastOfThree(): boolean {
    return this.#heard === sequence.length - 1 && this.#frames >= segmentAtLeast && this.#isInBand()
  }

  #isInBand(): boolean {
    const [least, most] = sequence[this.#heard] ?? sequence[0]
    return this.#hz > least && this.#hz < most
  }

  #endSegment(): void {
    this.#since++
    if (this.#frames === 0) {
      if (this.#since > gapFrames) this.#heard = 0
      return
    }
    const isNext = this.#frames >= segmentAtLeast && this.#frames <= segmentAtMost && this.#isInBand()
    // Anything else restarts the sequence, and may itself be its first tone.
    this.#heard = isNext ? this.#heard + 1 : 0
    this.#since = 0
    this.#frames = 0
    this.#lost = 0
  }
}
