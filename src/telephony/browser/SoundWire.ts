/**
 * The sound of a conversation between its line and the page that looks on: what a frame looks like on the way, and which
 * page has it now. Plain code; the page says with each of its frames how much it has heard.
 */
import { heardRate, samplesOf, spokenRate } from "../../speech/Audio.ts"

/** A number, little endian, before the samples: of the frame itself, or of the last one that was heard. */
const headerBytes = 4
const heardBytes = headerBytes + samplesOf(heardRate) * 2

/** Sends to the page; false if it has not taken yet what was sent before. */
export type Loudspeaker = (frame: Uint8Array) => boolean

export interface Microphone {
  /** 20 ms of what the visitor says, and the number of the last frame that was heard. */
  readonly spoke: (frame: Int16Array, heard: number) => void
  /** Another page than before, which has no frame yet. */
  readonly joined: () => void
}

export class SoundWire {
  #loudspeaker: Loudspeaker | undefined
  #microphone: Microphone | undefined

  get isJoined(): boolean {
    return this.#loudspeaker !== undefined
  }

  listen(microphone: Microphone): void {
    this.#microphone = microphone
  }

  join(loudspeaker: Loudspeaker): void {
    this.#loudspeaker = loudspeaker
    this.#microphone?.joined()
  }

  part(loudspeaker: Loudspeaker): void {
    if (this.#loudspeaker === loudspeaker) this.#loudspeaker = undefined
  }

  /** What came of a page's; false: it is no frame. */
  hear(bytes: Uint8Array): boolean {
    if (bytes.length !== heardBytes) return false
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const frame = new Int16Array(samplesOf(heardRate))
    for (let at = 0; at < frame.length; at++) frame[at] = view.getInt16(headerBytes + at * 2, true)
    this.#microphone?.spoke(frame, view.getUint32(0, true))
    return true
  }

  send(number: number, frame: Int16Array): boolean {
    if (this.#loudspeaker === undefined) return false
    const bytes = new Uint8Array(headerBytes + samplesOf(spokenRate) * 2)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, number, true)
    for (let at = 0; at < frame.length; at++) view.setInt16(headerBytes + at * 2, frame[at] ?? 0, true)
    return this.#loudspeaker(bytes)
  }
}
