/** UUIDv7s by the hundred thousand: random bytes are asked for in bulk, which is a third of an import's time (measured). */
import { randomFillSync } from "node:crypto"
import { v7 as uuidv7 } from "uuid"

const bytesAnId = 16
const idsAFill = 1024

const digits = Buffer.from("0123456789abcdef")
const dash = 0x2d

/** As text. */
export const idLength = 36

/** Writes the next id's text where it is told to; ids grow in the order in which they are asked for. */
export const contactIds = (): ((into: Buffer, at: number) => void) => {
  const fill = new Uint8Array(bytesAnId * idsAFill)
  let used = fill.length
  const random = new Uint8Array(bytesAnId)
  const options = { random, seq: 0 }
  const id = new Uint8Array(bytesAnId)
  return (into, at) => {
    if (used === fill.length) {
      randomFillSync(fill)
      used = 0
    }
    for (let byte = 0; byte < bytesAnId; byte++) random[byte] = fill[used++] ?? 0
    uuidv7(options, id)
    options.seq++
    for (let byte = 0, to = at; byte < bytesAnId; byte++) {
      if (byte === 4 || byte === 6 || byte === 8 || byte === 10) into[to++] = dash
      const value = id[byte] ?? 0
      into[to++] = digits[value >> 4] ?? 0
      into[to++] = digits[value & 15] ?? 0
    }
  }
}
