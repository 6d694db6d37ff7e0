/**
 * Barge-in: after 120 ms of a caller's voice the agent speaks more softly, and after 180 ms it falls silent. The voice
 * must be louder than a possible echo of the agent's own sound. The conductor then decides whether to cut the reply or
 * to resume it. Pure.
 */
import { frameMs, silenceDb } from "./Audio.ts"

/**
 * A cough is shorter and an "mm-hm" hardly longer. An agent that falls silent at the first sound would stutter. With
 * 240 ms the agent was silent 500 ms after the caller's first sound (p95), and with 180 ms after 440: soft beginnings of
 * words do not count as voiced.
 */
const takesFloorMs = 180
/** Ducking costs nothing if the sound was a cough, and shows a caller who interrupts that the agent listens. */
const ducksMs = 120

/** Whether this many voiced frames count as speech. While the agent is silent, any number does. */
export const isTold = (voicedFrames: number, weSpeak: boolean): boolean =>
  !weSpeak || voicedFrames * frameMs >= takesFloorMs

/** Whether after this many voiced frames the caller may be interrupting. */
export const isSuspected = (voicedFrames: number, weSpeak: boolean): boolean =>
  weSpeak && voicedFrames * frameMs >= ducksMs

/** An echo of sent sound arrives within this time. */
const echoMs = 600

/** Estimates the loudness of the agent's echo in the caller's sound. */
export class Echo {
  readonly #cancelledDb: number
  /** The levels of the last frames, in a ring. */
  readonly #sent = new Float64Array(echoMs / frameMs).fill(silenceDb)
  #oldest = 0

  /** The echo is at least `cancelledDb` softer than the sound that was sent. */
  constructor(cancelledDb: number) {
    this.#cancelledDb = cancelledDb
  }

  /** Called once a frame, with the level of the sound that was sent meanwhile. */
  sent(levelDb: number): void {
    this.#sent[this.#oldest] = levelDb
    this.#oldest = (this.#oldest + 1) % this.#sent.length
  }

  get leastDb(): number {
    let loudest = silenceDb
    for (let at = 0; at < this.#sent.length; at++) loudest = Math.max(loudest, this.#sent[at] ?? silenceDb)
    return loudest - this.#cancelledDb
  }
}
