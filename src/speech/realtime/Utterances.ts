/**
 * Sends the caller's speech to the model, each stretch as it is spoken, and keeps it until its words are known, so that
 * another connection or recogniser can hear it again. Plain code: the caller passes the time and the connection.
 */
import type { Recogniser } from "../Ear.ts"
import type { SessionListener, Stretch } from "../VoiceModel.ts"
import type { Connection } from "./Connection.ts"
import { makeEncoder } from "./SoundFormat.ts"

/**
 * Limits for the model to take a stretch and to return its words. Normally it takes a stretch at once, and the words
 * follow within two seconds.
 */
const takenWithinMs = 4_000
const wordsWithinMs = 8_000
/** The most stretches that wait for words. There are more only if the model recognises none. */
const mostWaiting = 8
/** The most frames kept of one stretch: half a minute. */
const mostFrames = 1_500

interface Utterance extends Stretch {
  readonly ended_ms: number
  /** On the present connection: when the stretch was sent, and its id once the model has reported it. */
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

  /** Attaches a new connection, and sends it every stretch without words again. */
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

  /** Records the model's id of the oldest stretch without an id. */
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

  /** Takes the model's refusal of the stretch that this event committed. */
  refused(event: string): void {
    const utterance = this.#waiting.find(({ utterance }) => eventOf(utterance) === event)
    if (utterance !== undefined) this.#understand(utterance, null)
  }

  itemOf(utterance: number): string | null {
    return this.#items.get(utterance) ?? null
  }

  /** Gives up words that are overdue. Returns false if the connection does not take the speech. */
  check(): boolean {
    const now = this.#now()
    const waitsFor = ({ sentAt }: Utterance, ms: number) => sentAt !== null && now - sentAt > ms
    for (const utterance of this.#waiting.filter(({ item }) => item !== null))
      if (waitsFor(utterance, wordsWithinMs)) this.#understand(utterance, null)
    return this.#waiting.every((utterance) => utterance.item !== null || !waitsFor(utterance, takenWithinMs))
  }

  /** True if nothing is being said and all words are known. */
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
