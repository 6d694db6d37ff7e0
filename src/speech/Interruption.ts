/**
 * Decides when a caller's voice makes the agent speak more softly, and when it makes the agent fall silent: after 120 and
 * 240 ms of voice, louder than the possible echo of the agent's own sound. The conductor then decides whether to cut the
 * reply or to go on. Pure.
 */
import { frameMs, silenceDb } from "./Audio.ts"

/** A cough is shorter, an "mm-hm" hardly longer: falling silent at the first sound would make the agent stutter. */
const takesFloorMs = 240
/** Being softer costs nothing if it was a cough, and a caller who interrupts notices at once that the agent listens. */
const ducksMs = 120

/** Whether this many voiced frames are reported. While the agent is silent, all are. */
export const isTold = (voicedFrames: number, weSpeak: boolean): boolean =>
  !weSpeak || voicedFrames * frameMs >= takesFloorMs

/** Whether after this many voiced frames the caller may be interrupting. */
export const isSuspected = (voicedFrames: number, weSpeak: boolean): boolean =>
  weSpeak && voicedFrames * frameMs >= ducksMs

/** Sound that was sent is played, echoed and heard within this time. */
const echoMs = 600

/** How loud the agent is in the ear that is listened to. */
export class Echo {
  readonly #cancelledDb: number
  #sent: Array<number> = []

  /** The line's echo is at least `cancelledDb` softer than the sound that was sent. */
  constructor(cancelledDb: number) {
    this.#cancelledDb = cancelledDb
  }

  /** Called once a frame, with the level of the sound that was sent meanwhile. */
  sent(levelDb: number): void {
    this.#sent.push(levelDb)
    if (this.#sent.length > echoMs / frameMs) this.#sent.shift()
  }

  get leastDb(): number {
    return Math.max(silenceDb, ...this.#sent) - this.#cancelledDb
  }
}
