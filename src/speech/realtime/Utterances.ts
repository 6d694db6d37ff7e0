/**
 * The caller's speech as the model gets it: every stretch is sent while it is spoken, and kept until its words are known,
 * so that another connection, or another recogniser, can hear it again. Plain code: time and connection are given to it.
 */
import type { Recogniser } from "../Ear.ts"
import type { SessionListener, Stretch } from "../VoiceModel.ts"
import type { Connection } from "./Connection.ts"
import { makeEncoder } from "./SoundFormat.ts"

/** The model takes a stretch at once, and its words follow within a second or two. */
const takenWithinMs = 4_000
const wordsWithinMs = 8_000
/** The most stretches whose words are awaited. More come together only if the model understands none. */
const mostWaiting = 8
/** The most frames kept of one stretch: half a minute. */
const mostFrames = 1_500

interface Utterance extends Stretch {
  readonly ended_ms: number
  /** On the present connection: when it was sent, and its id once the model has told it. */
  sentAt: number | null
  item: string | null
}

type Listener = Pick<SessionListener, "heard" | "understood">

export class Utterances implements Recogniser {
  readonly #rate: number
  readonly #listener: Listener
  readonly #now: () => number
  #send: Connection["send"] | null = null
  #encode: (samples: Int16Array) => string
  #frames: Array<Int16Array> = []
  #waiting: Array<Utterance> = []
  #count = 0
  /** The ids that the present connection gave to utterances. */
  readonly #items = new Map<number, string>()

  constructor(rate: number, listener: Listener, now: () => number) {
    this.#rate = rate
    this.#listener = listener
    this.#now = now
    this.#encode = makeEncoder(rate)
  }

  /** Sends again everything that is not understood yet. */
  join(send: Connection["send"]): void {
    this.#send = send
    for (const utterance of this.#waiting) {
      this.#repeat(utterance.frames)
      this.#commit(utterance)
    }
    this.#repeat(this.#frames)
  }

  part(): void {
    this.#send = null
    this.#items.clear()
    for (const utterance of this.#waiting) Object.assign(utterance, { sentAt: null, item: null })
  }

  push(frame: Int16Array): void {
    this.#frames.push(frame)
    if (this.#frames.length > mostFrames) this.#frames.shift()
    this.#append(frame)
  }

  finalise(started_ms: number, ended_ms: number): void {
    const utterance: Utterance = {
      utterance: ++this.#count,
      frames: this.#frames,
      started_ms,
      ended_ms,
      sentAt: null,
      item: null,
    }
    this.#frames = []
    this.#waiting.push(utterance)
    this.#commit(utterance)
    this.#listener.heard(utterance.utterance, started_ms, ended_ms)
    const [oldest] = this.#waiting
    if (this.#waiting.length > mostWaiting && oldest !== undefined) this.#understand(oldest, null)
  }

  discard(): void {
    this.#frames = []
    this.#send?.({ type: "input_audio_buffer.clear" })
  }

  /** The model has taken the oldest stretch that has no id yet. */
  taken(item: string): void {
    const utterance = this.#waiting.find(({ item, sentAt }) => item === null && sentAt !== null)
    if (utterance === undefined) return
    utterance.item = item
    this.#items.set(utterance.utterance, item)
  }

  understood(item: string, text: string | null): void {
    const utterance = this.#waiting.find((utterance) => utterance.item === item)
    if (utterance !== undefined) this.#understand(utterance, text)
  }

  /** The model refused the stretch that this event committed. */
  refused(event: string): void {
    const utterance = this.#waiting.find(({ utterance }) => eventOf(utterance) === event)
    if (utterance !== undefined) this.#understand(utterance, null)
  }

  itemOf(utterance: number): string | null {
    return this.#items.get(utterance) ?? null
  }

  /** False if the connection does not take what was said. Words that do not come are given up. */
  check(): boolean {
    const now = this.#now()
    const waitsFor = ({ sentAt }: Utterance, ms: number) => sentAt !== null && now - sentAt > ms
    for (const utterance of this.#waiting.filter(({ item }) => item !== null))
      if (waitsFor(utterance, wordsWithinMs)) this.#understand(utterance, null)
    return this.#waiting.every((utterance) => utterance.item !== null || !waitsFor(utterance, takenWithinMs))
  }

  /** Nothing is being said, and everything that was said is understood. */
  get isQuiet(): boolean {
    return this.#frames.length === 0 && this.#waiting.length === 0
  }

  get unknown(): ReadonlyArray<Stretch> {
    const open = { utterance: 0, frames: this.#frames, started_ms: 0, ended_ms: null }
    return this.#frames.length === 0 ? this.#waiting : [...this.#waiting, open]
  }

  #understand(utterance: Utterance, text: string | null): void {
    this.#waiting = this.#waiting.filter((other) => other !== utterance)
    this.#listener.understood(utterance.utterance, text, utterance.started_ms, utterance.ended_ms)
  }

  #commit(utterance: Utterance): void {
    if (this.#send === null) return
    utterance.sentAt = this.#now()
    this.#send({ type: "input_audio_buffer.commit", event_id: eventOf(utterance.utterance) })
    this.#encode = makeEncoder(this.#rate)
  }

  #repeat(frames: ReadonlyArray<Int16Array>): void {
    this.#encode = makeEncoder(this.#rate)
    for (const frame of frames) this.#append(frame)
  }

  #append(frame: Int16Array): void {
    this.#send?.({ type: "input_audio_buffer.append", audio: this.#encode(frame) })
  }
}

const eventOf = (utterance: number): string => `heard_${utterance}`
