/**
 * Connects a person's page with a line: the microphone takes the agent's place, and the loudspeaker plays the other
 * side. Plain code, called for each frame.
 */
import { heardRate, levelOf, spokenRate } from "../../speech/Audio.ts"
import type { SoundPatch, SoundSink } from "../SoundPatch.ts"
import { SoundWire } from "./SoundWire.ts"

/** The most frames that the page has not played yet. With more delay, the two would talk over each other. */
const mostUnheard = 30

export class PersonSound {
  readonly wire = new SoundWire()
  #sink: SoundSink | null = null
  #sent = 0
  #heard = 0
  /** The level of the frame that the page got last. */
  #db: number | null = null

  /** `hear` gets each frame of the microphone, and the level of what is played meanwhile. */
  constructor(hear: (frame: Int16Array, sentDb: number | null) => void) {
    this.wire.listen({
      spoke: (frame, heard) => {
        this.#heard = Math.max(this.#heard, Math.min(heard, this.#sent))
        hear(frame, this.#db)
        this.#sink?.frame(frame)
      },
      joined: () => void (this.#heard = this.#sent),
    })
  }

  get patch(): SoundPatch {
    return {
      rates: { heard: heardRate, spoken: spokenRate },
      divert: (to) => void (this.#sink = to),
      inject: (frame) => this.#play(frame),
      // A page has no keys.
      sendDigits: () => {},
    }
  }

  #play(frame: Int16Array): void {
    this.#db = levelOf(frame)
    if (this.#sent - this.#heard < mostUnheard && this.wire.send(this.#sent + 1, frame)) this.#sent++
  }
}
