/**
 * Reads an archive in small parts. No value of the file is trusted: names are those of the format, lengths are bounded,
 * and the unpacked bytes are counted, so that a small file cannot become endless.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { createGunzip } from "node:zlib"
import { ArchiveRefused, longestDocument, longestLine, longestSound, meaningOf, pieceBytes } from "./ArchiveFormat.ts"
import { blockBytes, padding, parseHeader } from "./Tar.ts"

export type Part =
  | { readonly kind: "document"; readonly name: string; readonly content: Buffer; readonly digest: string }
  /** Whole lines, without the line feeds between them. */
  | { readonly kind: "rows"; readonly table: string; readonly lines: ReadonlyArray<string> }
  | { readonly kind: "sound"; readonly id: string; readonly size: number; readonly content: AsyncIterable<Buffer> }

const refuse = (why: string): never => {
  throw new ArchiveRefused({ why })
}

const truncated = "The archive ends too early. Copy it again."

/** Reads a stream in the lengths that are asked for. */
class ByteSource {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #note: (bytes: Buffer) => void
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>, note: (bytes: Buffer) => void) {
    this.#pieces = source[Symbol.asyncIterator]()
    this.#note = note
  }

  /** Returns at least one byte and at most `most`; empty at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next()
      if (next.done === true) return this.#rest
      this.#rest = next.value
    }
    const taken = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(taken.length)
    this.#note(taken)
    return taken
  }

  async *take(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      const piece = await this.some(left)
      if (piece.length === 0) refuse(truncated)
      left -= piece.length
      yield piece
    }
  }

  async exactly(size: number): Promise<Buffer> {
    const pieces: Array<Buffer> = []
    for await (const piece of this.take(size)) pieces.push(piece)
    return Buffer.concat(pieces)
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const textOf = (bytes: Uint8Array, table: string): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    return refuse(`A row of ${table} is not UTF-8.`)
  }
}

/** Groups of whole lines, of about `pieceBytes`. */
async function* linesOf(pieces: AsyncIterable<Buffer>, table: string): AsyncGenerator<ReadonlyArray<string>> {
  let held: Array<Buffer> = []
  let bytes = 0
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(0x0a)
    bytes += piece.length
    if (bytes > longestLine) refuse(`A row of ${table} is longer than ${longestLine} bytes.`)
    if (end < 0 || bytes < pieceBytes) {
      held.push(piece)
      continue
    }
    yield textOf(Buffer.concat([...held, piece.subarray(0, end)]), table).split("\n")
    held = [piece.subarray(end + 1)]
    bytes = held[0]?.length ?? 0
  }
  const text = textOf(Buffer.concat(held), table)
  if (text === "") return
  if (!text.endsWith("\n")) refuse(`The last row of a file of ${table} has no end.`)
  yield text.slice(0, -1).split("\n")
}

async function* partsOf(source: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const hash = createHash("sha256")
  const bytes = new ByteSource(source, (piece) => hash.update(piece))
  while (true) {
    // Taken before the next header is read: the manifest has the digest of everything before its own header.
    const digest = hash.copy().digest("hex")
    const entry = parseHeader(await bytes.exactly(blockBytes))
    if (entry === undefined) return
    const { name, size } = entry
    const meaning = meaningOf(name) ?? refuse(`An archive has no entry ${JSON.stringify(name)}.`)
    if (meaning.kind === "document") {
      if (size > longestDocument) refuse(`${name} is longer than ${longestDocument} bytes.`)
      yield { kind: "document", name, content: await bytes.exactly(size), digest }
    } else if (meaning.kind === "rows") {
      for await (const lines of linesOf(bytes.take(size), meaning.table)) {
        yield { kind: "rows", table: meaning.table, lines }
      }
    } else {
      if (size > longestSound) refuse(`${name} is longer than ${longestSound} bytes.`)
      const content = bytes.take(size)
      yield { kind: "sound", id: meaning.id, size, content }
      // Skips the sound if the consumer has not read it.
      for await (const _ of content);
    }
    await bytes.exactly(padding(size).length)
  }
}

/**
 * Reads the parts of an archive. Throws an `ArchiveRefused`, or the error of the file system. `mostBytes` limits the
 * bytes of the unpacked file.
 */
export async function* readArchive(file: string, mostBytes: number): AsyncGenerator<Part> {
  const packed = createReadStream(file)
  const unpacked = createGunzip()
  packed.once("error", (error) => unpacked.destroy(error))
  packed.pipe(unpacked)
  let count = 0
  async function* bounded(): AsyncGenerator<Buffer> {
    for await (const piece of unpacked) {
      count += piece.length
      if (count > mostBytes) refuse(`The archive has more than ${mostBytes} bytes when it is unpacked.`)
      yield piece
    }
  }
  try {
    yield* partsOf(bounded())
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_")) {
      const isShort = error.code === "Z_BUF_ERROR"
      refuse(isShort ? truncated : "The file is not an archive of Parley, or it was changed.")
    }
    throw error
  } finally {
    packed.destroy()
    unpacked.destroy()
  }
}
