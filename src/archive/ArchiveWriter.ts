/** Writes entries into a gzipped tar file, which appears under its name when it is complete. */
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { open, rename, rm, stat } from "node:fs/promises"
import { Readable, Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { ArchiveRefused } from "./ArchiveFormat.ts"
import { headerOf, padding, trailer } from "./Tar.ts"

export interface Entry {
  readonly name: string
  readonly size: number
  /** Yields exactly `size` bytes. */
  readonly content: AsyncIterable<Buffer> | Iterable<Buffer>
}

export const entryOf = (name: string, content: Buffer): Entry => ({ name, size: content.length, content: [content] })

/** The bytes of a tar file. `note` gets everything but the trailer. */
async function* tarOf(entries: AsyncIterable<Entry>, modified: number, note: (bytes: Buffer) => void) {
  const noted = (bytes: Buffer) => {
    note(bytes)
    return bytes
  }
  for await (const { content, name, size } of entries) {
    yield noted(headerOf(name, size, modified))
    let left = size
    for await (const piece of content) {
      left -= piece.length
      if (left < 0) break
      yield noted(piece)
    }
    if (left !== 0) throw new ArchiveRefused({ why: `${name} changed while it was read. Run the export again.` })
    yield noted(padding(size))
  }
  yield trailer
}

export interface Options {
  readonly file: string
  /** The time of all entries, in seconds since 1970. */
  readonly modified: number
  /** The maximum number of bytes of the file. */
  readonly mostBytes: number
  readonly signal: AbortSignal
}

/**
 * Writes to `file` with the suffix `.part`, and renames it at the end. `make` gets a function that returns the SHA-256
 * of what was written so far. Returns the size of the file.
 */
export const writeArchive = async (
  make: (digest: () => string) => AsyncIterable<Entry>,
  { file, modified, mostBytes, signal }: Options,
): Promise<number> => {
  const part = `${file}.part`
  const hash = createHash("sha256")
  let written = 0
  const limit = new Transform({
    transform: (piece: Buffer, _, done) => {
      written += piece.length
      if (written <= mostBytes) return done(null, piece)
      const why = `The archive would have more than ${mostBytes} bytes. Leave the recordings out, or raise the limit.`
      return done(new ArchiveRefused({ why }))
    },
  })
  const entries = make(() => hash.copy().digest("hex"))
  try {
    await pipeline(
      Readable.from(tarOf(entries, modified, (bytes) => hash.update(bytes))),
      createGzip(),
      limit,
      createWriteStream(part, { mode: 0o600 }),
      { signal },
    )
    const handle = await open(part)
    await handle.sync().finally(() => handle.close())
    await rename(part, file)
    return (await stat(file)).size
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
