/**
 * Holds the last seconds of a call's two sides on one clock, the other side left and the agent right. Slots of 20 ms
 * are numbered from the beginning of the line. A slot without speech is silence, so the two sides stay in step in long
 * calls. Plain code, called for each frame. It never waits and never grows.
 */
import { frameMs, samplesOf } from "../speech/Audio.ts"
import { Resampler } from "../speech/Resampler.ts"
import type { SoundTap, TappableSound } from "../telephony/SoundTap.ts"

export interface BufferLimits {
  /** How many milliseconds are kept for a late reader. Older sound is dropped. */
  readonly keptMs: number
  /** A frame that arrives later than this is dropped, because its slot was already read. */
  readonly latestMs: number
  /** Whether the buffer begins with its first tick and not with the beginning of the line. */
  readonly joinsLate: boolean
}

const ofRecording: BufferLimits = { keptMs: 3_000, latestMs: 300, joinsLate: false }
/** A listener's delay is as short as late frames allow: `ArrivalTimes` dates them back by up to 200 ms. */
export const ofListener: BufferLimits = { keptMs: 1_000, latestMs: 240, joinsLate: true }

/** How many slots a side may be ahead of the clock. Frames that come faster than time passes are dropped. */
const mostAheadSlots = 1

const bytesPerSample = 2
const sides = { left: 0, right: 1 } as const

/** A tap that makes both sides silent while `isPaused`, which it asks for each frame. */
export const pausing = (buffer: StereoBuffer, isPaused: () => boolean): SoundTap => ({
  tick: (at) => buffer.tick(at),
  heard: (frame, at) => {
    buffer.pause(isPaused())
    buffer.heard(frame, at)
  },
  spoken: (frame, at) => {
    buffer.pause(isPaused())
    buffer.spoken(frame, at)
  },
})

export class StereoBuffer implements SoundTap {
  /** Samples a second of both sides: the rate of the other side's sound. The agent's sound is resampled to it. */
  readonly rate: number
  readonly #slotSamples: number
  readonly #slots: number
  readonly #latestSlots: number
  readonly #joinsLate: boolean
  readonly #ring: Int16Array<ArrayBuffer>
  readonly #resampler: Resampler
  /** The offset of the ticks within 20 ms; null before the first tick. */
  #phase: number | null = null
  /** The slot of the last tick. */
  #now = 0
  /** The first slot that was not taken yet. */
  #from = 0
  /** The next free slot of each side. */
  readonly #next: [number, number] = [0, 0]
  #isPaused = false
  #isOtherSilent = false
  #lost = 0

  constructor({ heard, spoken }: TappableSound["rates"], { joinsLate, keptMs, latestMs }: BufferLimits = ofRecording) {
    this.rate = heard
    this.#slots = keptMs / frameMs
    this.#latestSlots = latestMs / frameMs
    this.#joinsLate = joinsLate
    this.#slotSamples = samplesOf(heard)
    this.#ring = new Int16Array(this.#slots * this.#slotSamples * 2)
    this.#resampler = new Resampler(spoken, heard)
  }

  /** Bytes of one slot, both sides together. */
  get slotBytes(): number {
    return this.#slotSamples * 2 * bytesPerSample
  }

  /** Frames that were dropped because they, or the reader, came too late. */
  get lost(): number {
    return this.#lost
  }

  /** Milliseconds since the line began. */
  get position(): number {
    return this.#now * frameMs
  }

  /** Makes both sides silent, or ends that. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused
  }

  /** Makes only the other side silent, or ends that. */
  silenceOther(isSilent: boolean): void {
    this.#isOtherSilent = isSilent
  }

  tick(at: number): void {
    const isFirst = this.#phase === null
    this.#phase ??= at % frameMs
    this.#now = this.#slotAt(at)
    if (isFirst && this.#joinsLate) this.#from = this.#now
  }

  heard(frame: Int16Array, at: number): void {
    this.#put(sides.left, frame, at)
  }

  spoken(frame: Int16Array, at: number): void {
    this.#put(sides.right, this.#resampler.take(frame), at)
  }

  #slotAt(at: number): number {
    return Math.round((at - (this.#phase ?? 0)) / frameMs)
  }

  #put(side: 0 | 1, samples: Int16Array, at: number): void {
    const due = this.#slotAt(at)
    const slot = Math.max(this.#next[side], due)
    if (slot < 0) return
    if (slot - due > mostAheadSlots || slot < this.#from || slot >= this.#from + this.#slots) {
      this.#lost++
      return
    }
    this.#next[side] = slot + 1
    if (this.#isPaused || (this.#isOtherSilent && side === sides.left)) return
    const start = (slot % this.#slots) * this.#slotSamples * 2 + side
    for (let index = 0; index < this.#slotSamples; index++) this.#ring[start + index * 2] = samples[index] ?? 0
  }

  /**
   * Takes the complete slots: interleaved 16-bit samples, left and right, and the slot at which they begin. Null if
   * there are none. `isOver`: no more frames come.
   */
  take(isOver: boolean): { readonly slot: number; readonly bytes: Uint8Array<ArrayBuffer> } | null {
    const end = isOver ? Math.max(this.#now, ...this.#next) : this.#now - this.#latestSlots
    const count = Math.min(end - this.#from, this.#slots)
    if (count <= 0) return null
    const samples = new Int16Array(count * this.#slotSamples * 2)
    const slot = this.#from
    const start = (slot % this.#slots) * this.#slotSamples * 2
    const head = this.#ring.subarray(start, start + samples.length)
    samples.set(head)
    head.fill(0)
    // The ring wraps around.
    const tail = this.#ring.subarray(0, samples.length - head.length)
    samples.set(tail, head.length)
    tail.fill(0)
    this.#from += count
    return { slot, bytes: new Uint8Array(samples.buffer) }
  }
}
