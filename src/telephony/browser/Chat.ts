/**
 * One conversation in writing: what both sides wrote, or said, in order, and the one page that looks on. Plain code
 * between two worlds: the line gives and takes words on one side, sockets come and go on the other.
 */
import type { ChatEnd, ChatLine, FromServer, SoundOrder } from "../../domain/WidgetMessage.ts"
import type { Gone } from "../Telephony.ts"

/** Takes what the page is told; what it cannot take any more it drops. */
export type Page = (message: FromServer) => void

/** What the line hears of the visitor. */
export interface Ear {
  readonly wrote: (text: string) => void
  readonly left: (how: Gone) => void
}

/** A conversation longer than this ends: nobody writes so much by hand. */
export const mostLines = 2_000

export class Chat {
  /** Who knows it may go on with the conversation over another socket. */
  readonly resume: string
  readonly #lines: Array<ChatLine> = []
  readonly #known = new Set<string>()
  #page: Page | undefined
  #ear: Ear | undefined
  /** Written before the agent has greeted: it stands below the greeting, which it is answered after. */
  #waiting: Array<{ readonly id: string; readonly text: string }> = []
  #isOpen = false
  #piece = ""
  #thinking = false
  #left: Gone | undefined
  #end: ChatEnd | undefined
  #away: () => void

  /** `away` is told when the page is gone and no other has come. */
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

  /** The page gets every line after the one that it has seen, and what goes on now. The page before it is done. */
  join(page: Page, after: number): void {
    const before = this.#page
    this.#page = page
    before?.({ type: "refused", code: "replaced", detail: "The conversation goes on in another place." })
    for (const line of this.#lines.slice(after)) page(line)
    if (this.#end !== undefined) return page({ type: "ended", reason: this.#end })
    if (this.#piece !== "") page({ type: "piece", text: this.#piece })
    else if (this.#thinking) page({ type: "thinking", on: true })
  }

  /** Its socket is gone; the conversation waits a while for another. */
  part(page: Page): void {
    if (this.#page !== page) return
    this.#page = undefined
    if (this.#end === undefined) this.#away()
  }

  /** What the visitor wrote; the same id is the same message. Once it stands here, it is said. */
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

  /** What the visitor was heard to say. */
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

  /** From now on the line hears that somebody leaves. */
  listen(ear: Ear): void {
    this.#ear = ear
    if (this.#left !== undefined) ear.left(this.#left)
  }

  /** The agent has greeted, or waits for the visitor: from now on the line hears what is written, and was until now. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    for (const message of this.#waiting.splice(0)) this.#told(message)
  }

  /** The agent thinks about what it heard. */
  think(): void {
    if (this.#thinking || this.#end !== undefined) return
    this.#thinking = true
    this.#page?.({ type: "thinking", on: true })
  }

  /** Some more words of the line that the agent is at. */
  say(text: string): void {
    this.#thinking = false
    this.#piece = this.#piece === "" ? text : `${this.#piece} ${text}`
    this.#page?.({ type: "piece", text: this.#piece })
  }

  /** The agent has said what it had to say. */
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

  /** The agent was cut short: this is what was heard of its line. */
  interrupt(heard: string): void {
    const isCut = this.#piece !== heard
    if (this.#piece === "") return this.finish()
    this.#piece = ""
    if (heard === "") return this.#page?.({ type: "piece", text: "" })
    const line = { type: "line", line: this.#lines.length + 1, by: "agent", text: heard } as const
    this.#add(isCut ? { ...line, interrupted: true } : line)
  }

  /** What the page does with the sound that it has; frames below this number are no more. */
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
