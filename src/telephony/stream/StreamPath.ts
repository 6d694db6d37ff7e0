/**
 * The sound of a call over a carrier's media stream as a path. The carrier buffers our sound, plays it by its own
 * clock, and returns each mark when it has played the sound before it. It cannot pause: to hold the agent, the path
 * clears the carrier's buffer, and at resumption it sends the unheard frames again. One path outlives several streams,
 * because a failed transfer ends a stream, and so do keys that we send.
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

/** A frame that the carrier has and has not reported as played. */
interface Unheard {
  readonly number: number
  readonly payload: string
}

/** The longest time without a message from the carrier, in ticks. A working carrier sends even silence as sound. */
const mostSilent = 20_000 / frameMs
/** A mark follows every two frames, so the path knows to within two frames what was heard. */
const framesAMark = 2

export class StreamPath implements SoundPath {
  readonly rates = { heard: g711Rate, spoken: g711Rate }
  readonly hearing = { _tag: "Reported" } as const
  /**
   * With less, sound would stutter on the way to the carrier. With more, the agent would duck and fall silent too late.
   */
  readonly leadMs = 100
  /** The echo cancellers of the telephone network weaken an echo by about this. */
  readonly cancelledDb = 12
  readonly duckedDb = 15
  readonly hearsKeys = true
  #listener: SoundListener | undefined
  #stream: Stream | null = null
  #goneEarly: Gone | null = null
  /** Whether the stream is about to end and another one to follow. */
  #isAway = false
  #unheard: Array<Unheard> = []
  /**
   * A mark that returns after its sound was cleared does not prove that the sound was heard. So each clearing begins a
   * new series of marks.
   */
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

  /** Takes a stream that the carrier has opened, in place of any earlier one. */
  join(stream: Stream): void {
    const before = this.#stream
    this.#stream = stream
    before?.close()
    this.#isAway = false
    this.#silentTicks = 0
    this.#forget()
    this.#listener?.replaced()
  }

  /** Prepares for the end of the stream: the call is about to be sent elsewhere. */
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

  /** Takes a message of this stream. */
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
    // The carrier would return a mark at once if its buffer were empty.
    this.#unmarked = 0
    this.#stream?.clear()
  }

  resume(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    // The carrier took these frames once, so they are few. A stream that cannot take them now is about to be lost.
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

  /** Does nothing: a stream cannot carry keys. The carrier plays them on command. */
  sendDigits(): void {}
}
