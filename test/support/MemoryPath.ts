/**
 * A sound path in memory for a telephone: it takes one frame of 8 kHz a tick, and plays the sound that a test provides.
 */
import type { SoundListener, SoundPath } from "../../src/telephony/SoundPath.ts"
import type { Sound } from "./Sounds.ts"

const rate = 8_000
const frameLength = rate / 50

/** Every second sample. The tests' sounds have nothing above 4 kHz that matters. */
const halved = (sound: Sound): Sound => sound.filter((_, at) => at % 2 === 0)

export class MemoryPath implements SoundPath {
  readonly rates = { heard: rate, spoken: rate }
  readonly hearing = { _tag: "Assumed", ticks: 3 } as const
  readonly leadMs = 10
  readonly cancelledDb = 12
  readonly duckedDb = 15
  readonly hearsKeys = true
  readonly isConnected = true
  /** The output of each tick: a frame, or null for silence. */
  readonly sent: Array<Int16Array | null> = []
  readonly orders: Array<string> = []
  listener: SoundListener | undefined
  #slot: Int16Array | null = null
  #said: Sound = new Int16Array(0)

  attach(listener: SoundListener): void {
    this.listener = listener
  }

  send(_: number, frame: Int16Array): boolean {
    if (this.#slot !== null) return false
    this.#slot = frame.slice()
    return true
  }

  tick(): void {
    this.sent.push(this.#slot)
    this.#slot = null
    const heard = new Int16Array(frameLength)
    heard.set(this.#said.subarray(0, frameLength))
    this.#said = this.#said.subarray(frameLength)
    this.listener?.heard(heard)
  }

  /** Plays this sound of 16 kHz from now on. */
  say(sound: Sound): void {
    this.#said = halved(sound)
  }

  hold(): void {
    this.orders.push("hold")
  }

  resume(): void {
    this.orders.push("resume")
  }

  clear(): void {
    this.orders.push("clear")
  }

  duck(isDucked: boolean): void {
    this.orders.push(isDucked ? "duck" : "unduck")
  }

  sendDigits(digits: string): void {
    this.orders.push(`digits ${digits}`)
  }
}
