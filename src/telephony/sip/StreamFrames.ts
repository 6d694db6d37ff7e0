/** Cuts a stream of bytes into SIP messages (RFC 3261 §18.3): only Content-Length says where one ends. */
import { parseNumber } from "./Fields.ts"
import { headEnd, mostBytes, mostHeadBytes } from "./MessageParser.ts"

const lengthField = /^(?:content-length|l)[ \t]*:[ \t]*(\d+)[ \t]*$/im
const carriageReturn = 13
const lineFeed = 10

export class StreamFrames {
  private pending: Buffer = Buffer.alloc(0)
  /** The length of the pending message; null until its head is complete. */
  private end: number | null = null

  /** Whether a part of a message is pending. */
  get isPartial(): boolean {
    return this.pending.length > 0
  }

  /**
   * Returns the messages that are now complete, and the number of empty lines between them, which are keep-alives.
   * "broken": the beginning of the next message can no longer be found.
   */
  take(chunk: Buffer): { readonly messages: ReadonlyArray<Buffer>; readonly emptyLines: number } | "broken" {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk])
    const messages: Array<Buffer> = []
    let emptyLines = 0
    while (true) {
      if (this.end === null) emptyLines += this.skipEmptyLines()
      const end = this.end ?? this.findEnd()
      if (end === "broken") return end
      this.end = end
      if (end === null || end > this.pending.length) return { messages, emptyLines }
      messages.push(Buffer.from(this.pending.subarray(0, end)))
      this.pending = this.pending.subarray(end)
      this.end = null
    }
  }

  private findEnd(): number | null | "broken" {
    const head = this.pending.subarray(0, mostHeadBytes + headEnd.length).indexOf(headEnd)
    if (head < 0) return this.pending.length > mostHeadBytes + headEnd.length ? "broken" : null
    const stated = lengthField.exec(this.pending.toString("latin1", 0, head))
    const length = parseNumber(stated?.[1], mostBytes)
    const end = head + headEnd.length + (length ?? 0)
    return length === null || end > mostBytes ? "broken" : end
  }

  private skipEmptyLines(): number {
    let at = 0
    while (this.pending[at] === carriageReturn && this.pending[at + 1] === lineFeed) at += 2
    this.pending = this.pending.subarray(at)
    return at / 2
  }
}
