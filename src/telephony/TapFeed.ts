/**
 * Feeds the taps of a line with the other side's sound, and with the part of the agent's sound that the other side
 * hears. Plain code, called for each frame. Without a tap it keeps nothing.
 */
import { frameMs, soften } from "../speech/Audio.ts"
import { ArrivalTimes } from "./ArrivalTimes.ts"
import type { SoundPath } from "./SoundPath.ts"
import type { SoundTap } from "./SoundTap.ts"

export class TapFeed {
  readonly #path: SoundPath
  readonly #taps = new Set<SoundTap>()
  #isDucked = false
  /** Frames that were sent and not heard yet, by number, on a path that reports what was heard. */
  #unheard = new Map<number, Int16Array>()
  readonly #playedAt = new ArrivalTimes()

  constructor(path: SoundPath) {
    this.#path = path
  }

  attach(tap: SoundTap): () => void {
    this.#taps.add(tap)
    return () => {
      this.#taps.delete(tap)
      if (this.#taps.size === 0) this.#unheard.clear()
    }
  }

  tick(at: number): void {
    for (const tap of this.#taps) tap.tick(at)
  }

  heard(frame: Int16Array, endedAt: number): void {
    for (const tap of this.#taps) tap.heard(frame, endedAt - frameMs)
  }

  duck(isDucked: boolean): void {
    this.#isDucked = isDucked
  }

  /** The path took this frame at the tick of `at`. */
  sent(number: number, frame: Int16Array, at: number): void {
    if (this.#taps.size === 0) return
    if (this.#path.hearing._tag === "Reported") return void this.#unheard.set(number, frame)
    const { duckedDb } = this.#path
    this.#speak(this.#isDucked && duckedDb > 0 ? soften(frame, duckedDb) : frame, at)
  }

  /** The other side reports that it has now heard the frames after `before`, up to `last`. */
  played(before: number, last: number, now: number): void {
    if (this.#taps.size === 0) return
    for (let number = before + 1; number <= last; number++) {
      const frame = this.#unheard.get(number)
      if (frame === undefined) continue
      this.#unheard.delete(number)
      this.#speak(frame, this.#playedAt.next(now) - frameMs)
    }
  }

  #speak(frame: Int16Array, at: number): void {
    for (const tap of this.#taps) tap.spoken(frame, at)
  }

  /** Drops the frames that were not heard. */
  cut(): void {
    this.#unheard.clear()
  }
}
