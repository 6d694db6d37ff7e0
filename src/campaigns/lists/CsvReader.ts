/**
 * Splits the text of a contact list into records (RFC 4180; decisions §2, CSV), a block at a time. A fault in the
 * quotes of one row makes that row invalid and leaves the others as they are.
 */
import { ListRefused } from "./ListRefused.ts"

export type Delimiter = "," | ";" | "\t"

/** A record of the file and the physical line on which it begins, from 1. */
export interface CsvRecord {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /** The fault in its quotes; null if there is none. */
  readonly fault: string | null
}

/**
 * The most cells of a row, and the most characters of a cell. One more is kept to show that there are too many. All
 * others are dropped, because the row is invalid anyway.
 */
export interface CsvLimits {
  readonly cells: number
  readonly cell: number
}

/** Steps between two points at which the caller may yield; each takes some hundred nanoseconds. */
const stepsAtATime = 1_024

const quote = '"'
const newline = "\n"
const strayQuote = 'has a " inside a cell that does not begin with one. Put the cell in quotes, and double the " in it'
const textBehindQuote = 'has text behind the closing " of a cell. Double a " that belongs to the cell'

export class CsvReader {
  private readonly delimiter: Delimiter
  private readonly limits: CsvLimits
  /** The physical line at which the next record, or the next piece of the open one, begins. */
  private line: number
  private open: OpenRecord | null = null
  private steps = 0
  /** The next line feed, cached: looking for it from every cell would take quadratic time. */
  private nextNewline = 0

  constructor(delimiter: Delimiter, limits: CsvLimits, firstLine = 1) {
    this.delimiter = delimiter
    this.limits = limits
    this.line = firstLine
  }

  /**
   * Yields the records that end in this block. Every block except the last ends with a line feed. A null item is not a
   * record: it lets the caller check its time budget after a fixed number of steps.
   */
  *read(block: string): Generator<CsvRecord | null> {
    let nextQuote = indexFrom(block, quote, 0)
    this.nextNewline = indexFrom(block, newline, 0)
    for (let at = 0; at < block.length;) {
      if (++this.steps % stepsAtATime === 0) yield null
      const end = this.newlineFrom(block, at)
      if (nextQuote < at) nextQuote = indexFrom(block, quote, at)
      if (this.open === null && nextQuote >= end) {
        const line = this.line++
        const text = withoutCarriageReturn(block.slice(at, end))
        at = end + 1
        // Blank lines are ignored.
        if (text !== "") yield { line, cells: text.split(this.delimiter, this.limits.cells + 1), fault: null }
      } else {
        this.open ??= new OpenRecord(this.line, this.limits)
        at = yield* this.readQuoted(this.open, block, at)
      }
    }
  }

  /**
   * Yields the last record if it has quotes and the file ends without a line feed after it. Throws `ListRefused` if a
   * quoted cell is not closed.
   */
  *end(): Generator<CsvRecord> {
    const { open } = this
    if (open === null) return
    if (open.state === "quoted") {
      const detail = `line ${open.quotedSince}: a cell begins with " and its closing " is missing`
      throw new ListRefused({ detail })
    }
    open.endCell()
    yield open.record()
  }

  private newlineFrom(block: string, at: number): number {
    if (this.nextNewline < at) this.nextNewline = indexFrom(block, newline, at)
    return this.nextNewline
  }

  /** Continues a record that has quotes; returns the position after it, or the end of the block. */
  private *readQuoted(open: OpenRecord, block: string, from: number): Generator<CsvRecord | null, number> {
    let at = from
    while (at < block.length) {
      if (++this.steps % stepsAtATime === 0) yield null
      if (open.state === "begin") {
        open.state = block[at] === quote ? "quoted" : "plain"
        open.quotedSince = this.line
        if (open.state === "quoted") at++
      } else if (open.state === "quoted") {
        const end = indexFrom(block, quote, at)
        for (let found = this.newlineFrom(block, at); found < end; found = this.newlineFrom(block, found + 1))
          this.line++
        open.append(block, at, end)
        if (end === block.length) return end
        const isEscaped = block[end + 1] === quote
        if (isEscaped) open.append(block, end, end + 1)
        else open.state = "closed"
        at = end + (isEscaped ? 2 : 1)
      } else {
        const lineEnd = this.newlineFrom(block, at)
        const end = Math.min(lineEnd, indexFrom(block, this.delimiter, at))
        const isLast = end === lineEnd
        const text = isLast ? withoutCarriageReturn(block.slice(at, end)) : block.slice(at, end)
        if (open.state === "closed" && text !== "") open.fault ??= textBehindQuote
        if (open.state === "plain" && text.includes(quote)) open.fault ??= strayQuote
        open.append(text, 0, text.length)
        open.endCell()
        at = end + 1
        if (isLast) {
          this.line++
          this.open = null
          yield open.record()
          return at
        }
      }
    }
    return at
  }
}

/** A record with quotes, as far as it was read. */
class OpenRecord {
  /** `begin`: before the first character of a cell. `closed`: behind its closing quote. */
  state: "begin" | "plain" | "quoted" | "closed" = "begin"
  fault: string | null = null
  /** The line of the quote that opened the present cell. */
  quotedSince: number
  private readonly line: number
  private readonly limits: CsvLimits
  private readonly cells: Array<string> = []
  private cell = ""

  constructor(line: number, limits: CsvLimits) {
    this.line = line
    this.limits = limits
    this.quotedSince = line
  }

  append(text: string, from: number, to: number): void {
    const room = this.limits.cell + 1 - this.cell.length
    if (room > 0) this.cell += text.slice(from, Math.min(to, from + room))
  }

  endCell(): void {
    if (this.cells.length <= this.limits.cells) this.cells.push(this.cell)
    this.cell = ""
    this.state = "begin"
  }

  record(): CsvRecord {
    return { line: this.line, cells: this.cells, fault: this.fault }
  }
}

/** The first position of `wanted` at or after `from`; the length of the text if there is none. */
const indexFrom = (text: string, wanted: string, from: number): number => {
  const found = text.indexOf(wanted, from)
  return found === -1 ? text.length : found
}

const withoutCarriageReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)
