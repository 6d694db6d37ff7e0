/** Sound as this process handles it: one channel, 16 bits, in frames of 20 ms. Pure. */

export const frameMs = 20
/** The rate of the sound that a page sends. */
export const heardRate = 16_000
/** The rate of the sound that a page gets; its player resamples it for its loudspeaker. */
export const spokenRate = 24_000
export const samplesOf = (rate: number): number => (rate * frameMs) / 1_000

/** The level of digital silence. */
export const silenceDb = -100

/** The level of a frame in dB below full scale, without the constant offset of cheap microphones. */
export const levelOf = (frame: Int16Array): number => {
  let sum = 0
  let squares = 0
  // Iterating over the samples takes twice as long as counting.
  for (let at = 0; at < frame.length; at++) {
    const sample = frame[at] ?? 0
    sum += sample
    squares += sample * sample
  }
  const mean = sum / frame.length
  const power = squares / frame.length - mean * mean
  return power < 1 ? silenceDb : Math.max(silenceDb, 10 * Math.log10(power / (32_768 * 32_768)))
}

/** The same sound, softer by this many dB, in `softened`, which must be as long as the frame. */
export const soften = (
  frame: Int16Array,
  db: number,
  softened: Int16Array = new Int16Array(frame.length),
): Int16Array => {
  const level = 10 ** (-db / 20)
  for (let at = 0; at < frame.length; at++) softened[at] = Math.round((frame[at] ?? 0) * level)
  return softened
}

/** The samples one after the other. */
export const concatenate = (parts: ReadonlyArray<Int16Array>): Int16Array<ArrayBuffer> => {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** RIFF, as every recogniser reads it. */
export const wavOf = (frames: ReadonlyArray<Int16Array>, rate: number): Uint8Array<ArrayBuffer> => {
  const samples = frames.reduce((sum, { length }) => sum + length, 0)
  const bytes = new Uint8Array(44 + samples * 2)
  const view = new DataView(bytes.buffer)
  const word = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  word(0, "RIFF")
  view.setUint32(4, 36 + samples * 2, true)
  word(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  word(36, "data")
  view.setUint32(40, samples * 2, true)
  let at = 44
  for (const frame of frames) {
    for (const sample of frame) {
      view.setInt16(at, sample, true)
      at += 2
    }
  }
  return bytes
}

/** Reads samples from a stream of bytes, which may be cut anywhere. */
export const makeReader = () => {
  let odd: number | undefined
  return (bytes: Uint8Array): Int16Array => {
    const length = bytes.length + (odd === undefined ? 0 : 1)
    const samples = new Int16Array(length >> 1)
    let at = 0
    let low = odd
    for (const byte of bytes) {
      if (low === undefined) low = byte
      else {
        samples[at++] = low | (byte << 8)
        low = undefined
      }
    }
    odd = low
    return samples
  }
}
