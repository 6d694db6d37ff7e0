/**
 * Estimates when each frame was spoken, from the time of its arrival. A network delivers frames late and in bursts, but
 * they were spoken 20 ms apart. The estimate follows a sender's clock that is slower or faster than ours. Pure.
 */
import { frameMs } from "../speech/Audio.ts"

/** A late frame is dated back by at most this much. */
const latestMs = 200
/**
 * At least one of this many frames (5 s) arrives without delay. If all of them seem late, the sender's clock is slow.
 */
const judgedFrames = 250

export class ArrivalTimes {
  #last = 0
  #frames = 0
  #leastLag = latestMs

  /** Returns when the frame that arrives at `now` ended, in milliseconds. */
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
