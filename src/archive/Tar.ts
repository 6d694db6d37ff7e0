/**
 * The headers of a tar file in the format ustar, as far as an archive needs them: regular files with short names. A
 * reader refuses every other entry, so that no link, folder or extended header has to be understood.
 */
import { ArchiveRefused } from "./ArchiveFormat.ts"

export const blockBytes = 512

/** The end of a tar file. */
export const trailer = Buffer.alloc(2 * blockBytes)

/** The bytes that pad a content of this length to the next block. */
export const padding = (size: number): Buffer => Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)

/** The checksum of a header: the sum of its bytes, in which the checksum itself counts as spaces. */
const sumOf = (header: Buffer): number =>
  header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`

/** The header of a file. `modified` is in seconds since 1970. */
export const headerOf = (name: string, size: number, modified: number): Buffer => {
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, 100)
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(modified, 12), 136)
  header.write("0", 156)
  header.write("ustar\x0000", 257)
  header.write(octal(sumOf(header), 7), 148)
  header.write(" ", 155)
  return header
}

const textAt = (header: Buffer, from: number, length: number): string => {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? length : end).toString("latin1")
}

const numberAt = (header: Buffer, from: number, length: number): number | undefined => {
  const [, digits] = /^ *([0-7]+) *$/.exec(textAt(header, from, length)) ?? []
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}

/** The entry that begins here; undefined at the end of the file. */
export const parseHeader = (header: Buffer): { readonly name: string; readonly size: number } | undefined => {
  if (header.every((byte) => byte === 0)) return undefined
  const size = numberAt(header, 124, 12)
  if (size === undefined || numberAt(header, 148, 8) !== sumOf(header)) {
    throw new ArchiveRefused({ why: "The file is not an archive of Parley, or it was changed." })
  }
  if (header[156] !== 0x30 || header[345] !== 0) {
    throw new ArchiveRefused({ why: "The archive has an entry that is not a plain file." })
  }
  return { name: textAt(header, 0, 100), size }
}
