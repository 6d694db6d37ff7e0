/**
 * One conversation with a page: the messages or utterances of both sides, in order, and the one page that shows them.
 * The line writes and reads words here; sockets come and go. Plain code.
 */
import type { ChatEnd, ChatLine, FromServer, SoundOrder } from "../../domain/WidgetMessage.ts"
import type { Gone } from "../Telephony.ts"

/** Sends a message to the page, or drops it if the page can take no more. */
export type Page = (message: FromServer) => void

/** The visitor's acts, as the line hears them. */
export interface Ear {
  readonly wrote: (text: string) => void
  readonly left: (how: Gone) => void
}

/** A conversation with more messages ends: no person writes so many. */
export const mostLines = 2_000

export class Chat {
  /** A page that knows this secret may resume the conversation over another socket. */
  readonly resume: string
  readonly #lines: Array<ChatLine> = []
  readonly #known = new Set<string>()
  #page: Page | undefined
  #ear: Ear | undefined
  /** Messages written before the greeting. They follow it in the transcript, and the agent answers them after it. */
  #waiting: Array<{ readonly id: string; readonly text: string }> = []
  #isOpen = false
  #piece = ""
  #thinking = false
  #left: Gone | undefined
  #end: ChatEnd | undefined
  #away: () => void

  /** `away` runs when the page's socket closes and the conversation has no page. */
  constructor(resume: string, away: () => void) {
    this.resume = resume
    this.#away = away
  }

  get lines(): ReadonlyArray<ChatLine> {
    return this.#lines
  }

  get isWatched(): boolean {
    return this.#page !== undefined
  }

  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** Attaches a page, sends it every line after the last one that it has seen, and detaches the previous page. */
  join(page: Page, after: number): void {
    const before = this.#page
    this.#page = page
    before?.({ type: "refused", code: "replaced", detail: "The conversation goes on in another place." })
    for (const line of this.#lines.slice(after)) page(line)
    if (this.#end !== undefined) return page({ type: "ended", reason: this.#end })
    if (this.#piece !== "") page({ type: "piece", text: this.#piece })
    else if (this.#thinking) page({ type: "thinking", on: true })
  }

  /** Detaches a page whose socket has closed. The conversation waits a while for another. */
  part(page: Page): void {
    if (this.#page !== page) return
    this.#page = undefined
    if (this.#end === undefined) this.#away()
  }

  /**
   * Takes a visitor's message. A message with a known id is a repetition and is ignored. A message counts as said once
   * it is in the conversation.
   */
  write(id: string, text: string): void {
    if (this.#known.has(id) || this.#end !== undefined || this.#left !== undefined) return
    this.#known.add(id)
    if (this.#known.size > mostLines) return this.leave("hung_up")
    if (this.#isOpen) this.#told({ id, text })
    else this.#waiting.push({ id, text })
  }

  #told({ id, text }: { readonly id: string; readonly text: string }): void {
    this.#add({ type: "line", line: this.#lines.length + 1, by: "visitor", text, id })
    this.#ear?.wrote(text)
  }

  /** The visitor's recognised words. */
  utter(text: string): void {
    if (this.#end !== undefined) return
    this.#add({ type: "line", line: this.#lines.length + 1, by: "visitor", text })
    this.think()
  }

  leave(how: Gone): void {
    if (this.#left !== undefined) return
    this.#left = how
    this.#ear?.left(how)
  }

  /** From now on the line is told when the visitor leaves. */
  listen(ear: Ear): void {
    this.#ear = ear
    if (this.#left !== undefined) ear.left(this.#left)
  }

  /**
   * Call this when the agent has greeted, or waits for the visitor. From now on the line gets all messages, including
   * the earlier ones.
   */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    for (const message of this.#waiting.splice(0)) this.#told(message)
  }

  /** The agent is thinking. */
  think(): void {
    if (this.#thinking || this.#end !== undefined) return
    this.#thinking = true
    this.#page?.({ type: "thinking", on: true })
  }

  /** Adds words to the agent's current line. */
  say(text: string): void {
    this.#thinking = false
    this.#piece = this.#piece === "" ? text : `${this.#piece} ${text}`
    this.#page?.({ type: "piece", text: this.#piece })
  }

  /** The agent has finished its utterance. */
  finish(): void {
    if (this.#thinking) {
      this.#thinking = false
      this.#page?.({ type: "thinking", on: false })
    }
    if (this.#piece === "") return
    const text = this.#piece
    this.#piece = ""
    this.#add({ type: "line", line: this.#lines.length + 1, by: "agent", text })
  }

  /** The agent was interrupted: `heard` is what the visitor heard of its utterance. */
  interrupt(heard: string): void {
    const isCut = this.#piece !== heard
    if (this.#piece === "") return this.finish()
    this.#piece = ""
    if (heard === "") return this.#page?.({ type: "piece", text: "" })
    const line = { type: "line", line: this.#lines.length + 1, by: "agent", text: heard } as const
    this.#add(isCut ? { ...line, interrupted: true } : line)
  }

  /** Tells the page what to do with its buffered sound; frames below this number are void. */
  sound(order: SoundOrder, frame: number): void {
    this.#page?.({ type: "sound", do: order, frame })
  }

  end(reason: ChatEnd): void {
    if (this.#end !== undefined) return
    this.finish()
    this.#end = reason
    this.#page?.({ type: "ended", reason })
  }

  #add(line: ChatLine): void {
    this.#lines.push(line)
    this.#page?.(line)
  }
}
