/**
 * Listens to a caller frame by frame. It reports when speech begins and ends, and passes its sound to a recogniser,
 * from 400 ms before the detected onset, because the first consonant is too quiet for the detector. Pure.
 */
import { frameMs, silenceDb } from "./Audio.ts"
import { Echo, isSuspected, isTold } from "./Interruption.ts"
import type { VoiceDetector } from "./detection/VoiceDetector.ts"

/** Turns speech into words. Its functions return at once and never wait. */
export interface Recogniser {
  readonly push: (frame: Int16Array) => void
  /** The frames pushed so far are one stretch of speech, between these milliseconds. */
  readonly finalise: (started_ms: number, ended_ms: number) => void
  /** The frames pushed so far were not speech. */
  readonly discard: () => void
}

export interface EarListener {
  readonly started: (at: number) => void
  readonly ended: (at: number) => void
  /**
   * The caller may be interrupting the agent. `cleared` follows when that sound ends, even if `started` was never
   * called.
   */
  readonly suspected: () => void
  readonly cleared: () => void
}

const prefixFrames = 400 / frameMs
/** Shorter sounds are not a word in any language. */
const leastVoicedFrames = 100 / frameMs
/** Recognisers have a longest stretch; longer speech is recognised in parts. */
const longestFrames = 28_000 / frameMs
/** This many frames after the last voiced one still belong to the speech: words end softly. */
const tailFrames = 6

export class Ear {
  readonly #voice: VoiceDetector
  readonly #echo: Echo
  readonly #recogniser: Recogniser
  readonly #listener: EarListener
  #prefix: Array<Int16Array> = []
  #speech: {
    readonly started_ms: number
    ended_ms: number
    voiced: number
    frames: number
    told: boolean
    suspected: boolean
    /** Frames of silence, which belong to the stretch only if speech goes on. */
    pending: Array<Int16Array>
  } | null = null

  /** `cancelledDb`: the line weakens the echo of the agent's own sound by at least this much. */
  constructor(voice: VoiceDetector, recogniser: Recogniser, listener: EarListener, cancelledDb: number) {
    this.#voice = voice
    this.#recogniser = recogniser
    this.#listener = listener
    this.#echo = new Echo(cancelledDb)
  }

  /** Takes one frame that ended at `at`; `sentDb` is the level of the sound sent meanwhile, null for none. */
  hear(frame: Int16Array, at: number, sentDb: number | null): void {
    this.#echo.sent(sentDb ?? silenceDb)
    const weSpeak = sentDb !== null
    const change = this.#voice.hear(frame, { learns: !weSpeak, leastDb: this.#echo.leastDb })
    if (change === "on") this.#begin(at)
    if (this.#speech === null) this.#remember(frame)
    else this.#follow(frame, at, weSpeak)
    if (change === "off") this.#end()
  }

  #remember(frame: Int16Array): void {
    this.#prefix.push(frame)
    if (this.#prefix.length > prefixFrames) this.#prefix.shift()
  }

  #begin(at: number): void {
    for (const frame of this.#prefix.splice(0)) this.#recogniser.push(frame)
    const { onsetMs } = this.#voice
    const started_ms = at - Math.round(onsetMs)
    // `#follow` counts the present frame.
    const voiced = Math.round(onsetMs / frameMs) - 1
    this.#speech = {
      started_ms,
      ended_ms: started_ms,
      voiced,
      frames: voiced,
      told: false,
      suspected: false,
      pending: [],
    }
  }

  #follow(frame: Int16Array, at: number, weSpeak: boolean): void {
    const speech = this.#speech
    if (speech === null) return
    speech.frames++
    if (this.#voice.isVoiced) {
      speech.voiced++
      speech.ended_ms = Math.max(speech.ended_ms, at - Math.round(this.#voice.delayMs))
      for (const silent of speech.pending.splice(0)) this.#recogniser.push(silent)
      this.#recogniser.push(frame)
    } else speech.pending.push(frame)
    if (!speech.suspected && isSuspected(speech.voiced, weSpeak)) {
      speech.suspected = true
      this.#listener.suspected()
    }
    if (!speech.told && isTold(speech.voiced, weSpeak)) {
      speech.told = true
      this.#listener.started(speech.started_ms)
    }
    if (speech.frames < longestFrames) return
    this.#recogniser.finalise(speech.started_ms, at)
    this.#speech = { ...speech, started_ms: at, ended_ms: at, frames: 0, pending: [] }
  }

  /** No more frames come: the speech so far is over. */
  finish(): void {
    this.#end()
  }

  #end(): void {
    const speech = this.#speech
    if (speech === null) return
    this.#speech = null
    for (const silent of speech.pending.slice(0, tailFrames)) this.#recogniser.push(silent)
    if (speech.suspected) this.#listener.cleared()
    if (speech.told) this.#listener.ended(speech.ended_ms)
    if (speech.voiced < leastVoicedFrames) this.#recogniser.discard()
    else this.#recogniser.finalise(speech.started_ms, speech.ended_ms)
  }
}
