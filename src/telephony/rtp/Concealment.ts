/**
 * Packet loss concealment, much like G.711 Appendix I: repeats the last pitch period of the voice and fades it out
 * within 60 ms. It blends the seams, so that neither a loss nor a correction of the delay clicks. Plain code, one call
 * for each block of 10 ms.
 */
import { blockSamples } from "./JitterBuffer.ts"

/** Periods of voices from 67 to 200 Hz. */
const shortestPeriod = 40
const longestPeriod = 120
/** The number of samples that are compared to find the period. */
const compared = 160
const historySamples = longestPeriod + compared
const historyBlocks = Math.ceil(historySamples / blockSamples)
/** The number of samples over which returning sound is blended with the continuation of the repeated sound. */
const blended = 40
/** The first block is repeated at full level; each further one is weaker by this much. */
const fadeABlock = 0.2

/** The blocks of a call in order, written whole whenever a period is sought. All calls share it. */
const inOrder = new Int16Array(historyBlocks * blockSamples)
const history = inOrder.subarray(-historySamples)

export class Concealment {
  /** The last blocks, in a ring. */
  readonly #blocks = new Int16Array(historyBlocks * blockSamples)
  /** Where the oldest one begins. */
  #oldest = 0
  readonly #cycle = new Int16Array(longestPeriod)
  readonly #bridge = new Int16Array(blockSamples)
  #period = 0
  #phase = 0
  /** Concealed blocks in a row. */
  #made = 0

  /** Takes a received block. Blends its beginning if it follows concealed or skipped sound. */
  hear(block: Int16Array, isSpliced: boolean): void {
    if (isSpliced || this.#made > 0) this.#blend(block)
    this.#made = 0
    this.#remember(block)
  }

  /** Fills the block with repeated sound, or with silence once 60 ms are missing. */
  conceal(block: Int16Array): void {
    this.#continue(block)
    this.#remember(block)
  }

  #blend(block: Int16Array): void {
    this.#continue(this.#bridge)
    for (let at = 0; at < blended; at++) {
      const share = (at + 1) / (blended + 1)
      block[at] = Math.round((block[at] ?? 0) * share + (this.#bridge[at] ?? 0) * (1 - share))
    }
  }

  #continue(block: Int16Array): void {
    if (this.#made === 0) this.#findPeriod()
    const from = this.#levelAfter(this.#made)
    const to = this.#levelAfter(this.#made + 1)
    for (let at = 0; at < block.length; at++) {
      const level = from + ((to - from) * at) / block.length
      block[at] = level === 0 ? 0 : Math.round((this.#cycle[this.#phase] ?? 0) * level)
      this.#phase = (this.#phase + 1) % this.#period
    }
    this.#made++
  }

  #levelAfter(blocks: number): number {
    return Math.max(0, Math.min(1, 1 - (blocks - 1) * fadeABlock))
  }

  /**
   * Finds the lag at which the latest sound is most similar to itself, and prepares one period of it that repeats
   * without a seam.
   */
  #findPeriod(): void {
    inOrder.set(this.#blocks.subarray(this.#oldest))
    inOrder.set(this.#blocks.subarray(0, this.#oldest), inOrder.length - this.#oldest)
    let best = Number.NEGATIVE_INFINITY
    for (let lag = shortestPeriod; lag <= longestPeriod; lag++) {
      let product = 0
      let energy = 1
      for (let at = historySamples - compared; at < historySamples; at++) {
        const earlier = history[at - lag] ?? 0
        product += (history[at] ?? 0) * earlier
        energy += earlier * earlier
      }
      const likeness = product / Math.sqrt(energy)
      if (likeness > best) {
        best = likeness
        this.#period = lag
      }
    }
    const seam = this.#period >> 2
    for (let at = 0; at < this.#period; at++) {
      const own = history[historySamples - this.#period + at] ?? 0
      const before = history[historySamples - 2 * this.#period + at] ?? own
      const share = Math.max(0, (at - (this.#period - seam) + 1) / (seam + 1))
      this.#cycle[at] = Math.round(own * (1 - share) + before * share)
    }
    this.#phase = 0
  }

  #remember(block: Int16Array): void {
    this.#blocks.set(block, this.#oldest)
    this.#oldest = (this.#oldest + blockSamples) % this.#blocks.length
  }
}
