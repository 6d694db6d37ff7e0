/**
 * The two formats of sound on the connection: µ-law at 8 kHz, as on telephones, and PCM at 24 kHz. Sound of a line with
 * another rate is resampled to the latter.
 */
import { concatenate, makeReader } from "../Audio.ts"
import { decodeG711, encodeG711, g711Rate, pcmu } from "../G711.ts"
import { Resampler } from "../Resampler.ts"

const pcmRate = 24_000

export interface SoundFormat {
  /** The format in the protocol's words. */
  readonly wire: { readonly type: "audio/pcmu" } | { readonly type: "audio/pcm"; readonly rate: typeof pcmRate }
  readonly bytesASecond: number
}

const telephone: SoundFormat = { wire: { type: "audio/pcmu" }, bytesASecond: g711Rate }
const wide: SoundFormat = { wire: { type: "audio/pcm", rate: pcmRate }, bytesASecond: pcmRate * 2 }

export const formatAt = (rate: number): SoundFormat => (rate === g711Rate ? telephone : wide)

/** Returns a function that encodes the frames of one line at `rate` as base64. It keeps the state of one stream. */
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
  /** Returns the end of the sound, which the resampling filter still holds. */
  readonly drain: () => Int16Array
}

/** Decodes one sound to samples at the line's `rate`. */
export const makeDecoder = (rate: number): Decoder => {
  if (formatAt(rate) === telephone) {
    return { take: (bytes) => decodeG711(pcmu, bytes), drain: () => new Int16Array(0) }
  }
  const read = makeReader()
  const resampler = new Resampler(pcmRate, rate)
  return { take: (bytes) => resampler.take(read(bytes)), drain: () => concatenate([resampler.drain()]) }
}
