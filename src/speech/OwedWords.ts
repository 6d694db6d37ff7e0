/**
 * The finalised stretches of speech whose words a recogniser has not given yet. It gives results in the order in which
 * the stretches were spoken, so a result also settles those before: the recogniser has missed them.
 */

export class OwedWords {
  #ends: Array<number> = []

  get isEmpty(): boolean {
    return this.#ends.length === 0
  }

  /** A stretch that ended at this moment was finalised. */
  add(ended_ms: number): void {
    this.#ends.push(ended_ms)
  }

  /** The result of a stretch has come. A recogniser that tells another end of it means the oldest one. */
  settle(ended_ms: number): void {
    this.#ends.splice(0, Math.max(0, this.#ends.indexOf(ended_ms)) + 1)
  }
}
