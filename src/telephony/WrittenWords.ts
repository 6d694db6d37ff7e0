/**
 * Shows the agent's utterance in writing, for an onlooker of a line with sound: its words appear as the other side
 * hears them. Plain code.
 */
import { heardText } from "../speech/HeardText.ts"
import type { Position } from "../speech/Playout.ts"

/** Follows the words of both sides. */
export interface Onlooker {
  /** The agent begins to say these words. */
  readonly says: (text: string) => void
  /** The agent's utterance was heard to its end. */
  readonly finished: () => void
  /** The agent was interrupted. The other side heard these words of its utterance. */
  readonly interrupted: (heard: string) => void
  /** The other side has said this. */
  readonly understood: (text: string) => void
}

export class WrittenWords {
  readonly #onlooker: Onlooker
  readonly #language: string
  readonly #texts = new Map<number, string>()
  /** Pieces of the utterance that were heard to their end. */
  #heard: Array<string> = []
  /** The piece that is being heard, and how much of its text was shown. */
  #begun: { readonly piece: number; shown: number } | null = null
  /** Whether all pieces of this utterance were added. */
  #isAll = false

  constructor(onlooker: Onlooker, language: string) {
    this.#onlooker = onlooker
    this.#language = language
  }

  add(piece: number, text: string): void {
    this.#isAll = false
    this.#texts.set(piece, text)
  }

  begin(piece: number): void {
    this.#begun = { piece, shown: 0 }
    this.#show(piece, this.#texts.get(piece)?.length ?? 0)
  }

  /** Replaces a piece's text: a voice model's words become known only while they are spoken. Shows whole words only. */
  reword(piece: number, text: string): void {
    const before = this.#texts.get(piece)
    if (before === undefined) return
    this.#texts.set(piece, text)
    if (text.startsWith(before)) this.#show(piece, text.lastIndexOf(" "))
  }

  #show(piece: number, to: number): void {
    if (this.#begun?.piece !== piece) return
    const words = (this.#texts.get(piece) ?? "").slice(this.#begun.shown, to).trim()
    if (words === "") return
    this.#begun.shown = to
    this.#onlooker.says(words)
  }

  /** `isLast`: no other piece waits. */
  end(piece: number, isLast: boolean): void {
    this.#show(piece, this.#texts.get(piece)?.length ?? 0)
    this.#heard.push(this.#texts.get(piece) ?? "")
    this.#texts.delete(piece)
    if (this.#isAll && isLast) this.#finish()
  }

  /** Ends the utterance: no more pieces follow. `isSilent`: no piece waits to be heard. */
  complete(isSilent: boolean): void {
    this.#isAll = true
    if (isSilent) this.#finish()
  }

  #finish(): void {
    this.#heard = []
    this.#onlooker.finished()
  }

  /** Drops the rest of the utterance. `position` says how far the current piece was heard. */
  cut(position: Position | null): void {
    const current = position === null ? "" : (this.#texts.get(position.piece) ?? "")
    const heard = position === null ? "" : heardText(current, position.played_ms, position.length_ms, this.#language)
    this.#texts.clear()
    this.#onlooker.interrupted([...this.#heard, heard].filter((text) => text !== "").join(" "))
    this.#heard = []
  }
}
