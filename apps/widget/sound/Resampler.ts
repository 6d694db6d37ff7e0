/**
 * Converts the microphone's sound to the call's sample rate, by a windowed sinc that keeps its state between blocks.
 */

/** Zero crossings of the sinc on either side. With these, nothing above half the rate folds back into speech. */
const crossings = 14
/** Kernel positions between two samples. From 48 kHz to 16 kHz every output sample falls exactly on an input sample. */
const phases = 64
/** The cut-off as a share of the band. The response fades in about the last eighth of it. */
const cutOff = 0.9

export class Resampler {
  readonly #step: number
  readonly #half: number
  readonly #kernel: Float32Array
  #history: Float32Array
  /** The next output sample's position in the history. */
  #at: number

  constructor(from: number, to: number) {
    this.#step = from / to
    const band = Math.min(1, to / from) * cutOff
    this.#half = Math.ceil(crossings / band)
    const length = this.#half * 2 * phases
    this.#kernel = Float32Array.from({ length: length + 1 }, (_, index) => {
      const t = index / phases - this.#half
      const x = Math.PI * t * band
      const window = 0.5 + 0.5 * Math.cos((Math.PI * t) / this.#half)
      return (t === 0 ? band : (band * Math.sin(x)) / x) * window
    })
    this.#history = new Float32Array(this.#half)
    this.#at = this.#half
  }

  take(block: Float32Array): Float32Array {
    const all = new Float32Array(this.#history.length + block.length)
    all.set(this.#history)
    all.set(block, this.#history.length)
    const given: Array<number> = []
    for (; this.#at + this.#half < all.length; this.#at += this.#step) given.push(this.#one(all, this.#at))
    const kept = Math.max(0, Math.floor(this.#at) - this.#half)
    this.#history = all.slice(kept)
    this.#at -= kept
    return Float32Array.from(given)
  }

  #one(all: Float32Array, at: number): number {
    const first = Math.ceil(at - this.#half)
    let sum = 0
    for (let index = Math.max(0, first); index < at + this.#half; index++) {
      const tap = Math.round((index - at + this.#half) * phases)
      sum += (all[index] ?? 0) * (this.#kernel[tap] ?? 0)
    }
    return sum
  }
}
