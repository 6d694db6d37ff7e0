/**
 * Whether somebody speaks, by how loud it is against what is always there. That is learnt as the quietest of the last
 * two seconds, and never stops being learnt while somebody speaks: a floor that waits for the end of speech takes the
 * first noise for speech that has no end. Pure, and cheap: one call a frame.
 *
 * Enough for noise that stays as it is, down to some 10 dB; other voices nearby are voices.
 */
import { levelOf } from "./Audio.ts"

/** Of the level before, in the next one. */
const memory = 0.4
/** Minima of 200 ms each, over two seconds. */
const framesABlock = 10
const blocks = 10
/** The quietest of a noise lies below its mean. */
const biasDb = 2
const onDb = 8
/** It is silent again only when it is quieter than what it took to begin. */
const hysteresisDb = 3
/** What is taken for a voice: nothing below the first, everything above the second. */
const quietestDb = -46
const loudestDb = -26
/** Before anything was heard. */
const unknownDb = -50
const framesOn = 3
const framesOff = 12

export interface Circumstances {
  /** What is heard may be learnt from: nothing of ours comes back. */
  readonly learns: boolean
  /** What a voice has to be louder than, since we are being heard. */
  readonly leastDb?: number
}

export class VoiceActivity {
  #smoothed: number | undefined
  #minima: Array<number> = []
  #minimum = Number.POSITIVE_INFINITY
  #inBlock = 0
  #isOn = false
  #isVoiced = false
  /** Frames in a row that are otherwise than it is now. */
  #against = 0

  /** Somebody is speaking, or has just stopped. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** The last frame had voice in it. */
  get isVoiced(): boolean {
    return this.#isVoiced
  }

  get floorDb(): number {
    const known = Math.min(this.#minimum, ...this.#minima)
    return known === Number.POSITIVE_INFINITY ? unknownDb : known + biasDb
  }

  /** What changed with this frame. */
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
    this.#minimum = Number.POSITIVE_INFINITY
    this.#inBlock = 0
  }
}

/** So many frames it takes to be sure of a beginning, and of an end. */
export const certainty = { on: framesOn, off: framesOff } as const
