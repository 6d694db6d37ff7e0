/**
 * Collects the windows of all lines into batches for Silero: at most one window of each line in a batch, and one
 * batch at a time, since a batch costs little more than a single window. Plain code, called for each frame.
 */
import { isSileroRate, SileroLine, type SileroRate, windowSamples } from "./SileroLine.ts"

/** Windows of one rate, one after the other in `samples`. */
export interface Group {
  readonly rate: SileroRate
  readonly lines: ReadonlyArray<number>
  readonly samples: Int16Array<ArrayBuffer>
}

export interface Batch {
  readonly groups: ReadonlyArray<Group>
  /** Lines whose state can be forgotten. */
  readonly closed: ReadonlyArray<number>
}

/** The probabilities of each group of a batch. */
export type Answer = ReadonlyArray<Float32Array>

/**
 * The least time between batches. The windows of lines on the media clock are complete together, at one of its ticks.
 * But on lines whose frames arrive at any time, a window may become complete at any moment.
 */
const leastGapMs = 16
/**
 * The most lines that use Silero; further lines use the level. A batch of 400 windows takes some 15 ms of the available
 * 32 ms. An account gets another line only while more are free than it holds, so a single account gets at most half of
 * them (see FairSemaphore).
 */
const mostLines = 400

interface Sent {
  readonly since: number
  readonly windows: ReadonlyArray<ReadonlyArray<{ readonly line: SileroLine; readonly number: number }>>
}

export class Batches {
  readonly #lines = new Map<number, SileroLine>()
  /** How many lines each account has. */
  readonly #held = new Map<string, number>()
  #lastId = 0
  #closed: Array<number> = []
  #send: ((batch: Batch) => void) | null = null
  #sent: Sent | null = null
  #sentAt = Number.NEGATIVE_INFINITY
  #isPlanned = false
  #isAbandoned = false

  /**
   * Adds a line. Null: the model does not support the rate, it cannot run here, or the account or the process has the
   * most lines already.
   */
  open(rate: number, account: string): { readonly line: SileroLine; readonly close: () => void } | null {
    const held = this.#held.get(account) ?? 0
    if (this.#isAbandoned || !isSileroRate(rate) || mostLines - this.#lines.size <= held) return null
    this.#held.set(account, held + 1)
    const id = ++this.#lastId
    const line = new SileroLine(rate, () => this.#plan())
    this.#lines.set(id, line)
    const close = () => {
      if (!this.#lines.delete(id)) return
      const others = (this.#held.get(account) ?? 0) - 1
      if (others > 0) this.#held.set(account, others)
      else this.#held.delete(account)
      if (this.#send !== null) this.#closed.push(id)
    }
    return { line, close }
  }

  /**
   * Sends batches by `send` from now on. Each must be answered by a call of `answer`. Null: no process takes batches.
   */
  connect(send: ((batch: Batch) => void) | null): void {
    this.#send = send
    this.#sent = null
    this.#closed = []
  }

  /** Gives up on Silero: lines that open from now on detect by the level. */
  abandon(): void {
    this.#isAbandoned = true
  }

  /** Takes the model's answer to the last batch. Returns how many milliseconds the batch took. */
  answer(probabilities: Answer): number {
    const sent = this.#sent
    if (sent === null) return 0
    this.#sent = null
    sent.windows.forEach((windows, at) =>
      windows.forEach(({ line, number }, index) =>
        line.judge({ window: number, probability: probabilities[at]?.[index] ?? 0 }),
      ),
    )
    if (this.#lines.values().some(({ isWaiting }) => isWaiting)) this.#plan()
    return performance.now() - sent.since
  }

  /** For how many milliseconds the current batch has been without an answer. */
  get owedMs(): number {
    return this.#sent === null ? 0 : performance.now() - this.#sent.since
  }

  /** Sends the next batch after the present tick, so that the batch includes all lines of the tick. */
  #plan(): void {
    if (this.#isPlanned || this.#send === null || this.#sent !== null) return
    this.#isPlanned = true
    const wait = this.#sentAt + leastGapMs - performance.now()
    const flush = () => {
      this.#isPlanned = false
      this.#flush()
    }
    if (wait > 0) setTimeout(flush, wait)
    else setImmediate(flush)
  }

  /** How many lines of the rate have a window for the model. */
  #countWaiting(rate: SileroRate): number {
    let count = 0
    for (const line of this.#lines.values()) if (line.rate === rate && line.isWaiting) count++
    return count
  }

  #flush(): void {
    if (this.#send === null || this.#sent !== null) return
    const groups: Array<Group> = []
    const windows: Array<Sent["windows"][number]> = []
    for (const rate of [8_000, 16_000] as const) {
      const ids: Array<number> = []
      const next: Array<Sent["windows"][number][number]> = []
      const samples = new Int16Array(this.#countWaiting(rate) * windowSamples(rate))
      for (const [id, line] of this.#lines) {
        const window = line.rate === rate ? line.next() : undefined
        if (window === undefined) continue
        samples.set(window.samples, ids.length * window.samples.length)
        ids.push(id)
        next.push({ line, number: window.number })
      }
      if (ids.length === 0) continue
      groups.push({ rate, lines: ids, samples })
      windows.push(next)
    }
    if (groups.length === 0) return
    this.#sentAt = performance.now()
    this.#sent = { since: this.#sentAt, windows }
    this.#send({ groups, closed: this.#closed.splice(0) })
  }
}
