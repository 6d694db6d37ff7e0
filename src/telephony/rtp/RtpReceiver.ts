/**
 * Turns the peer's packets into an even flow of frames: counts and decodes them, puts them in order, and conceals
 * losses. Plain code: `hear` for each packet, `read` once a frame. Times are milliseconds of a monotonic clock.
 */
import { Concealment } from "./Concealment.ts"
import { FrameSupply } from "../../speech/FrameSupply.ts"
import { decodeG711, frameSamples, type G711, pcma, pcmu } from "../../speech/G711.ts"
import { blockSamples, JitterBuffer } from "./JitterBuffer.ts"
import { Reception } from "./Reception.ts"
import type { RtpPacket } from "./RtpPacket.ts"
import { KeyReader } from "./TelephoneEvents.ts"

export interface ReceiveFormat {
  readonly codec: G711
  readonly payloadType: number
  readonly keys: number | null
  readonly comfortNoise: number | null
}

/** The largest payload that is read, in bytes: 200 ms of sound. */
const longestPayload = 1_600

/**
 * The samples of the packet that is being heard, and the frame that is being read, with its two blocks. All calls share
 * them, because what another call has just used is still in the processor's cache. Each use writes them whole.
 */
const decoded = new Int16Array(frameSamples)
const reading = new Int16Array(frameSamples)
const firstBlock = reading.subarray(0, blockSamples)
const secondBlock = reading.subarray(blockSamples)

export class RtpReceiver {
  readonly #buffer = new JitterBuffer()
  readonly #concealment = new Concealment()
  readonly #keys = new KeyReader()
  readonly #supply = new FrameSupply(frameSamples)
  #reception: Reception | null = null
  #keySsrc = 0
  /** The counts of sources that the peer used before the present one. */
  #receivedBefore = 0
  #lostBefore = 0

  /** The present source; null before its first packet. */
  get reception(): Reception | null {
    return this.#reception
  }

  get received(): number {
    return this.#receivedBefore + (this.#reception?.received ?? 0)
  }

  get lost(): number {
    return this.#lostBefore + Math.max(0, this.#reception?.lost ?? 0)
  }

  get late(): number {
    return this.#buffer.late
  }

  get delayMs(): number {
    return this.#buffer.delayMs
  }

  /** Whether the packet's payload type was agreed on. */
  understands({ payload, payloadType }: RtpPacket, format: ReceiveFormat): boolean {
    if (payload.length === 0 || payload.length > longestPayload) return false
    return (
      payloadType === format.keys || payloadType === format.comfortNoise || codecOf(payloadType, format) !== undefined
    )
  }

  /** Takes a packet of the peer. Returns the key if the packet is the first of a key press. */
  hear(packet: RtpPacket, format: ReceiveFormat, now: number): string | null {
    const { payload, payloadType, sequence, ssrc, timestamp } = packet
    if (payloadType === format.keys) return this.#hearKey(packet)
    const codec = codecOf(payloadType, format)
    if (this.#reception?.ssrc !== ssrc) this.#follow(ssrc)
    const isNew = this.#reception?.count(sequence) === "new"
    if (codec === undefined || !isNew) return null
    this.#reception?.time(timestamp, now)
    const samples = payload.length === frameSamples ? decoded : new Int16Array(payload.length)
    this.#buffer.hear(timestamp, decodeG711(codec, payload, samples), now)
    return null
  }

  /** Some gateways send keys with their own SSRC. That must not replace the stream of sound. */
  #hearKey({ payload, sequence, ssrc, timestamp }: RtpPacket): string | null {
    if (this.#reception?.ssrc === ssrc) this.#reception.count(sequence)
    if (this.#keySsrc !== ssrc) this.#keys.reset()
    this.#keySsrc = ssrc
    return this.#keys.hear(payload, timestamp)
  }

  #follow(ssrc: number): void {
    this.#receivedBefore = this.received
    this.#lostBefore = this.lost
    this.#reception = new Reception(ssrc)
    this.#buffer.reset()
  }

  /** Drops the buffered sound. */
  forget(): void {
    this.#buffer.reset()
  }

  /** Reads the next 20 ms. */
  read(now: number): Int16Array {
    this.#buffer.schedule(now)
    this.#readBlock(firstBlock)
    this.#readBlock(secondBlock)
    const frame = this.#supply.next()
    frame.set(reading)
    return frame
  }

  #readBlock(block: Int16Array): void {
    const kind = this.#buffer.read(block)
    if (kind === "idle") block.fill(0)
    else if (kind === "lost" || kind === "stretched") this.#concealment.conceal(block)
    else this.#concealment.hear(block, kind === "spliced")
  }
}

const laws = [pcmu, pcma] as const

/** A peer that offered both laws may send either. */
const codecOf = (payloadType: number, format: ReceiveFormat): G711 | undefined =>
  payloadType === format.payloadType ? format.codec : laws.find((one) => one.payloadType === payloadType)
