/**
 * Cuts one line's sound into windows of 32 ms for Silero, numbered in order. Judgements come later, one for each
 * window. If the model is late, windows are skipped. Plain code, called for each frame.
 */

/** The length of a window. */
export const windowMs = 32
/** The rates that the model was made for. */
export type SileroRate = 8_000 | 16_000

export const isSileroRate = (rate: number): rate is SileroRate => rate === 8_000 || rate === 16_000

/** The most windows that wait for the model. Older ones are skipped, because their judgements would come too late. */
const mostWaiting = 3

export interface Judgement {
  /** The number of the window, from 0. */
  readonly window: number
  /** The probability of voice in it, from 0 to 1. */
  readonly probability: number
}

interface Window {
  readonly number: number
  readonly samples: Int16Array<ArrayBuffer>
}

export class SileroLine {
  readonly rate: SileroRate
  readonly #full: () => void
  readonly #length: number
  #filling: Int16Array<ArrayBuffer>
  #filled = 0
  #count = 0
  readonly #waiting: Array<Window> = []
  #judged: Array<Judgement> = []

  /** `full` is called when a window is complete. */
  constructor(rate: SileroRate, full: () => void) {
    this.rate = rate
    this.#full = full
    this.#length = (rate * windowMs) / 1_000
    this.#filling = new Int16Array(this.#length)
  }

  push(frame: Int16Array): void {
    for (let from = 0; from < frame.length;) {
      const part = frame.subarray(from, from + this.#length - this.#filled)
      this.#filling.set(part, this.#filled)
      this.#filled += part.length
      from += part.length
      if (this.#filled === this.#length) this.#complete()
    }
  }

  #complete(): void {
    this.#waiting.push({ number: this.#count, samples: this.#filling })
    if (this.#waiting.length > mostWaiting) this.#waiting.shift()
    this.#count++
    this.#filling = new Int16Array(this.#length)
    this.#filled = 0
    this.#full()
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** The next window for the model. */
  next(): Window | undefined {
    return this.#waiting.shift()
  }

  judge(judgement: Judgement): void {
    this.#judged.push(judgement)
  }

  /** Returns the judgements since the last call. */
  takeJudged(): ReadonlyArray<Judgement> {
    if (this.#judged.length === 0) return this.#judged
    const judged = this.#judged
    this.#judged = []
    return judged
  }
}
