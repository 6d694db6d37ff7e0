/**
 * Detects speech by its level above the background noise. The noise level is the quietest of the last two seconds, also
 * while a person speaks: if it were learnt only in silence, the first noise would count as endless speech. The detector
 * copes with steady noise up to some 10 dB below the voice. Other voices nearby count as voices. Pure, and cheap: one
 * call a frame.
 */
import { frameMs, levelOf, silenceDb } from "./Audio.ts"
import type { Circumstances, VoiceDetector } from "./detection/VoiceDetector.ts"

/** The weight of the previous level in the next one. */
const memory = 0.4
/** Minima of 200 ms each, over two seconds. */
const framesABlock = 10
const blocks = 10
/** The quietest moment of a noise lies below its mean by about this much. */
const biasDb = 2
const onDb = 8
/** Speech ends only when the level falls this far below the level that began it. */
const hysteresisDb = 3
/** Bounds of the threshold: nothing below `quietestDb` is a voice, and everything above `loudestDb` is. */
export const quietestDb = -46
const loudestDb = -26
/** The assumed noise level before anything was heard. */
const unknownDb = -50
const framesOn = 3
const framesOff = 12

export class VoiceActivity implements VoiceDetector {
  #smoothed: number | undefined
  #minima: Array<number> = []
  /** The least of them. */
  #leastOfBlocks = Number.POSITIVE_INFINITY
  #minimum = Number.POSITIVE_INFINITY
  #inBlock = 0
  #isOn = false
  #isVoiced = false
  /** Frames in a row that contradict the present state. */
  #against = 0

  /** A person is speaking, or has just stopped. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** The last frame had voice in it. */
  get isVoiced(): boolean {
    return this.#isVoiced
  }

  readonly delayMs = 0
  readonly onsetMs = framesOn * frameMs

  /** Smoothed. */
  get levelDb(): number {
    return this.#smoothed ?? silenceDb
  }

  /** Whether the background is too quiet to raise the threshold of a voice. */
  get isQuiet(): boolean {
    return this.floorDb + onDb <= quietestDb
  }

  get floorDb(): number {
    const known = Math.min(this.#minimum, this.#leastOfBlocks)
    return known === Number.POSITIVE_INFINITY ? unknownDb : known + biasDb
  }

  /** Returns what changed with this frame. */
  hear(frame: Int16Array, { learns, leastDb = quietestDb }: Circumstances): "on" | "off" | null {
    const level = levelOf(frame)
    const smoothed = this.#smoothed === undefined ? level : memory * this.#smoothed + (1 - memory) * level
    this.#smoothed = smoothed
    const on = Math.max(leastDb, Math.min(loudestDb, Math.max(quietestDb, this.floorDb + onDb)))
    if (learns) this.#learn(smoothed)
    this.#isVoiced = smoothed > (this.#isOn ? on - hysteresisDb : on)
    this.#against = this.#isVoiced === this.#isOn ? 0 : this.#against + 1
    if (this.#against < (this.#isOn ? framesOff : framesOn)) return null
    this.#against = 0
    this.#isOn = !this.#isOn
    return this.#isOn ? "on" : "off"
  }

  #learn(level: number): void {
    this.#minimum = Math.min(this.#minimum, level)
    this.#inBlock++
    if (this.#inBlock < framesABlock) return
    this.#minima.push(this.#minimum)
    if (this.#minima.length > blocks) this.#minima.shift()
    this.#leastOfBlocks = Math.min(...this.#minima)
    this.#minimum = Number.POSITIVE_INFINITY
    this.#inBlock = 0
  }
}
