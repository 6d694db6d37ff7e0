/**
 * The records of a CSV as places in its bytes (RFC 4180): nothing is made of a cell until somebody asks for its text. A
 * list of 100,000 rows is half a million cells, and whatever is made for each of them is memory of the whole process.
 */

/** One record: where its cells are. A cell in quotes may have doubled ones inside. */
export interface CsvRecord {
  /** The physical line on which it begins, from 1. */
  readonly line: number
  readonly bytes: Buffer
  /** How many cells it has; the places of those beyond `placesKept` are not known. */
  readonly count: number
  /** Three numbers a cell: where it begins, where it ends, and 1 if it has doubled quotes. */
  readonly places: Int32Array
}

/** Quotes are where the format has none. */
export class CsvFault extends Error {
  readonly line: number
  constructor(line: number, detail: string) {
    super(`line ${line} is no CSV: ${detail}`)
    this.line = line
  }
}

/** More cells than a list may have columns are counted only. */
const placesKept = 256

const quote = 0x22
const newline = 0x0a
const carriageReturn = 0x0d

export class CsvRecords implements CsvRecord {
  bytes: Buffer = Buffer.alloc(0)
  line = 1
  count = 0
  readonly places = new Int32Array(3 * placesKept)
  private readonly delimiter: number
  /** Where the present record begins, how far it was read, where its present cell begins. */
  private from = 0
  private at = 0
  private cell = 0
  /** The bytes end here; those of the file, when `isLast`. */
  private limit = 0
  private isLast = false
  private isQuoted = false
  private isDoubled = false
  private quotedSince = 0
  /** The line that is being read. */
  private present = 1
  private isAtStart = true
  /** Room for a record that came in several blocks. */
  private own: Buffer = this.bytes

  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0)
  }

  /** Further bytes. All but the last end where a line ends. */
  feed(block: Buffer): void {
    const kept = this.limit - this.from
    if (kept === 0) {
      this.bytes = block
      this.from = this.at = this.cell = 0
      this.limit = block.length
    } else {
      // A record goes on. The room for it doubles, so that a whole list in one record is not copied block after block.
      if (this.own.length < kept + block.length) {
        const room = Buffer.allocUnsafeSlow(2 * (kept + block.length))
        this.moveTo(room)
        this.own = room
      } else {
        this.moveTo(this.own)
      }
      block.copy(this.bytes, kept)
      this.limit = kept + block.length
    }
    if (this.isAtStart && block.length > 0) {
      this.isAtStart = false
      const hasMark = block[0] === 0xef && block[1] === 0xbb && block[2] === 0xbf
      if (hasMark) this.from = this.at = this.cell = 3
    }
  }

  /** No bytes follow. */
  end(): void {
    this.isLast = true
  }

  /** Goes on to the next record; false when the bytes so far have no further whole one. Blank lines are none. */
  next(): boolean {
    if (!this.isQuoted && !this.begin()) return false
    while (this.takeCell()) if (this.takeSeparator()) return true
    return false
  }

  private begin(): boolean {
    while (this.at < this.limit) {
      const length = this.newlineAt(this.at)
      if (length === 0) break
      this.at += length
      this.present++
    }
    this.from = this.cell = this.at
    this.count = 0
    this.line = this.present
    return this.at < this.limit
  }

  /** How long the end of line is that stands here; 0 when none does. */
  private newlineAt(at: number): 0 | 1 | 2 {
    if (this.bytes[at] === newline) return 1
    return this.bytes[at] === carriageReturn && at + 1 < this.limit && this.bytes[at + 1] === newline ? 2 : 0
  }

  /** Reads to the end of a cell; false when that has not come yet. */
  private takeCell(): boolean {
    const { bytes, delimiter, limit } = this
    let { at } = this
    if (!this.isQuoted && bytes[at] === quote && at < limit) {
      this.isQuoted = true
      this.quotedSince = this.present
      this.cell = ++at
    }
    if (!this.isQuoted) {
      for (; at < limit && bytes[at] !== delimiter && bytes[at] !== newline; at++) {
        if (bytes[at] === quote)
          throw new CsvFault(this.present, "a quote stands inside of a cell that has none around it")
      }
      this.at = bytes[at] === newline && at < limit && at > this.cell && bytes[at - 1] === carriageReturn ? at - 1 : at
      this.keep(this.at)
      return true
    }
    for (; at < limit; at++) {
      if (bytes[at] === newline) this.present++
      if (bytes[at] !== quote) continue
      if (at + 1 < limit && bytes[at + 1] === quote) {
        this.isDoubled = true
        at++
        continue
      }
      this.isQuoted = false
      this.keep(at)
      this.at = at + 1
      return true
    }
    this.at = at
    if (this.isLast) throw new CsvFault(this.quotedSince, "a quote is opened and never closed")
    return false
  }

  private keep(end: number): void {
    if (this.count < placesKept) {
      const place = 3 * this.count
      this.places[place] = this.cell
      this.places[place + 1] = end
      this.places[place + 2] = this.isDoubled ? 1 : 0
    }
    this.count++
    this.isDoubled = false
  }

  /** What follows a cell: another one (false), or the end of the record (true). */
  private takeSeparator(): boolean {
    if (this.at < this.limit && this.bytes[this.at] === this.delimiter) {
      this.cell = ++this.at
      return false
    }
    const length = this.newlineAt(this.at)
    if (this.at < this.limit && length === 0) {
      throw new CsvFault(this.present, "after a closing quote comes neither a delimiter nor the end of the line")
    }
    this.at += length
    this.from = this.at
    this.present++
    return true
  }

  /** To the beginning of that room, where it may stand already. */
  private moveTo(room: Buffer): void {
    const { from } = this
    if (room === this.bytes && from === 0) return
    this.bytes.copy(room, 0, from, this.limit)
    this.bytes = room
    for (let at = 0; at < 3 * Math.min(this.count, placesKept); at++) {
      if (at % 3 < 2) this.places[at] = (this.places[at] ?? 0) - from
    }
    this.at -= from
    this.cell -= from
    this.limit -= from
    this.from = 0
  }
}

/** The text of a cell. */
export const textOf = ({ bytes, places }: CsvRecord, cell: number): string => {
  const text = bytes.toString("utf8", places[3 * cell], places[3 * cell + 1])
  return places[3 * cell + 2] === 1 ? text.replaceAll('""', '"') : text
}

/** A record that outlives the bytes it was read from. */
export const copyOf = ({ bytes, count, line, places }: CsvRecord): CsvRecord => {
  const known = 3 * Math.min(count, placesKept)
  const first = places[0] ?? 0
  const own = Int32Array.from({ length: known }, (_, at) => (places[at] ?? 0) - (at % 3 < 2 ? first : 0))
  return { line, count, places: own, bytes: Buffer.from(bytes.subarray(first, places[known - 2])) }
}
