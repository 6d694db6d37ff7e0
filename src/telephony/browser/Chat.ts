/**
 * One conversation with a page: the messages or utterances of both sides, in order, and the one page that shows them.
 * The line writes and reads words here; sockets come and go. Plain code.
 *
 * The lines of a conversation in writing are the entries of its transcript (`read`), and the page gets a line only when
 * the database has it (`stored`). So a process that goes on with the conversation has every line that the page has seen,
 * with the same number, even if the process before it was killed.
 */
import type { TranscriptEntry } from "../../domain/Call.ts"
import type { ChatEnd, ChatLine, FromServer, SoundOrder } from "../../domain/WidgetMessage.ts"
import { storableText } from "../../domain/JsonValue.ts"
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

const replaced: FromServer = {
  type: "refused",
  code: "replaced",
  detail: "The conversation goes on in another place.",
}

export class Chat {
  /** A page that knows this secret may resume the conversation over another socket. */
  readonly resume: string
  readonly #lines: Array<ChatLine> = []
  /** How many of the lines the page may see. Lines by voice are shown at once. */
  #shown = 0
  readonly #known = new Set<string>()
  /** Messages that the line got and the transcript does not have yet. */
  readonly #told: Array<{ readonly id: string; readonly text: string }> = []
  /** The ids of the visitor's lines, in their order. */
  readonly #ids: Array<string> = []
  /** The agent's reply was cut: what is left of its words after the next line was not said. */
  #isCut = false
  /** How many entries of the transcript were examined: each is a line now, or does not become one. */
  #read = 0
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
  readonly #isInWriting: boolean

  /** `away` runs when the page's socket closes and the conversation has no page. */
  constructor(resume: string, away: () => void, isInWriting: boolean) {
    this.resume = resume
    this.#away = away
    this.#isInWriting = isInWriting
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
    before?.(replaced)
    for (const line of this.#lines.slice(after, this.#shown)) page(line)
    if (this.#end !== undefined) return page({ type: "ended", reason: this.#end })
    this.#showProgress()
  }

  /** Detaches a page whose socket has closed. The conversation waits a while for another. */
  part(page: Page): void {
    if (this.#page !== page) return
    this.#page = undefined
    if (this.#end === undefined) this.#away()
  }

  /**
   * Takes a visitor's message. A message with a known id is a repetition and is ignored. A message counts as said once it
   * is in the conversation.
   */
  write(id: string, text: string): void {
    if (this.#known.has(id) || this.#end !== undefined || this.#left !== undefined) return
    this.#known.add(id)
    if (this.#known.size > mostLines) return this.leave("hung_up")
    if (this.#isOpen) this.#tell({ id, text })
    else this.#waiting.push({ id, text })
  }

  #tell({ id, text }: { readonly id: string; readonly text: string }): void {
    if (this.#isInWriting) this.#told.push({ id, text })
    else this.#add({ type: "line", line: this.#lines.length + 1, by: "visitor", text, id })
    this.#ear?.wrote(text)
  }

  /** The ids of the visitor's messages among the lines, in their order. */
  get ids(): ReadonlyArray<string> {
    return this.#ids
  }

  /** Takes what another process has shown: its transcript, and the ids of the visitor's messages in it. */
  continueFrom(transcript: ReadonlyArray<TranscriptEntry>, ids: ReadonlyArray<string>): void {
    for (const id of ids) this.#known.add(id)
    const left = [...ids]
    for (const entry of transcript) this.#take(entry, (entry.role === "caller" ? left.shift() : undefined) || undefined)
    this.#read = transcript.length
    this.#shown = this.#lines.length
  }

  /** Makes lines of the entries that have joined the transcript. The page sees them when they are stored. */
  read(transcript: ReadonlyArray<TranscriptEntry>): void {
    for (const entry of transcript.slice(this.#read)) {
      const at = entry.role === "caller" ? this.#told.findIndex(({ text }) => storableText(text) === entry.text) : -1
      this.#take(entry, at < 0 ? undefined : this.#told.splice(at, 1)[0]?.id)
    }
    this.#read = transcript.length
  }

  #take({ role, text }: TranscriptEntry, id: string | undefined): void {
    if (role === "tool" || role === "whisper") return
    const by = role === "caller" ? "visitor" : "agent"
    const line = { type: "line", line: this.#lines.length + 1, by, text } as const
    this.#lines.push(id === undefined ? line : { ...line, id })
    if (by === "visitor") this.#ids.push(id ?? "")
    // Words that follow the utterance within the same reply stay the beginning of the next line.
    else this.#piece = !this.#isCut && this.#piece.startsWith(text) ? this.#piece.slice(text.length).trimStart() : ""
  }

  /** The database has the first `count` lines, so the page may see them. */
  stored(count: number): void {
    if (count <= this.#shown) return
    const lines = this.#lines.slice(this.#shown, count)
    this.#shown = count
    if (this.#page === undefined) return
    for (const line of lines) this.#page(line)
    // A line of the agent replaces the beginning of it that the page shows, and the beginning of the words that follow.
    if (lines.some(({ by }) => by === "agent")) this.#showProgress()
  }

  #showProgress(): void {
    if (this.#piece !== "") this.#page?.({ type: "piece", text: this.#piece })
    else if (this.#thinking) this.#page?.({ type: "thinking", on: true })
  }

  /** Another process goes on with the conversation, for a page that is connected there. */
  replace(): void {
    const page = this.#page
    this.#page = undefined
    page?.(replaced)
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
    for (const message of this.#waiting.splice(0)) this.#tell(message)
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
    if (this.#isCut) this.#piece = ""
    this.#isCut = false
    this.#piece = this.#piece === "" ? text : `${this.#piece} ${text}`
    this.#page?.({ type: "piece", text: this.#piece })
  }

  /** The agent thinks no more. */
  rest(): void {
    if (!this.#thinking) return
    this.#thinking = false
    this.#page?.({ type: "thinking", on: false })
  }

  /** The agent's reply is cut: what was not said yet is dropped. */
  cut(): void {
    this.rest()
    this.#isCut = true
  }

  /** The agent has finished its utterance. */
  finish(): void {
    this.rest()
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
    // The last words need not wait for the database: no process goes on with a conversation that has ended.
    this.stored(this.#lines.length)
    this.finish()
    this.#end = reason
    this.#page?.({ type: "ended", reason })
  }

  #add(line: ChatLine): void {
    this.#lines.push(line)
    this.#shown = this.#lines.length
    this.#page?.(line)
  }
}
