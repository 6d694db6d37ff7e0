/** Checks the bytes of an upload before a CSV reader sees them: bounded, UTF-8, without NUL (decisions §2, CSV). */
import { isUtf8 } from "node:buffer"
import { ListRefused, ListTooLarge } from "./ListRefused.ts"
import type { Delimiter } from "./CsvReader.ts"

/** 10 MB, as the spec counts them. */
export const maximumBytes = 10 * 1_048_576

const newline = 0x0a
/** In characters: more than the longest header that is accepted, 200 names of 200 characters. */
const longestHeader = 200 * 1_024
const utf8BytesOfCharacter = 4

/**
 * Yields checked blocks that end at the end of a line. No character of UTF-8 contains the byte of a line feed, so each
 * block can be checked separately, and a fault has a line number.
 */
export const checkedBlocks = async function* (
  source: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Buffer> {
  let bytes = 0
  let line = 1
  let rest: Array<Buffer> = []
  for await (const chunk of source) {
    if (bytes === 0) refuseOtherFormats(chunk)
    bytes += chunk.length
    if (bytes > mostBytes) throw new ListTooLarge({ limit_bytes: mostBytes })
    const end = chunk.lastIndexOf(newline) + 1
    if (end === 0) {
      if (line === 1 && bytes > longestHeader * utf8BytesOfCharacter) throw headerTooLong()
      rest.push(chunk)
      continue
    }
    const block = rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([...rest, chunk.subarray(0, end)])
    rest = end === chunk.length ? [] : [chunk.subarray(end)]
    check(block, line)
    line += countLines(block)
    yield block
  }
  if (rest.length === 0) return
  const last = Buffer.concat(rest)
  check(last, line)
  yield last
}

const check = (block: Buffer, firstLine: number): void => {
  if (isUtf8(block) && !block.includes(0)) return
  let line = firstLine
  for (let from = 0; from < block.length; line++) {
    const found = block.indexOf(newline, from)
    const end = found === -1 ? block.length : found + 1
    const text = block.subarray(from, end)
    if (!isUtf8(text)) throw new ListRefused({ detail: `line ${line} is not valid UTF-8. ${saveAsUtf8}` })
    if (text.includes(0)) throw new ListRefused({ detail: `line ${line} has a NUL byte` })
    from = end
  }
}
const saveAsUtf8 = 'Save the list as "CSV UTF-8"'

/**
 * Recognises UTF-16 by its byte order mark, or by the NUL byte next to every ASCII character, and a workbook by the
 * signature of a ZIP file.
 */
const refuseOtherFormats = (start: Buffer): void => {
  if (start.subarray(0, 4).toString("latin1") === "PK\u0003\u0004") {
    throw new ListRefused({ detail: `is a workbook, not a CSV. ${saveAsUtf8}` })
  }
  const [first, second] = start
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const hasHalves = (first === 0) !== (second === 0)
  if (hasMark || (start.length > 1 && hasHalves)) {
    throw new ListRefused({ detail: `is UTF-16. ${saveAsUtf8}` })
  }
}

const countLines = (block: Buffer): number => {
  let lines = 0
  for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, at + 1)) lines++
  return lines
}

/** How the file is written, and where its header begins. */
export interface CsvForm {
  readonly delimiter: Delimiter
  /** The header's place in the text of the first block, and its physical line. */
  readonly from: number
  readonly line: number
}

/** The blank lines with which a text begins: how many there are, and where they end. A byte order mark goes with them. */
export const blankLinesOf = (text: string): { readonly lines: number; readonly end: number } => {
  let end = text.startsWith("\uFEFF") ? 1 : 0
  for (let lines = 0; ; lines++) {
    if (text[end] === "\n") end++
    else if (text.startsWith("\r\n", end)) end += 2
    else return { lines, end }
  }
}

/** A line that spreadsheets put before the header to name the delimiter. */
const separatorLine = /^"?sep=(.)"?\r?(?:\n|$)/i

/** The text that arrives when a client sends the name of the file instead of its contents. */
const fileName = /^[^\r\n,;\t]{1,200}\.(?:csv|tsv|txt|xlsx?)\s*$/i

/** Finds the delimiter and the header in the text of the first block. Skips a byte order mark and a `sep=` line. */
export const formOf = (text: string): CsvForm => {
  if (fileName.test(text)) {
    const detail = `is the text ${text.trim()}, not the contents of a file. With curl: -F contacts=@${text.trim()}`
    throw new ListRefused({ detail })
  }
  const start = text.startsWith("\uFEFF") ? 1 : 0
  const [stated, separator] = separatorLine.exec(text.slice(start, start + 10)) ?? []
  if (stated === undefined) return { delimiter: delimiterOf(headerOf(text, start)), from: start, line: 1 }
  if (separator !== "," && separator !== ";" && separator !== "\t") {
    throw new ListRefused({ detail: `has the delimiter ${separator}. Save it with a comma, semicolon or tab` })
  }
  headerOf(text, start + stated.length)
  return { delimiter: separator, from: start + stated.length, line: 2 }
}

/** Returns the physical line of the header. Its quoted names may continue on the next line. */
const headerOf = (text: string, from: number): string => {
  const found = text.indexOf("\n", from)
  const end = found === -1 ? text.length : found
  const header = text.slice(from, Math.min(end, from + longestHeader))
  if (
    header
      .replaceAll(/"[^"]*"?/g, "")
      .trimEnd()
      .includes("\r")
  ) {
    throw new ListRefused({
      detail: "ends its lines with a carriage return alone. Save it with line endings of Windows (CRLF) or Unix (LF)",
    })
  }
  if (end - from > longestHeader) throw headerTooLong()
  return header
}

const headerTooLong = () => new ListRefused({ detail: `has a first line of more than ${longestHeader} characters` })

/** The delimiter: `,` `;` or tab, the one that occurs most often in the header outside of quotes. */
const delimiterOf = (header: string): Delimiter => {
  const count = { ",": 0, ";": 0, "\t": 0 }
  let quoted = false
  for (const character of header) {
    if (character === '"') quoted = !quoted
    if (quoted) continue
    if (character === "," || character === ";" || character === "\t") count[character]++
  }
  if (count[";"] > count[","] && count[";"] >= count["\t"]) return ";"
  return count["\t"] > count[","] ? "\t" : ","
}
