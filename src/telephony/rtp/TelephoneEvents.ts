/**
 * Telephone keys as events of RFC 4733, in both directions. One key press takes ten packets or more, and some may be
 * lost. It is reported once, when the first of them arrives. Plain code.
 */
import { frameSamples } from "../../speech/G711.ts"

const keys = "0123456789*#ABCD"

/** A key is held for 120 ms, its end is sent three times, and the next key follows 80 ms after it. */
const framesHeld = 6
const ends = 3
const framesAKey = 10
/** The length of a pause within digits, in frames. */
const framesOfPause = 25
const pauses = ",wW"
/** In dB below full scale. */
const volume = 10
const longestEvent = 0xffff

export class KeyReader {
  #timestamp: number | null = null
  #code = 0
  #duration = 0
  #hasEnded = false

  /** Returns the key if this packet is the first of a key press. */
  hear(payload: Uint8Array, timestamp: number): string | null {
    if (payload.length < 4) return null
    const [code = 0, flags = 0, high = 0, low = 0] = payload
    const duration = (high << 8) | low
    const known = this.#timestamp
    const ahead = known === null ? 1 : (timestamp - known) | 0
    // An event with an older time stamp is late, and its key was already reported.
    if (ahead < 0) return null
    const isSame = known !== null && ahead === 0
    // An event of more than 8 s continues under a new time stamp (RFC 4733 §2.5.1.3).
    const goesOn = !this.#hasEnded && code === this.#code && this.#duration === longestEvent && ahead === longestEvent
    this.#timestamp = timestamp
    this.#duration = isSame ? Math.max(this.#duration, duration) : duration
    this.#hasEnded = (flags & 0x80) !== 0 || (isSame && this.#hasEnded)
    this.#code = code
    return isSame || goesOn ? null : (keys[code] ?? null)
  }

  /** Prepares for another stream, with other time stamps. */
  reset(): void {
    this.#timestamp = null
  }
}

export interface KeyFrame {
  /** The event; null in a pause between keys, in which sound is sent. */
  readonly event: { readonly payload: Uint8Array; readonly timestamp: number; readonly marker: boolean } | null
}

export class KeySender {
  #waiting: Array<string> = []
  #frame = 0
  #timestamp = 0

  get isBusy(): boolean {
    return this.#waiting.length > 0
  }

  /** Queues these keys after the earlier ones. Skips characters that are neither a key nor a pause. */
  press(digits: string): void {
    this.#waiting.push(...Array.from(digits.toUpperCase()).filter((one) => keys.includes(one) || pauses.includes(one)))
  }

  /** Returns the event of the present frame, which has this time stamp; null if no key is left. */
  next(now: number): KeyFrame | null {
    const [key] = this.#waiting
    if (key === undefined) return null
    const frame = this.#frame++
    if (this.#frame >= (pauses.includes(key) ? framesOfPause : framesAKey)) {
      this.#waiting.shift()
      this.#frame = 0
    }
    if (pauses.includes(key) || frame >= framesHeld + ends - 1) return { event: null }
    if (frame === 0) this.#timestamp = now
    const duration = Math.min(frame + 1, framesHeld) * frameSamples
    const isEnd = frame >= framesHeld - 1
    const payload = Uint8Array.of(keys.indexOf(key), (isEnd ? 0x80 : 0) | volume, duration >> 8, duration & 0xff)
    return { event: { payload, timestamp: this.#timestamp, marker: frame === 0 } }
  }
}
