/** A ring of about a second of samples, by position, that knows which of them have arrived. Positions only grow. */

/** A power of two, so that the place of a position in the ring is its low bits. */
export const ringSamples = 8_192
const mask = ringSamples - 1
/** The loudest sample of a quiet block. */
const quietSample = 300

export class SampleRing {
  readonly #samples = new Int16Array(ringSamples)
  readonly #hasArrived = new Uint8Array(ringSamples)

  /** Stores samples that begin at `position`, without those before `from`. */
  write(position: number, samples: Int16Array, from: number): void {
    for (let at = Math.max(position, from); at < position + samples.length; at++) {
      this.#samples[at & mask] = samples[at - position] ?? 0
      this.#hasArrived[at & mask] = 1
    }
  }

  /** Copies the samples from `position` on into `block`. Returns how many of them have arrived. */
  read(position: number, block: Int16Array): number {
    let arrived = 0
    for (let at = 0; at < block.length; at++) {
      const place = (position + at) & mask
      arrived += this.#hasArrived[place] ?? 0
      block[at] = this.#samples[place] ?? 0
    }
    return arrived
  }

  isQuiet(position: number, count: number): boolean {
    for (let at = position; at < position + count; at++) {
      if (Math.abs(this.#samples[at & mask] ?? 0) > quietSample) return false
    }
    return true
  }

  erase(from: number, until: number): void {
    if (until <= from) return
    const [first, last] = [from & mask, ((until - 1) & mask) + 1]
    if (until - from >= ringSamples) this.clear()
    else if (first < last) this.#hasArrived.fill(0, first, last)
    else this.#hasArrived.fill(0, first).fill(0, 0, last)
  }

  clear(): void {
    this.#hasArrived.fill(0)
  }
}
