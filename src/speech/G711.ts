/** G.711, the sound of the telephone network: µ-law and A-law at 8 kHz, converted by table. */

/** Samples a second. */
export const g711Rate = 8_000
/** Samples in 20 ms, and bytes of a G.711 frame, since each sample is one byte. */
export const frameSamples = 160

export interface G711 {
  readonly name: "PCMU" | "PCMA"
  /** The static payload type of RFC 3551. */
  readonly payloadType: 0 | 8
  /** The byte of a sample of value 0. */
  readonly silence: number
  /** The sample of each byte. */
  readonly samples: Int16Array
  /** The byte of each sample, by its 16 bits without sign. */
  readonly bytes: Uint8Array
}

/** The magnitude is raised by this much, so that every segment starts at a power of two. */
const muLawBias = 132
const muLawLoudest = 32_635

const toMuLaw = (sample: number): number => {
  const sign = sample < 0 ? 0x80 : 0
  const biased = Math.min(Math.abs(sample), muLawLoudest) + muLawBias
  const segment = 24 - Math.clz32(biased)
  return ~(sign | (segment << 4) | ((biased >> (segment + 3)) & 15)) & 0xff
}

const fromMuLaw = (byte: number): number => {
  const inverted = ~byte & 0xff
  const magnitude = ((((inverted & 15) << 3) + muLawBias) << ((inverted >> 4) & 7)) - muLawBias
  return inverted & 0x80 ? -magnitude : magnitude
}

/** Even bits of A-law bytes are inverted, so that silence is not a row of zeros. */
const aLawMask = 0x55

const toALaw = (sample: number): number => {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = (sample < 0 ? ~sample : sample) >> 3
  const segment = Math.max(0, 27 - Math.clz32(magnitude))
  const step = (magnitude >> Math.max(1, segment)) & 15
  return (sign | (segment << 4) | step) ^ aLawMask
}

const fromALaw = (byte: number): number => {
  const plain = byte ^ aLawMask
  const segment = (plain >> 4) & 7
  const step = (plain & 15) << 4
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1)
  return plain & 0x80 ? magnitude : -magnitude
}

const codecOf = (
  name: G711["name"],
  payloadType: G711["payloadType"],
  encode: (sample: number) => number,
  decode: (byte: number) => number,
): G711 => ({
  name,
  payloadType,
  silence: encode(0),
  samples: Int16Array.from({ length: 256 }, (_, byte) => decode(byte)),
  bytes: Uint8Array.from({ length: 65_536 }, (_, bits) => encode((bits << 16) >> 16)),
})

export const pcmu: G711 = codecOf("PCMU", 0, toMuLaw, fromMuLaw)
export const pcma: G711 = codecOf("PCMA", 8, toALaw, fromALaw)

/** Returns the samples in `decoded`, which must be as long as `bytes`. */
export const decodeG711 = (
  { samples }: G711,
  bytes: Uint8Array,
  decoded: Int16Array = new Int16Array(bytes.length),
): Int16Array => {
  for (let at = 0; at < bytes.length; at++) decoded[at] = samples[bytes[at] ?? 0] ?? 0
  return decoded
}

/** Writes the samples into `target`, from `offset` on. */
export const encodeG711 = ({ bytes }: G711, samples: Int16Array, target: Uint8Array, offset: number): void => {
  for (let at = 0; at < samples.length; at++) target[offset + at] = bytes[(samples[at] ?? 0) & 0xffff] ?? 0
}
