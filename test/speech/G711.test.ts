import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { decodeG711, encodeG711, type G711, pcma, pcmu } from "../../src/speech/G711.ts"

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const everySample = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768)

const roundTrip = (codec: G711, samples: Int16Array) => {
  const bytes = new Uint8Array(samples.length)
  encodeG711(codec, samples, bytes, 0)
  return { bytes, decoded: decodeG711(codec, bytes) }
}

describe("G.711", () => {
  // The values at the start of each segment in tables 1a and 2a of the recommendation, scaled to 16 bits.
  it.each([
    [
      pcmu,
      { 0x80: 8_031, 0x8f: 4_191, 0x90: 3_999, 0xa0: 1_983, 0xb0: 975, 0xc0: 471, 0xd0: 219, 0xe0: 93, 0xf0: 30 },
      4,
    ],
    [pcma, { 0xaa: 4_032, 0xba: 2_016, 0x8a: 1_008, 0x9a: 504, 0xea: 252, 0xfa: 126, 0xca: 63, 0xd5: 1 }, 8],
  ] as const)("decodes the reference values of the recommendation: $name", ({ samples }, values, scale) => {
    for (const [byte, value] of Object.entries(values)) {
      assert.strictEqual(samples[Number(byte)], value * scale, byte)
      assert.strictEqual(samples[Number(byte) ^ 0x80], -value * scale, byte)
    }
  })
  // The digests are of what `sox -t ul all256 -t s16 -` and `sox -t al all256 -t s16 -` print for the bytes 0 to 255.
  it.each([
    [pcmu, "3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827"],
    [pcma, "e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174"],
  ] as const)("decodes all 256 bytes as sox does: $name", (codec, digest) => {
    assert.strictEqual(createHash("sha256").update(decodeG711(codec, everyByte)).digest("hex"), digest)
  })
  it.each([pcmu, pcma])("encodes what it decoded to the same byte: $name", (codec) => {
    const { bytes } = roundTrip(codec, decodeG711(codec, everyByte))
    // µ-law has two zeros.
    const expected = everyByte.map((byte) => (codec === pcmu && byte === 0x7f ? 0xff : byte))
    assert.deepStrictEqual(bytes, expected)
  })
  it.each([pcmu, pcma])(
    "keeps every one of the 65,536 samples within half a step, and in their order: $name",
    (codec) => {
      const { decoded } = roundTrip(codec, everySample)
      const values = Array.from(new Set(codec.samples)).toSorted((a, b) => a - b)
      const rankOf = new Map(values.map((value, rank) => [value, rank]))
      const loudest = values.at(-1) ?? 0
      const isRight = (sample: number, at: number) => {
        const value = decoded[at] ?? 0
        const rank = rankOf.get(value) ?? 0
        const step = Math.max(value - (values[rank - 1] ?? value), (values[rank + 1] ?? value) - value)
        const isInOrder = at === 0 || value >= (decoded[at - 1] ?? 0)
        return isInOrder && (Math.abs(sample) > loudest || Math.abs(value - sample) <= step / 2)
      }
      assert.deepStrictEqual(
        Array.from(everySample).filter((sample, at) => !isRight(sample, at)),
        [],
      )
    },
  )
  it("is silent in the bytes that every gateway sends for silence", () => {
    assert.deepStrictEqual([pcmu.silence, pcma.silence], [0xff, 0xd5])
  })
})
