/**
 * The two forms in which sound crosses the connection: a telephone's own, µ-law at 8 kHz, and PCM at 24 kHz. A line of
 * another rate is resampled to the latter.
 */
import { concatenate, makeReader } from "../Audio.ts"
import { decodeG711, encodeG711, g711Rate, pcmu } from "../G711.ts"
import { Resampler } from "../Resampler.ts"

const pcmRate = 24_000

export interface SoundFormat {
  /** As the protocol names it. */
  readonly wire: { readonly type: "audio/pcmu" } | { readonly type: "audio/pcm"; readonly rate: typeof pcmRate }
  readonly bytesASecond: number
}

const telephone: SoundFormat = { wire: { type: "audio/pcmu" }, bytesASecond: g711Rate }
const wide: SoundFormat = { wire: { type: "audio/pcm", rate: pcmRate }, bytesASecond: pcmRate * 2 }

export const formatAt = (rate: number): SoundFormat => (rate === g711Rate ? telephone : wide)

/** Returns a function that makes base64 of the frames of a line at `rate`. It keeps the state of one stream. */
export const makeEncoder = (rate: number): ((samples: Int16Array) => string) => {
  if (formatAt(rate) === telephone) {
    return (samples) => {
      const bytes = Buffer.alloc(samples.length)
      encodeG711(pcmu, samples, bytes, 0)
      return bytes.toString("base64")
    }
  }
  const resampler = new Resampler(rate, pcmRate)
  return (samples) => {
    const resampled = resampler.take(samples)
    return Buffer.from(resampled.buffer, resampled.byteOffset, resampled.byteLength).toString("base64")
  }
}

export interface Decoder {
  readonly take: (bytes: Uint8Array) => Int16Array
  /** The part of the sound that a filter still holds. */
  readonly drain: () => Int16Array
}

/** Makes samples at the line's `rate` of one sound. */
export const makeDecoder = (rate: number): Decoder => {
  if (formatAt(rate) === telephone) {
    return { take: (bytes) => decodeG711(pcmu, bytes), drain: () => new Int16Array(0) }
  }
  const read = makeReader()
  const resampler = new Resampler(pcmRate, rate)
  return { take: (bytes) => resampler.take(read(bytes)), drain: () => concatenate([resampler.drain()]) }
}
