/**
 * When frames were spoken that arrive over a network, in bursts and a little late. They follow each other by 20 ms; a
 * sender's clock that is slower or faster than ours moves them no further away than the network's own delay. Pure.
 */
import { frameMs } from "../speech/Audio.ts"

/** A late frame was spoken before it came, but not by more than this. */
const latestMs = 200
/** One of this many frames (5 s) arrives without delay. If all seem late, the sender's clock is slow. */
const judgedFrames = 250

export class ArrivalTimes {
  #last = 0
  #frames = 0
  #leastLag = latestMs

  /** When the frame ended that has arrived now; in milliseconds. */
  next(now: number): number {
    const at = Math.min(now, Math.max(this.#last + frameMs, now - latestMs))
    this.#last = at
    this.#leastLag = Math.min(this.#leastLag, now - at)
    if (++this.#frames < judgedFrames) return at
    this.#last += this.#leastLag
    this.#frames = 0
    this.#leastLag = latestMs
    return this.#last
  }
}
