/**
 * Watches whether a conversation with a visitor still has its page and still gets words, and ends it when either is
 * missing for too long. Plain code; times are in milliseconds.
 */
import { awaySeconds } from "../ledger/ChatRows.ts"
import type { Chat } from "../../telephony/browser/Chat.ts"

const awayMs = awaySeconds * 1_000
/** How long a voice conversation waits for its page. The visitor hears only silence meanwhile, and gives up sooner. */
const awayByVoiceMs = 20_000
/** A conversation without a message for this long ends. */
const idleMs = 15 * 60_000

export class Presence {
  readonly #awayLimitMs: number
  /** When the last page went away; null while one follows the conversation. */
  #awaySince: number | null = null
  #endedAt: number | null = null
  #wroteAt: number
  #lines = 0
  #isIdle = false

  constructor(byVoice: boolean, now: number) {
    this.#awayLimitMs = byVoice ? awayByVoiceMs : awayMs
    this.#wroteAt = now
  }

  /** Whether the conversation ended because no messages came. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Another process had the conversation before: it had so many lines, and the last was said at this time. */
  continueFrom(lines: number, saidAt: number): void {
    this.#lines = lines
    this.#wroteAt = saidAt
  }

  pageLeft(now: number): void {
    this.#awaySince = now
  }

  ended(now: number): void {
    this.#endedAt = now
  }

  /** Whether the end is so long ago that a page that was away can no longer connect and learn of it. */
  isForgotten(now: number): boolean {
    return this.#endedAt !== null && now - this.#endedAt > awayMs
  }

  /** Ends the conversation if its page or its words have been missing for too long. */
  check(chat: Chat, now: number): void {
    if (this.#endedAt !== null) return
    if (chat.lines.length > this.#lines) {
      this.#lines = chat.lines.length
      this.#wroteAt = now
    }
    if (chat.isWatched) this.#awaySince = null
    if (this.#awaySince !== null && now - this.#awaySince > this.#awayLimitMs) chat.leave("lost")
    if (now - this.#wroteAt > idleMs) {
      this.#isIdle = true
      chat.leave("hung_up")
    }
  }
}
