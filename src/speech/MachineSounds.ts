/** Hears what only machines sound: the tone before a recording, a fax machine, a network's announcement. Plain code. */
import { levelOf } from "./Audio.ts"
import { BeepDetector } from "./BeepDetector.ts"
import { type NetworkTone, NetworkTones } from "./NetworkTones.ts"
import { quietestDb, toneOf } from "./Tone.ts"

export class MachineSounds {
  readonly #rate: number
  readonly #beep = new BeepDetector()
  readonly #tones = new NetworkTones()

  /** Samples a second of the frames. */
  constructor(rate: number) {
    this.#rate = rate
  }

  /** Called for each frame. Returns a sound once, when it is known. */
  hear(frame: Int16Array): "beep" | NetworkTone | null {
    const hz = toneOf(frame, this.#rate)
    const isBeep = this.#beep.hear(hz)
    return this.#tones.hear(hz, levelOf(frame) >= quietestDb) ?? (isBeep ? "beep" : null)
  }
}
