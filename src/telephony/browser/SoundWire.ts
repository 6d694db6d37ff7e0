/**
 * Carries sound between a conversation's line and its page: the format of a frame, and the page that is attached now.
 * With each frame the page reports how much it has played. Plain code.
 */
import { heardRate, samplesOf, spokenRate } from "../../speech/Audio.ts"

/**
 * Each frame begins with a number, little endian: our frames have their own, and the page's frames have the last one
 * that it played.
 */
const headerBytes = 4
const heardBytes = headerBytes + samplesOf(heardRate) * 2

/** Whether these bytes have the length of a page's frame. */
export const isFrame = ({ length }: Uint8Array): boolean => length === heardBytes

/** Sends a frame to the page. Returns false if the page has not yet taken the earlier frames. */
export type Loudspeaker = (frame: Uint8Array) => boolean

export interface Microphone {
  /** 20 ms of the visitor's sound, and the number of the last frame that the visitor heard. */
  readonly spoke: (frame: Int16Array, heard: number) => void
  /** Another page is attached. It has no frame yet. */
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

  /** Takes a page's frame; false if it is not one. */
  hear(bytes: Uint8Array): boolean {
    if (!isFrame(bytes)) return false
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
