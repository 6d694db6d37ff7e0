/**
 * Lines for COPY in its text format, written as bytes into a few buffers that are used again and again. JSON in it is
 * escaped twice: once as JSON, and each backslash of that once more, since COPY reads one as its own.
 */

const size = 65_536
/**
 * A buffer is written anew after the ones after it were handed on. The connection holds on to less than one of them (its
 * high water mark) before it makes its writer wait, so that is seven times what is needed.
 */
const buffers = 8

const quote = 0x22
const backslash = 0x5c

/** How JSON names the control characters that have a short name, by their code. */
const short: ReadonlyMap<number, number> = new Map(
  Object.entries({ 8: "b", 9: "t", 10: "n", 12: "f", 13: "r" }).map(([code, name]) => [
    Number(code),
    name.charCodeAt(0),
  ]),
)
const hexDigits = Buffer.from("0123456789abcdef")

/** The most that a byte of a cell becomes: `\\u001f`. */
const widest = 7

export class CopyText {
  /** Where the next byte goes; whoever writes has made `room` for it. */
  at = 0
  bytes: Buffer
  private readonly ring = Array.from({ length: buffers }, () => Buffer.allocUnsafeSlow(size))
  private turn = 0

  constructor() {
    this.bytes = this.next()
  }

  /** Makes room for so many bytes: gives what was written so far, to be handed on, when they do not fit beside it. */
  makeRoom(bytes: number): Buffer | undefined {
    return this.at + bytes <= this.bytes.length ? undefined : this.take(bytes)
  }

  /** What was written since the last time; then there is room for so many bytes. */
  take(bytes = 0): Buffer {
    const written = this.bytes.subarray(0, this.at)
    this.at = 0
    this.bytes = bytes > size ? Buffer.allocUnsafeSlow(bytes) : this.next()
    return written
  }

  byte(code: number): void {
    this.bytes[this.at++] = code
  }

  ascii(text: string): void {
    this.at += this.bytes.write(text, this.at, "latin1")
  }

  copy(source: Buffer): void {
    this.at += source.copy(this.bytes, this.at)
  }

  /** A natural number, without a text of its own. */
  natural(value: number): void {
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
    for (let place = this.at + digits - 1, rest = value; place >= this.at; place--) {
      this.bytes[place] = 0x30 + (rest % 10)
      rest = Math.floor(rest / 10)
    }
    this.at += digits
  }

  /** Bytes of UTF-8 as a JSON string; in a cell with doubled quotes each pair is one. */
  json(source: Buffer, from: number, to: number, isDoubled: boolean): void {
    const { bytes } = this
    let { at } = this
    bytes[at++] = quote
    for (let read = from; read < to; read++) {
      const code = source[read] ?? 0
      if (code >= 0x20 && code !== quote && code !== backslash) {
        bytes[at++] = code
        continue
      }
      bytes[at++] = backslash
      bytes[at++] = backslash
      if (code === quote) {
        bytes[at++] = quote
        if (isDoubled) read++
      } else if (code === backslash) {
        bytes[at++] = backslash
        bytes[at++] = backslash
      } else {
        const name = short.get(code)
        bytes[at++] = name ?? 0x75
        if (name !== undefined) continue
        bytes[at++] = 0x30
        bytes[at++] = 0x30
        bytes[at++] = hexDigits[code >> 4] ?? 0
        bytes[at++] = hexDigits[code & 15] ?? 0
      }
    }
    bytes[at++] = quote
    this.at = at
  }

  private next(): Buffer {
    const buffer = this.ring[this.turn] ?? Buffer.allocUnsafeSlow(size)
    this.turn = (this.turn + 1) % buffers
    return buffer
  }
}

/** The room that so many bytes of cells need at most, quotes apart. */
export const widestOf = (bytes: number): number => bytes * widest
