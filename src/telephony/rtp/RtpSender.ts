/**
 * Writes our sound as packets: one for each frame of the clock, with key events in place of sound. Plain code, called
 * once a frame.
 */
import { randomInt } from "node:crypto"
import { encodeG711, frameSamples, type G711 } from "../../speech/G711.ts"
import type { SenderReport } from "./RtcpPacket.ts"
import { allocateRtp, fixedHeaderBytes } from "./RtpPacket.ts"
import { KeySender } from "./TelephoneEvents.ts"

export interface SendFormat {
  readonly codec: G711
  readonly payloadType: number
  /** The payload type of key events; null if the peer takes none. */
  readonly keys: number | null
}

const lap16 = 0x1_0000
const lap32 = 0x1_0000_0000

export class RtpSender {
  readonly ssrc = randomInt(lap32)
  #keys = new KeySender()
  #sequence = randomInt(lap16)
  #timestamp = randomInt(lap32)
  /** The next packet is the first of a stretch of sound. */
  #begins = true
  #packets = 0
  #bytes = 0

  get packets(): number {
    return this.#packets
  }

  get isPressing(): boolean {
    return this.#keys.isBusy
  }

  press(digits: string): void {
    this.#keys.press(digits)
  }

  /** Drops the keys that wait to be sent. */
  dropKeys(): void {
    this.#keys = new KeySender()
  }

  /** Skips this many frames of the clock, in which nothing is sent. */
  skip(frames: number): void {
    this.#timestamp = (this.#timestamp + frames * frameSamples) >>> 0
    this.#begins = true
  }

  /** Returns the packet of the next frame; null makes it silent. */
  next({ codec, keys, payloadType }: SendFormat, frame: Int16Array | null): Buffer {
    const now = this.#timestamp
    this.#timestamp = (now + frameSamples) >>> 0
    const event = keys === null ? null : (this.#keys.next(now)?.event ?? null)
    if (event !== null && keys !== null) {
      const { marker, payload, timestamp } = event
      const packet = this.#allocate(keys, marker, timestamp, payload.length)
      packet.set(payload, fixedHeaderBytes)
      return packet
    }
    const packet = this.#allocate(payloadType, this.#begins, now, frameSamples)
    this.#begins = false
    if (frame === null) packet.fill(codec.silence, fixedHeaderBytes)
    else encodeG711(codec, frame, packet, fixedHeaderBytes)
    return packet
  }

  #allocate(payloadType: number, marker: boolean, timestamp: number, bytes: number): Buffer {
    const sequence = this.#sequence
    this.#sequence = (sequence + 1) % lap16
    this.#packets++
    this.#bytes += bytes
    return allocateRtp({ payloadType, marker, sequence, timestamp, ssrc: this.ssrc }, bytes)
  }

  /** Returns the sender report of this stream; null before its first packet. */
  report(clockMs: number): SenderReport | null {
    if (this.#packets === 0) return null
    return { clockMs, timestamp: this.#timestamp, packets: this.#packets, bytes: this.#bytes }
  }
}
