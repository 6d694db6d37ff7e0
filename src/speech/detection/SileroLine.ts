/**
 * Cuts one line's sound into windows of 32 ms for Silero, numbered in order. Judgements come later, one for each
 * window. If the model is late, windows are skipped. Plain code, called for each frame.
 */

/** The length of a window. */
export const windowMs = 32
/** The rates that the model was made for. */
export type SileroRate = 8_000 | 16_000

export const isSileroRate = (rate: number): rate is SileroRate => rate === 8_000 || rate === 16_000

export const windowSamples = (rate: SileroRate): number => (rate * windowMs) / 1_000

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
  /** Valid until the line has filled `mostWaiting` further windows. */
  readonly samples: Int16Array<ArrayBuffer>
}

export class SileroLine {
  readonly rate: SileroRate
  readonly #full: () => void
  readonly #length: number
  /** The window that is being filled and those that wait, each at its number's place in this ring. */
  readonly #windows: ReadonlyArray<Int16Array<ArrayBuffer>>
  #filling: Int16Array<ArrayBuffer>
  #filled = 0
  /** The number of the window that is being filled, and of the first that waits. */
  #count = 0
  #first = 0
  #judged: Array<Judgement> = []

  /** `full` is called when a window is complete. */
  constructor(rate: SileroRate, full: () => void) {
    this.rate = rate
    this.#full = full
    this.#length = windowSamples(rate)
    this.#windows = Array.from({ length: mostWaiting + 1 }, () => new Int16Array(this.#length))
    this.#filling = this.#windowAt(0)
  }

  #windowAt(number: number): Int16Array<ArrayBuffer> {
    return this.#windows[number % this.#windows.length] ?? new Int16Array(this.#length)
  }

  push(frame: Int16Array): void {
    // A copy by `set` would need a view of the part, which takes longer than the loop.
    for (let at = 0; at < frame.length; at++) {
      this.#filling[this.#filled++] = frame[at] ?? 0
      if (this.#filled === this.#length) this.#complete()
    }
  }

  #complete(): void {
    this.#count++
    this.#first = Math.max(this.#first, this.#count - mostWaiting)
    this.#filling = this.#windowAt(this.#count)
    this.#filled = 0
    this.#full()
  }

  get isWaiting(): boolean {
    return this.#first < this.#count
  }

  /** The next window for the model. */
  next(): Window | undefined {
    if (!this.isWaiting) return undefined
    const number = this.#first++
    return { number, samples: this.#windowAt(number) }
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
