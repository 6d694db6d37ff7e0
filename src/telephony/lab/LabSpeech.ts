/**
 * The agent's words on a lab call, as the party hears them: the piece that is being spoken, those that wait, and what
 * was said since the party last reacted. Times are milliseconds of phone time since the answer.
 */
import type { Position } from "../../speech/Playout.ts"
import type { Piece } from "../Telephony.ts"
import { spokenMs } from "./Personas.ts"

interface Sound {
  readonly piece: Piece
  readonly started_ms: number
  readonly length_ms: number
  /** How much had been played when the piece was last held. */
  readonly played_ms: number
  /** When playing last began or resumed; null while the piece is held. */
  readonly since: number | null
}

export class LabSpeech {
  readonly #waiting: Array<Piece> = []
  #sound: Sound | null = null
  #said: Array<string> = []
  /** When the agent began the words that the party has not yet reacted to. */
  #saidFrom: number | null = null
  /** The agent has nothing to add for now. */
  #isComplete = false
  #silentSince = 0

  /** The end of the last piece. */
  get silentSince(): number {
    return this.#silentSince
  }

  /** Nothing is being spoken or waits. */
  get isSilent(): boolean {
    return this.#sound === null && this.#waiting.length === 0
  }

  /** The current piece, unless it is held. */
  get speaking(): { readonly piece: Piece; readonly endsAt: number; readonly saidFrom: number } | null {
    if (this.#sound === null || this.#sound.since === null) return null
    const { length_ms, piece, played_ms, since, started_ms } = this.#sound
    return { piece, endsAt: since + length_ms - played_ms, saidFrom: this.#saidFrom ?? started_ms }
  }

  positionAt(at: number): Position | null {
    if (this.#sound === null) return null
    const { length_ms, piece, started_ms } = this.#sound
    return { piece: piece.id, started_ms, length_ms, played_ms: playedOf(this.#sound, at) }
  }

  add(piece: Piece, at: number): void {
    this.#waiting.push(piece)
    this.#isComplete = false
    if (this.#sound === null) this.#beginNext(at)
  }

  complete(): void {
    this.#isComplete = true
  }

  /** Ends the current piece at its end, begins the next one, and returns the ended one. */
  finish(at: number): { readonly piece: number; readonly started_ms: number; readonly ended_ms: number } | null {
    if (this.#sound === null) return null
    const { piece, started_ms } = this.#sound
    this.#sound = null
    this.#said.push(piece.text)
    this.#silentSince = at
    this.#beginNext(at)
    return { piece: piece.id, started_ms, ended_ms: at }
  }

  hold(at: number): void {
    if (this.#sound !== null) this.#sound = { ...this.#sound, played_ms: playedOf(this.#sound, at), since: null }
  }

  /** The party talks over the agent: the line stops at the first sound. */
  interrupt(at: number): void {
    if (this.#sound?.piece.interruptible === true) this.hold(at)
  }

  resume(at: number): void {
    if (this.#sound?.since === null) this.#sound = { ...this.#sound, since: at }
  }

  /** Drops everything that the party has not reacted to. */
  cut(at: number): void {
    if (this.#sound !== null) this.#silentSince = at
    this.#waiting.length = 0
    this.#sound = null
    this.#said = []
    this.#saidFrom = null
  }

  /** Returns the words since the previous call; null if there are none, or if the agent has more to say. */
  takeSaid(): string | null {
    if (!this.#isComplete || !this.isSilent || this.#said.length === 0) return null
    const text = this.#said.join(" ")
    this.#said = []
    this.#saidFrom = null
    return text
  }

  #beginNext(at: number): void {
    const piece = this.#waiting.shift()
    if (piece === undefined) return
    this.#sound = { piece, started_ms: at, length_ms: spokenMs(piece.text), played_ms: 0, since: at }
    this.#saidFrom ??= at
  }
}

const playedOf = ({ length_ms, played_ms, since }: Sound, at: number) =>
  Math.min(length_ms, played_ms + (since === null ? 0 : Math.max(0, at - since)))
