/**
 * What makes the agent fall silent in the middle of a sentence: a voice of 240 ms, louder than what of the agent's own
 * may come back. What follows (a cut, or going on where it stopped) is the conductor's to say. Pure.
 */
import { frameMs, silenceDb } from "./Audio.ts"

/** A cough is shorter, an "mm-hm" hardly longer: falling silent at the first sound would stutter under every one. */
const takesFloorMs = 240

/** Whether so many frames with voice in them are to be told of. While nobody else speaks, all are. */
export const isTold = (voicedFrames: number, weSpeak: boolean): boolean =>
  !weSpeak || voicedFrames * frameMs >= takesFloorMs

/** A browser takes out what it plays but for a rest; without that a line echoes some 12 dB below. */
const cancelledDb = 24
/** What was sent is played, comes back and is heard within so long. */
const echoMs = 600

/** How loud the agent is in the ear that is listened to. */
export class Echo {
  #sent: Array<number> = []

  /** One call a frame, with what of ours went out meanwhile. */
  sent(levelDb: number): void {
    this.#sent.push(levelDb)
    if (this.#sent.length > echoMs / frameMs) this.#sent.shift()
  }

  get leastDb(): number {
    return Math.max(silenceDb, ...this.#sent) - cancelledDb
  }
}
