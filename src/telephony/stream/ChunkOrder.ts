/**
 * Puts the sound of a stream in order, where its carrier may send it out of order. A missing chunk holds back the later
 * ones for a short time, and then counts as lost. Plain code, called for each chunk.
 */
import type { StreamMessage } from "./Dialect.ts"

type Sound = Extract<StreamMessage, { readonly _tag: "Sound" }>

/** The most chunks of 20 ms that wait for an earlier one. Sound that is later than this is no longer of use. */
const mostWaiting = 4
/** A chunk at least this far from the expected one begins a new count. */
const farAway = 50

export class ChunkOrder {
  #next: number | null = null
  readonly #waiting = new Map<number, Sound>()

  /** Returns the sound that can be played now, in order. */
  take(sound: Sound): ReadonlyArray<Sound> {
    const { chunk } = sound
    if (chunk === undefined) return [sound]
    const next = this.#next ?? chunk
    if (Math.abs(chunk - next) > farAway) {
      this.#waiting.clear()
      this.#next = chunk + 1
      return [sound]
    }
    // The chunk comes too late, or for the second time.
    if (chunk < next) return []
    this.#next = next
    this.#waiting.set(chunk, sound)
    if (this.#waiting.size > mostWaiting) this.#next = Math.min(...this.#waiting.keys())
    return this.#release()
  }

  #release(): ReadonlyArray<Sound> {
    const heard: Array<Sound> = []
    for (let next = this.#next ?? 0; ; next++) {
      const sound = this.#waiting.get(next)
      this.#next = next
      if (sound === undefined) return heard
      this.#waiting.delete(next)
      heard.push(sound)
    }
  }
}
