/**
 * Plays the agent's sound to the listener: queues it, sends it a little ahead of time, and tracks how much was heard,
 * which only the listener's side can report. Frames are numbered over the whole call, so that no frame of a cut sound
 * can return. Plain code, called once a frame.
 */
import { frameMs, levelOf, samplesOf, silenceDb } from "./Audio.ts"

/** The most frames that are sent without a report that they were heard. */
export const mostUnheard = 100
/** Synthesised sounds begin with silence. At most this many frames of it are played. */
const leadingFrames = 2
const leadingDb = -55
/** The longest sound of a piece. No sentence takes longer, so the rest is dropped. */
const longestFrames = 120_000 / frameMs
/** Estimates the length of a piece whose sound is not complete yet. */
const msACharacter = 62

/** How far a piece was heard; `length_ms` is the length of the whole piece. */
export interface Position {
  readonly piece: number
  readonly started_ms: number
  readonly played_ms: number
  readonly length_ms: number
}

interface Sound {
  readonly piece: number
  readonly guess_ms: number
  readonly frames: Array<Int16Array>
  /** The leading silence, and how many frames of it were skipped. */
  readonly leading: Array<Int16Array>
  skipped: number
  rest: Int16Array
  whole: boolean
  sent: number
  /** The number of its first frame; 0 if none was sent. */
  first: number
  heard: number
  started_ms: number | null
}

export interface PlayoutListener {
  /** Sends a frame; false if the line cannot take it now. */
  readonly send: (number: number, frame: Int16Array) => boolean
  /** The piece has begun: its first frame was sent, or it has no sound. */
  readonly began: (piece: number) => void
  readonly played: (piece: number, started_ms: number, ended_ms: number) => void
}

export interface PlayoutOptions {
  /** Samples a second. */
  readonly rate: number
  /** How far ahead sound is sent, in milliseconds. */
  readonly leadMs: number
}

export class Playout {
  readonly #listener: PlayoutListener
  readonly #frameLength: number
  readonly #leadMs: number
  #sounds: Array<Sound> = []
  #next = 1
  #heardUpTo = 0
  /** When the last sent frame should end. */
  #due = 0
  #held = false
  #movedAt = 0
  #sentDb: number | null = null
  /** The last piece that began. */
  #begun = 0

  constructor(listener: PlayoutListener, { leadMs, rate }: PlayoutOptions) {
    this.#listener = listener
    this.#frameLength = samplesOf(rate)
    this.#leadMs = leadMs
  }

  /** The number of the next frame. All later frames have higher numbers. */
  get next(): number {
    return this.#next
  }

  /** The number of the last frame that was heard or cut. */
  get heardUpTo(): number {
    return this.#heardUpTo
  }

  get isEmpty(): boolean {
    return this.#sounds.length === 0
  }

  get isHeld(): boolean {
    return this.#held
  }

  /** The highest level of the sound that is being heard now; null for none. */
  get sentDb(): number | null {
    return this.#sentDb
  }

  begin(piece: number, text: string, speed: number): void {
    const guess_ms = (text.length * msACharacter) / speed
    const nothing = { whole: false, sent: 0, first: 0, heard: 0, skipped: 0, started_ms: null }
    this.#sounds.push({ piece, guess_ms, frames: [], leading: [], rest: new Int16Array(0), ...nothing })
  }

  /** Adds samples to a piece. Returns false if the piece was cut, or is too long. */
  add(piece: number, samples: Int16Array): boolean {
    const sound = this.#sounds.find((sound) => sound.piece === piece)
    if (sound === undefined || sound.frames.length > longestFrames) return false
    const all = new Int16Array(sound.rest.length + samples.length)
    all.set(sound.rest)
    all.set(samples, sound.rest.length)
    const frameLength = this.#frameLength
    let at = 0
    for (; at + frameLength <= all.length; at += frameLength) this.#put(sound, all.subarray(at, at + frameLength))
    sound.rest = all.subarray(at)
    return true
  }

  #put(sound: Sound, frame: Int16Array): void {
    const { frames, leading } = sound
    if (frames.length > 0 || levelOf(frame) >= leadingDb) return void frames.push(...leading.splice(0), frame)
    leading.push(frame)
    if (leading.length <= leadingFrames) return
    leading.shift()
    sound.skipped++
  }

  /** Ends a piece: no more samples follow. */
  end(piece: number, now: number): void {
    const sound = this.#sounds.find((sound) => sound.piece === piece)
    if (sound === undefined) return
    if (sound.rest.length > 0) {
      const last = new Int16Array(this.#frameLength)
      last.set(sound.rest)
      sound.rest = new Int16Array(0)
      sound.frames.push(last)
    }
    sound.whole = true
    this.#reportPlayed(now)
  }

  /** Sends the frames that are due. */
  tick(now: number): void {
    if (this.unheard === 0) this.#movedAt = now
    this.#sentDb = this.#held || this.unheard === 0 ? null : silenceDb
    if (this.#held) return
    while (this.#due - now < this.#leadMs && this.unheard < mostUnheard) {
      const sound = this.#sounds.find(({ frames, sent, whole }) => sent < frames.length || !whole)
      const frame = sound?.frames[sound.sent]
      if (sound === undefined || frame === undefined || !this.#listener.send(this.#next, frame)) break
      if (sound.first === 0) sound.first = this.#next
      sound.sent++
      this.#next++
      this.#due = Math.max(this.#due, now) + frameMs
      this.#sentDb = Math.max(this.#sentDb ?? silenceDb, levelOf(frame))
    }
    this.#reportPlayed(now)
  }

  /** Records that the listener has heard every frame up to this number. Ignores numbers that were never sent. */
  heard(number: number, now: number): void {
    const upTo = Math.min(number, this.#next - 1)
    if (upTo <= this.#heardUpTo) return
    this.#heardUpTo = upTo
    this.#movedAt = now
    for (const sound of this.#sounds) {
      if (sound.first === 0 || sound.first > upTo) break
      sound.heard = Math.min(sound.sent, upTo - sound.first + 1)
      sound.started_ms ??= Math.max(0, now - sound.heard * frameMs)
    }
    this.#reportPlayed(now)
  }

  #reportPlayed(now: number): void {
    for (let sound = this.#sounds[0]; sound !== undefined; sound = this.#sounds[0]) {
      if ((sound.sent > 0 || sound.whole) && this.#begun !== sound.piece) {
        this.#begun = sound.piece
        this.#listener.began(sound.piece)
      }
      if (!sound.whole || sound.heard < sound.frames.length) return
      this.#sounds.shift()
      this.#listener.played(sound.piece, sound.started_ms ?? now, now)
    }
  }

  hold(): void {
    this.#held = true
  }

  resume(now: number): void {
    if (!this.#held) return
    this.#held = false
    this.#movedAt = now
    this.#due = now + this.unheard * frameMs
  }

  /**
   * Returns when the current frame ends: a line that is held now is silent from then on. Null if nothing is playing.
   */
  silentFrom(now: number): number | null {
    return this.unheard === 0 ? null : Math.max(now, Math.min(this.#due, now + frameMs))
  }

  /** Counts a frame that belongs to no piece: music, or sound of a connected line. */
  skipNumber(): void {
    this.#next++
  }

  /** How many sent frames were not heard yet. */
  get unheard(): number {
    return this.#next - 1 - this.#heardUpTo
  }

  /** Drops all sound that was not heard. Returns the dropped pieces. */
  cut(now: number): ReadonlyArray<number> {
    const forgotten = this.#sounds.map(({ piece }) => piece)
    this.#sounds = []
    this.#held = false
    this.#heardUpTo = this.#next - 1
    this.#due = now
    this.#movedAt = now
    return forgotten
  }

  /**
   * Prepares for another listener: frames that the previous one had not heard are sent again, under the same numbers.
   */
  rewind(now: number): void {
    this.#next = this.#heardUpTo + 1
    this.#due = now
    this.#movedAt = now
    for (const sound of this.#sounds) {
      sound.sent = sound.heard
      if (sound.heard === 0) sound.first = 0
    }
  }

  position(): Position | null {
    const [sound] = this.#sounds
    if (sound === undefined || sound.started_ms === null) return null
    const { frames, guess_ms, heard, piece, started_ms, whole } = sound
    const known_ms = frames.length * frameMs
    return {
      piece,
      started_ms,
      played_ms: heard * frameMs,
      length_ms: whole ? known_ms : Math.max(known_ms, guess_ms),
    }
  }

  /** How much of a piece's original sound was heard, including the leading silence that was skipped. */
  heardMs(piece: number): number {
    const sound = this.#sounds.find((sound) => sound.piece === piece)
    return sound === undefined || sound.heard === 0 ? 0 : (sound.skipped + sound.heard) * frameMs
  }

  /** Restarts the wait for reports: this process was paused and has not yet read those that arrived. */
  stoodStill(now: number): void {
    this.#movedAt = now
  }

  /** For how many milliseconds a report on the sent frames has been overdue. */
  silentMs(now: number): number {
    return this.#held || this.unheard === 0 ? 0 : now - this.#movedAt
  }
}
