/**
 * Converts a stream of samples from one rate to another: a polyphase low-pass filter, whose state carries over from
 * block to block, so that blocks may be of any length. A block that lasts whole frames gives exactly as many frames.
 * Pure.
 */

/** The share of the narrower band that passes unchanged: 3,400 Hz at 8 kHz, all that a telephone carries. */
const passed = 0.85
/** Frequencies above half the lower rate, and images of those below it, are weakened by this many dB. */
const weakenedDb = 50
/** Kaiser's formulas for the shape and the length of a window with that attenuation. */
const beta = 0.5842 * (weakenedDb - 21) ** 0.4 + 0.07886 * (weakenedDb - 21)
const lengthFactor = (weakenedDb - 8) / (2.285 * Math.PI)

const commonDivisor = (one: number, other: number): number => (other === 0 ? one : commonDivisor(other, one % other))

/** The modified Bessel function of order zero, of which a Kaiser window is made. */
const bessel = (x: number): number => {
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

/** One filter for each position that an output sample can have between two input samples. */
interface Filters {
  /** Output samples for each `down` input samples. */
  readonly up: number
  readonly down: number
  /** The filters by position, each with the weight of the newest input sample last. */
  readonly weights: ReadonlyArray<Float64Array>
  readonly length: number
}

const designFilters = (from: number, to: number): Filters => {
  const divisor = commonDivisor(from, to)
  const up = to / divisor
  const down = from / divisor
  const dense = from * up
  const edge = Math.min(from, to) / 2
  const length = Math.ceil((lengthFactor * dense) / ((1 - passed) * edge) / up)
  const centre = (length * up - 1) / 2
  const cutOff = ((1 + passed) * edge) / dense
  const weigh = (at: number): number => {
    const t = at - centre
    const sinc = t === 0 ? cutOff : Math.sin(Math.PI * cutOff * t) / (Math.PI * t)
    return up * sinc * (bessel(beta * Math.sqrt(1 - (t / centre) ** 2)) / bessel(beta))
  }
  const weights = Array.from({ length: up }, (_, position) =>
    Float64Array.from({ length }, (_, index) => weigh((length - 1 - index) * up + position)),
  )
  return { up, down, weights, length }
}

/** Filters by their rates, a handful in each process. */
const designed = new Map<string, Filters>()

const filtersOf = (from: number, to: number): Filters => {
  const name = `${from} ${to}`
  const filters = designed.get(name) ?? designFilters(from, to)
  designed.set(name, filters)
  return filters
}

export class Resampler {
  readonly #filters: Filters
  /** The last input samples, one fewer than a filter is long. */
  #history: Float64Array
  /** The next output sample's position after the next input sample, in `up` parts of an input sample. */
  #position = 0

  /** Rates in samples a second. Equal rates pass every block on unchanged. */
  constructor(from: number, to: number) {
    this.#filters = filtersOf(from, to)
    this.#history = new Float64Array(this.#filters.length - 1)
  }

  /** The output lags by half a filter, about 2.5 ms at 8 kHz. */
  take(block: Int16Array): Int16Array {
    const { down, length, up, weights } = this.#filters
    if (up === down || block.length === 0) return block
    const samples = new Float64Array(length - 1 + block.length)
    samples.set(this.#history)
    samples.set(block, length - 1)
    const end = block.length * up
    const count = Math.max(0, Math.ceil((end - this.#position) / down))
    const output = new Int16Array(count)
    let position = this.#position
    for (let at = 0; at < count; at++) {
      const filter = weights[position % up] ?? samples
      const first = Math.floor(position / up)
      let sum = 0
      for (let index = 0; index < length; index++) sum += (filter[index] ?? 0) * (samples[first + index] ?? 0)
      output[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum)))
      position += down
    }
    this.#position = position - end
    this.#history = samples.slice(block.length)
    return output
  }

  /** The part of the sound that the filter still holds. The next block begins a new sound. */
  drain(): Int16Array {
    const { down, length, up } = this.#filters
    const rest = this.take(new Int16Array(up === down ? 0 : length - 1))
    this.#history = new Float64Array(length - 1)
    this.#position = 0
    return rest
  }
}
