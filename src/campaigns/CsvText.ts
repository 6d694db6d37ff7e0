/** The bytes of an upload as text that a CSV parser may see: bounded, UTF-8, without NUL (decisions §2, CSV). */
import { isUtf8 } from "node:buffer"
import { ContactListRefused, ContactListTooLarge } from "./ContactListRefused.ts"

/** 10 MB, as the spec counts them. */
export const maximumBytes = 10 * 1_048_576

const newline = 0x0a

/**
 * Blocks that end where a line ends, each checked. A character of UTF-8 never has the byte of a line feed inside it,
 * so a block is valid by itself, and a fault has a line.
 */
export const checkedBlocks = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maximumBytes) throw new ContactListTooLarge({ limit_bytes: maximumBytes })
    const end = chunk.lastIndexOf(newline) + 1
    if (end === 0) {
      rest = Buffer.concat([rest, chunk])
      continue
    }
    const block = rest.length === 0 ? chunk.subarray(0, end) : Buffer.concat([rest, chunk.subarray(0, end)])
    rest = chunk.subarray(end)
    check(block, line)
    line += countLines(block)
    yield block
  }
  if (rest.length > 0) {
    check(rest, line)
    yield rest
  }
}

const check = (block: Buffer, firstLine: number): void => {
  if (isUtf8(block) && !block.includes(0)) return
  let line = firstLine
  for (let from = 0; from < block.length; line++) {
    const found = block.indexOf(newline, from)
    const end = found === -1 ? block.length : found + 1
    const text = block.subarray(from, end)
    if (!isUtf8(text)) throw new ContactListRefused({ detail: `line ${line} is not valid UTF-8` })
    if (text.includes(0)) throw new ContactListRefused({ detail: `line ${line} has a NUL byte` })
    from = end
  }
}

const countLines = (block: Buffer): number => {
  let lines = 0
  for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, at + 1)) lines++
  return lines
}

/** `,` `;` or tab: whichever the header has most of, outside of quotes. */
export const delimiterOf = (firstBlock: Buffer): "," | ";" | "\t" => {
  const count = { ",": 0, ";": 0, "\t": 0 }
  let quoted = false
  for (const character of firstBlock.toString("utf8")) {
    if (character === '"') quoted = !quoted
    if (quoted) continue
    if (character === "\n") break
    if (character === "," || character === ";" || character === "\t") count[character]++
  }
  if (count[";"] > count[","] && count[";"] >= count["\t"]) return ";"
  return count["\t"] > count[","] ? "\t" : ","
}
