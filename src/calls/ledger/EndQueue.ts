/** The queue of an account's call ends that wait to be written, and the batch that is being written. Plain code. */
import type { Effect } from "effect"
import { CallRecord } from "../../conversation/CallRecord.ts"
import type { EndReport } from "./CallLog.ts"

/** The most ends in one transaction. A transaction costs one lock of the account's budget, however many ends it has. */
const batchSize = 1_000
/** The most calls with words in a batch: converting 500 to PostgreSQL's format holds the event loop for 15 to 20 ms. */
const mostTalks = 500

export interface Ending extends EndReport {
  /** Runs when the end is written. */
  readonly written: Effect.Effect<void>
}

export class EndQueue {
  private waiting: Array<Ending> = []
  private batch: Array<Ending> = []

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.batch.length === 0
  }

  get size(): number {
    return this.waiting.length + this.batch.length
  }

  /** The end time of the call that waits longest; undefined if none waits. */
  get oldest(): Date | undefined {
    return (this.batch[0] ?? this.waiting[0])?.ended_at
  }

  add(ending: Ending): void {
    this.waiting.push(ending)
  }

  /** All ends, in the order in which they are written. */
  all(): ReadonlyArray<Ending> {
    return [...this.batch, ...this.waiting]
  }

  /**
   * Fills the batch and returns it. Called again after a transaction that rolled back, it returns the same ends and
   * possibly more.
   */
  take(): ReadonlyArray<Ending> {
    let talks = this.batch.filter(isTalk).length
    const rest = this.waiting.findIndex(
      (ending, at) => this.batch.length + at === batchSize || (isTalk(ending) && ++talks > mostTalks),
    )
    this.batch.push(...this.waiting.splice(0, rest === -1 ? this.waiting.length : rest))
    return this.batch
  }

  /** Removes the batch from the queue and returns it. */
  takeOut(): ReadonlyArray<Ending> {
    const taken = this.batch
    this.batch = []
    return taken
  }
}

const isTalk = ({ record }: Ending): boolean => record.answered_at !== null

/** The end without the words: the outcome, and what decides whether the called party is called again. */
export const withoutWords = (ending: Ending): Ending => {
  const record = new CallRecord()
  record.answered_at = ending.record.answered_at
  record.words_in_row = true
  record.opted_out = ending.record.opted_out
  record.message_left = ending.record.message_left
  record.is_transfer = ending.record.is_transfer
  return { ...ending, record }
}
