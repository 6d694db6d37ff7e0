/** G.711 µ-law by the standard's formula, encoded as base64, as a media stream carries sound. */

const bias = 132
const loudest = 32_635

const encode = (sample: number): number => {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), loudest) + bias
  const exponent = Math.floor(Math.log2(magnitude)) - 7
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 0xff
}

const decode = (byte: number): number => {
  const plain = ~byte & 0xff
  const magnitude = ((((plain & 15) << 3) + bias) << ((plain >> 4) & 7)) - bias
  return (plain & 0x80) === 0 ? magnitude : -magnitude
}

export const toPayload = (samples: Int16Array): string =>
  Buffer.from(Uint8Array.from(samples, encode)).toString("base64")

export const samplesIn = (bytes: Uint8Array): Int16Array => Int16Array.from(bytes, decode)
