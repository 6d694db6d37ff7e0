/**
 * Detects the sounds of machines: the beep before a recording, fax tones, and the tones before a network's
 * announcement. Plain code.
 */
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

  /** Takes a frame. Returns each detected sound once. */
  hear(frame: Int16Array): "beep" | NetworkTone | null {
    const hz = toneOf(frame, this.#rate)
    const isBeep = this.#beep.hear(hz)
    return this.#tones.hear(hz, levelOf(frame) >= quietestDb) ?? (isBeep ? "beep" : null)
  }
}
