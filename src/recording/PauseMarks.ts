/** The pauses of a recording: when each began and ended. Plain code. */
import type { RecordingPause } from "../domain/Recording.ts"

export class PauseMarks {
  readonly #marks: Array<RecordingPause> = []

  get all(): ReadonlyArray<RecordingPause> {
    return this.#marks
  }

  get isPaused(): boolean {
    return this.#marks.at(-1)?.ended_ms === null
  }

  /** Whether a pause overlaps this stretch, in milliseconds of the call. */
  overlaps(started_ms: number, ended_ms: number): boolean {
    return this.#marks.some((mark) => mark.started_ms <= ended_ms && (mark.ended_ms ?? Infinity) > started_ms)
  }

  /** Begins or ends a pause at this millisecond of the call. Does nothing if that is already the state. */
  set(isPaused: boolean, at: number): void {
    if (isPaused === this.isPaused) return
    const last = this.#marks.at(-1)
    if (isPaused) this.#marks.push({ started_ms: at, ended_ms: null })
    else if (last !== undefined) this.#marks[this.#marks.length - 1] = { ...last, ended_ms: at }
  }
}
