/** One side of a link between two processes (`Links.ts`), and its letters as text. Plain code, called for each letter. */
import { Cause, Data, Deferred, Effect, Queue } from "effect"
import { longestText } from "../tenancy/Notices.ts"

/** The link is over. `isLost`: the other side did not close it but has gone, or letters were lost. */
export class LinkEnded extends Data.TaggedError("LinkEnded")<{ readonly isLost: boolean }> {}

/**
 * The most parts of sound that wait to be sent: 200 ms of a supervisor's talk in frames of 20 ms, and 400 ms for a listener,
 * whose parts have two frames. Further parts are dropped.
 */
const mostUnsentParts = 10
/** The most texts that the receiver has not taken yet. One more breaks the link. */
const mostUntakenTexts = 100
/** The most bytes of sound in one letter, so that they fit as base64 with the letter's head. */
const longestPart = 5_400

type Kind = "open" | "text" | "bytes" | "live" | "close" | "lost"

/** A letter as the receiving process reads it. */
export interface Received {
  readonly link: string
  /** The id of the node that sent it. */
  readonly from: string
  /** Letters of one side are numbered, from zero. */
  readonly number: number
  readonly kind: string
  readonly body: string
}

export const letterFrom = (text: string): Received | undefined => {
  const [link = "", from = "", number = "", kind, ...body] = text.split("/")
  return kind === undefined ? undefined : { link, from, number: Number(number), kind, body: body.join("/") }
}

/** What a link needs of the links' owner. */
interface Sender {
  readonly post: (text: string) => void
  readonly onEnded: () => void
}

export class Link {
  readonly id: string
  /** How the link has ended; null while it has not. */
  end: LinkEnded | null = null
  /** Fails when the link is over. */
  readonly ended = Deferred.makeUnsafe<never, LinkEnded>()
  readonly #self: string
  readonly #sender: Sender
  readonly #texts = Effect.runSync(Queue.dropping<string, LinkEnded>(mostUntakenTexts))
  #takeBytes: (bytes: Uint8Array<ArrayBuffer>) => void = () => {}
  #sent = 0
  #received = 0
  #unsentParts = 0
  #heardAt: number

  constructor(id: string, self: string, now: number, sender: Sender) {
    this.id = id
    this.#self = self
    this.#sender = sender
    this.#heardAt = now
  }

  /** The next text of the other side. Fails after the last one when the link is over. */
  get next(): Effect.Effect<string, LinkEnded> {
    return Queue.take(this.#texts)
  }

  /** Passes the bytes of the other side to `take` from now on. Bytes that came earlier were dropped. */
  hear(take: (bytes: Uint8Array<ArrayBuffer>) => void): void {
    this.#takeBytes = take
  }

  open(opening: string): void {
    this.#post("open", opening)
  }

  say(text: string): void {
    this.#post("text", text)
  }

  /** Sends sound. Returns false if it was dropped, because earlier parts wait or the link has ended. */
  pass(bytes: Uint8Array): boolean {
    if (this.end !== null || this.#unsentParts >= mostUnsentParts) return false
    for (let at = 0; at < bytes.length; at += longestPart) {
      const part = bytes.subarray(at, at + longestPart)
      this.#unsentParts++
      this.#post("bytes", Buffer.from(part.buffer, part.byteOffset, part.length).toString("base64"))
    }
    return true
  }

  /** Sends a keep-alive. Breaks the link instead if nothing came from the other side since `since` (milliseconds). */
  keepAlive(since: number): void {
    if (this.#heardAt < since) return this.break()
    this.#post("live", "")
  }

  close(): void {
    this.#post("close", "")
    this.#finish(false)
  }

  /** Notes that all letters so far were handed over for sending. */
  noteSent(): void {
    this.#unsentParts = 0
  }

  receive({ body, kind, number }: Received, now: number): void {
    this.#heardAt = now
    if (number !== this.#received++) this.break()
    else if (kind === "text" && !Queue.offerUnsafe(this.#texts, body)) this.break()
    else if (kind === "bytes") this.#takeBytes(Uint8Array.from(Buffer.from(body, "base64")))
    else if (kind === "close" || kind === "lost") this.#finish(kind === "lost")
  }

  /** Ends the link as lost. The other side learns of it, if it can be reached. */
  break(): void {
    this.#post("lost", "")
    this.#finish(true)
  }

  #finish(isLost: boolean): void {
    if (this.end !== null) return
    this.end = new LinkEnded({ isLost })
    this.#sender.onEnded()
    Queue.failCauseUnsafe(this.#texts, Cause.fail(this.end))
    Deferred.doneUnsafe(this.ended, Effect.fail(this.end))
  }

  #post(kind: Kind, body: string): void {
    if (this.end !== null) return
    const text = `${this.id}/${this.#self}/${this.#sent++}/${kind}/${body}`
    if (Buffer.byteLength(text) > longestText) this.break()
    else this.#sender.post(text)
  }
}
