/** One side of a link between two processes (`Links.ts`), and its letters as text. Plain code, called for each letter. */
import { Cause, Data, Deferred, Effect, Queue } from "effect"
import { longestText } from "../tenancy/Notices.ts"

/** The link is over. `isLost`: the other side did not close it but has gone, or letters were lost. */
export class LinkEnded extends Data.TaggedError("LinkEnded")<{ readonly isLost: boolean }> {}

/** Parts of sound that were not sent yet: 200 ms of a talk. More is dropped. */
const mostUnsentParts = 10
/** Texts that the receiver has not taken yet. With more, the link breaks. */
const mostUntakenTexts = 100
/** Bytes of sound that fit into a letter, as base64 and with the letter's head. */
const longestPart = 5_400

type Kind = "open" | "text" | "bytes" | "live" | "close" | "lost"

/** A letter as the process that it was sent to reads it. */
export interface Received {
  readonly link: string
  /** The node that has sent it. */
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

interface Office {
  readonly post: (text: string) => void
  readonly ended: () => void
}

export class Link {
  readonly id: string
  /** How the link has ended; null while it has not. */
  end: LinkEnded | null = null
  /** Fails when the link is over. */
  readonly ended = Deferred.makeUnsafe<never, LinkEnded>()
  readonly #self: string
  readonly #office: Office
  readonly #texts = Effect.runSync(Queue.dropping<string, LinkEnded>(mostUntakenTexts))
  #takeBytes: (bytes: Uint8Array<ArrayBuffer>) => void = () => {}
  #sent = 0
  #received = 0
  #unsentParts = 0
  #heardAt: number

  constructor(id: string, self: string, now: number, office: Office) {
    this.id = id
    this.#self = self
    this.#office = office
    this.#heardAt = now
  }

  /** The next text of the other side. Fails after the last one when the link is over. */
  get next(): Effect.Effect<string, LinkEnded> {
    return Queue.take(this.#texts)
  }

  /** Passes the other side's bytes on from now on. Earlier ones are dropped. */
  hear(take: (bytes: Uint8Array<ArrayBuffer>) => void): void {
    this.#takeBytes = take
  }

  open(opening: string): void {
    this.#post("open", opening)
  }

  say(text: string): void {
    this.#post("text", text)
  }

  /** Sends sound. False: it was dropped, because the link does not keep up. */
  pass(bytes: Uint8Array): boolean {
    if (this.end !== null || this.#unsentParts >= mostUnsentParts) return false
    for (let at = 0; at < bytes.length; at += longestPart) {
      const part = bytes.subarray(at, at + longestPart)
      this.#unsentParts++
      this.#post("bytes", Buffer.from(part.buffer, part.byteOffset, part.length).toString("base64"))
    }
    return true
  }

  /** Says that this side lives, and breaks the link if nothing was heard from the other one since this moment. */
  live(since: number): void {
    if (this.#heardAt < since) return this.break()
    this.#post("live", "")
  }

  close(): void {
    this.#post("close", "")
    this.#finish(false)
  }

  /** All letters so far were sent. */
  posted(): void {
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
    this.#office.ended()
    Queue.failCauseUnsafe(this.#texts, Cause.fail(this.end))
    Deferred.doneUnsafe(this.ended, Effect.fail(this.end))
  }

  #post(kind: Kind, body: string): void {
    if (this.end !== null) return
    const text = `${this.id}/${this.#self}/${this.#sent++}/${kind}/${body}`
    if (Buffer.byteLength(text) > longestText) this.break()
    else this.#office.post(text)
  }
}
