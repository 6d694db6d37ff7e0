import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ChunkOrder } from "../../../src/telephony/stream/ChunkOrder.ts"

const sound = (chunk?: number) => ({
  _tag: "Sound" as const,
  bytes: Buffer.alloc(160),
  ...(chunk === undefined ? {} : { chunk }),
})

const heard = (chunks: ReadonlyArray<number>) => {
  const order = new ChunkOrder()
  return chunks.flatMap((chunk) => order.take(sound(chunk)).map((one) => one.chunk))
}

describe("the sound of a stream", () => {
  it("is played in the order of its chunks, each once", () => {
    assert.deepStrictEqual(heard([1, 2, 4, 3, 5]), [1, 2, 3, 4, 5])
    assert.deepStrictEqual(heard([7, 8, 8, 7, 9]), [7, 8, 9])
  })
  it("waits four chunks for a missing one, and then goes on without it", () => {
    assert.deepStrictEqual(heard([1, 3, 4, 5]), [1])
    assert.deepStrictEqual(heard([1, 3, 4, 5, 6]), [1])
    assert.deepStrictEqual(heard([1, 3, 4, 5, 6, 7, 2, 8]), [1, 3, 4, 5, 6, 7, 8])
  })
  it("starts over after a jump in either direction", () => {
    assert.deepStrictEqual(heard([1, 2, 900, 901, 1, 2]), [1, 2, 900, 901, 1, 2])
  })
  it("is played as it arrives if it has no position", () => {
    const order = new ChunkOrder()
    assert.lengthOf([...order.take(sound()), ...order.take(sound())], 2)
  })
  it("is never played twice or backwards, for any input", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 200 }), (chunks) => {
        const all = heard(chunks)
        assert.isTrue(all.every((chunk, at) => at === 0 || (chunk ?? 0) > (all[at - 1] ?? 0)))
      }),
    )
  })
})
