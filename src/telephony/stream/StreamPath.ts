/**
 * The sound of a call over a carrier's media stream as a path. The carrier buffers what it is sent and plays it by its own
 * clock; it returns a mark when it has played what came before, and it cannot pause: to fall silent its buffer is
 * cleared, and what was not heard is sent again. One path outlives several streams, since a transfer that fails and keys
 * that are sent each end a stream.
 */
import { frameMs, soften } from "../../speech/Audio.ts"
import { decodeG711, encodeG711, frameSamples, g711Rate, pcmu } from "../../speech/G711.ts"
import type { SoundListener, SoundPath } from "../SoundPath.ts"
import type { Gone } from "../Telephony.ts"
import type { StreamMessage } from "./Dialect.ts"

/** One open stream, towards the carrier. */
export interface Stream {
  /** Sends a frame in base64; false if the carrier cannot take it now. */
  readonly sound: (payload: string) => boolean
  readonly mark: (name: string) => void
  readonly clear: () => void
  readonly close: () => void
}

/** A frame that the carrier has, and of which it has not said that it was played. */
interface Unheard {
  readonly number: number
  readonly payload: string
}

/** The longest time without a message of the carrier, in ticks: it sends silence as sound, and returns marks. */
const mostSilent = 20_000 / frameMs
/** A mark follows this many frames, so what was heard is known to within as many. */
const framesAMark = 2

export class StreamPath implements SoundPath {
  readonly rates = { heard: g711Rate, spoken: g711Rate }
  readonly hearing = { _tag: "Reported" } as const
  /** Less would stutter on the way to the carrier; more would be heard after the agent was told to speak softly. */
  readonly leadMs = 100
  /** The echo cancellers of the telephone network weaken an echo by about this. */
  readonly cancelledDb = 12
  readonly duckedDb = 15
  readonly hearsKeys = true
  #listener: SoundListener | undefined
  #stream: Stream | null = null
  #goneEarly: Gone | null = null
  /** The stream is expected to end, and another to follow. */
  #isAway = false
  #unheard: Array<Unheard> = []
  /** A mark that is returned after its sound was cleared proves nothing, so each clearing begins a new series of marks. */
  #series = 0
  #unmarked = 0
  #hasSent = false
  #isHeld = false
  #isDucked = false
  #silentTicks = 0
  /** Samples that do not fill a frame yet. */
  #rest = new Int16Array(0)

  get isConnected(): boolean {
    return this.#stream !== null
  }

  attach(listener: SoundListener): void {
    this.#listener = listener
    if (this.#goneEarly !== null) listener.gone(this.#goneEarly)
  }

  /** The carrier has opened a stream, which replaces any earlier one. */
  join(stream: Stream): void {
    const before = this.#stream
    this.#stream = stream
    before?.close()
    this.#isAway = false
    this.#silentTicks = 0
    this.#forget()
    this.#listener?.replaced()
  }

  /** The stream will end because the call is sent elsewhere. */
  expectEnd(): void {
    this.#isAway = true
  }

  /** The stream goes on after all. */
  expectStay(): void {
    this.#isAway = false
  }

  /** The stream has ended. Has no effect if a new stream has already taken its place. */
  part(stream: Stream, how: Gone): void {
    if (this.#stream !== stream) return
    this.#stream = null
    if (!this.#isAway) this.leave(how)
  }

  leave(how: Gone): void {
    this.#goneEarly ??= how
    this.#listener?.gone(how)
  }

  close(): void {
    this.#isAway = true
    this.#stream?.close()
  }

  /** A message of this stream. */
  take(stream: Stream, message: StreamMessage): void {
    if (this.#stream !== stream) return
    this.#silentTicks = 0
    if (message._tag === "Sound") this.#hear(message.bytes)
    else if (message._tag === "Marked") this.#pass(message.name)
    else if (message._tag === "Key") this.#listener?.key(message.digit)
  }

  #hear(bytes: Buffer): void {
    const decoded = decodeG711(pcmu, bytes)
    const samples = new Int16Array(this.#rest.length + decoded.length)
    samples.set(this.#rest)
    samples.set(decoded, this.#rest.length)
    let at = 0
    for (; at + frameSamples <= samples.length; at += frameSamples) {
      this.#listener?.heard(samples.subarray(at, at + frameSamples))
    }
    this.#rest = samples.subarray(at)
  }

  #pass(name: string): void {
    const [, series, number] = /^(\d{1,9}):(\d{1,9})$/.exec(name) ?? []
    if (Number(series) !== this.#series) return
    const upTo = Number(number)
    // Only a mark that was sent counts.
    if (!this.#unheard.some((frame) => frame.number === upTo)) return
    this.#unheard = this.#unheard.filter((frame) => frame.number > upTo)
    this.#listener?.played(upTo)
  }

  tick(): void {
    const last = this.#unheard.at(-1)
    if (last !== undefined && this.#unmarked > 0 && (this.#unmarked >= framesAMark || !this.#hasSent)) {
      this.#unmarked = 0
      this.#stream?.mark(`${this.#series}:${last.number}`)
    }
    this.#hasSent = false
    this.#silentTicks = this.isConnected ? this.#silentTicks + 1 : 0
    if (this.#silentTicks > mostSilent) this.leave("lost")
  }

  send(number: number, frame: Int16Array): boolean {
    const bytes = Buffer.allocUnsafe(frame.length)
    encodeG711(pcmu, this.#isDucked ? soften(frame, this.duckedDb) : frame, bytes, 0)
    return this.#sendFrame({ number, payload: bytes.toString("base64") })
  }

  #sendFrame(frame: Unheard): boolean {
    if (this.#stream?.sound(frame.payload) !== true) return false
    this.#unheard.push(frame)
    this.#unmarked++
    this.#hasSent = true
    return true
  }

  hold(): void {
    this.#isHeld = true
    this.#series++
    // A mark behind a buffer that is empty would be returned at once.
    this.#unmarked = 0
    this.#stream?.clear()
  }

  resume(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    // The carrier took these frames before, so they are few; a stream that cannot take them now is about to be lost.
    for (const frame of this.#unheard.splice(0)) this.#sendFrame(frame)
  }

  clear(): void {
    this.#forget()
    this.#stream?.clear()
  }

  #forget(): void {
    this.#isHeld = false
    this.#series++
    this.#unheard = []
    this.#unmarked = 0
  }

  duck(isDucked: boolean): void {
    this.#isDucked = isDucked
  }

  /** A stream carries no keys of ours: the carrier is told to play them. */
  sendDigits(): void {}
}
