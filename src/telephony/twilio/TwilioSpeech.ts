/**
 * The agent's words on a Twilio call. Twilio reports only the end of what it says, so this class estimates from the
 * number of words how much was heard.
 */
import type { Position } from "../../speech/Playout.ts"
import type { LineEvent, Piece } from "../Telephony.ts"
import * as Twiml from "./Twiml.ts"

/** Words a second of Twilio's voices. */
const wordsPerSecond = 2.6

/** The estimated length in milliseconds. */
export const spokenMs = (text: string): number => (text.split(/\s+/u).length / wordsPerSecond) * 1_000

/** The pieces that one Say speaks together, and the mark that reports its end. */
interface Say {
  readonly pieces: ReadonlyArray<Piece>
  readonly started_ms: number
  readonly mark: string
}

export class TwilioSpeech {
  readonly #tell: (event: LineEvent) => void
  readonly #waiting: Array<Piece> = []
  #say: Say | null = null

  constructor(tell: (event: LineEvent) => void) {
    this.#tell = tell
  }

  add(piece: Piece): void {
    this.#waiting.push(piece)
  }

  /** Drops the pieces that wait. Twilio finishes the words that it has begun to say. */
  clear(): void {
    this.#waiting.length = 0
  }

  /** Takes as many waiting pieces as fit into one instruction, because there is a silence between two instructions. */
  take(): ReadonlyArray<Piece> {
    const pieces = this.#waiting.splice(0, 1)
    let length = pieces[0]?.text.length ?? 0
    for (;;) {
      const next = this.#waiting[0]
      if (next === undefined || length + next.text.length >= Twiml.longestPiece) return pieces
      this.#waiting.shift()
      pieces.push(next)
      length += next.text.length + 1
    }
  }

  begin(say: Say): void {
    this.#say = say
  }

  /** Whether `mark` reports the end of what is being said. */
  endsWith(mark: string): boolean {
    return this.#say?.mark === mark
  }

  /** The piece that is being heard. */
  playing(at: number): Position | null {
    return this.#positions(at).find(({ length_ms, played_ms }) => played_ms < length_ms) ?? null
  }

  /** Twilio has said all of the current instruction. */
  finish(at: number): void {
    const positions = this.#positions(at)
    this.#say = null
    for (const [index, { length_ms, piece, started_ms }] of positions.entries()) {
      const isLast = index === positions.length - 1
      const ended_ms = isLast ? at : Math.min(started_ms + length_ms, at)
      this.#tell({ _tag: "Played", piece, started_ms: Math.min(started_ms, at), ended_ms })
    }
  }

  /** The call has ended. Only pieces whose estimated end has passed count as heard. */
  breakOff(at: number): void {
    for (const { length_ms, piece, played_ms, started_ms } of this.#positions(at)) {
      if (played_ms < length_ms) return
      this.#tell({ _tag: "Played", piece, started_ms, ended_ms: started_ms + length_ms })
    }
  }

  #positions(at: number): ReadonlyArray<Position> {
    let started_ms = this.#say?.started_ms ?? 0
    return (this.#say?.pieces ?? []).map(({ id, text }) => {
      const length_ms = Math.round(spokenMs(text))
      const played_ms = Math.max(0, Math.min(at - started_ms, length_ms))
      const position = { piece: id, started_ms, length_ms, played_ms }
      started_ms += length_ms
      return position
    })
  }
}
