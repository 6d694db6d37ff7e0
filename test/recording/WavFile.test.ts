import { assert, describe, it } from "@effect/vitest"
import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { repair, WavFile } from "../../src/recording/WavFile.ts"

const newPath = () => join(mkdtempSync(join(tmpdir(), "parley-wav-")), "a", "b.wav")
/** What a player reads of the file: the seconds that its header promises, and whether they are there. */
const soundOf = (path: string) => {
  const file = readFileSync(path)
  assert.strictEqual(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16), "RIFFWAVEfmt ")
  assert.deepStrictEqual([file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt16LE(34)], [1, 2, 16])
  assert.strictEqual(file.readUInt32LE(4), file.readUInt32LE(40) + 36)
  return { told: file.readUInt32LE(40), there: file.length - 44, rate: file.readUInt32LE(24) }
}

describe("a WAV file that grows", () => {
  it("can be played after each part, and what was left out is silence", async () => {
    const path = newPath()
    const file = await WavFile.create(path, 8_000)
    assert.deepStrictEqual(soundOf(path), { told: 0, there: 0, rate: 8_000 })
    await file.write(0, new Uint8Array(640).fill(1))
    assert.deepStrictEqual(soundOf(path), { told: 640, there: 640, rate: 8_000 })
    await file.write(1_280, new Uint8Array(640).fill(2))
    assert.deepStrictEqual(soundOf(path), { told: 1_920, there: 1_920, rate: 8_000 })
    await file.close()
    const sound = readFileSync(path).subarray(44)
    assert.deepStrictEqual([sound[0], sound[639], sound[640], sound[1_279], sound[1_280]], [1, 1, 0, 0, 2])
  })
  it("is readable by its owner alone, as is its folder", async () => {
    const path = newPath()
    await (await WavFile.create(path, 8_000)).close()
    assert.deepStrictEqual([statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777], [0o600, 0o700])
  })
  it("leaves no file behind if its header cannot be written", async () => {
    const path = newPath()
    // A rate that no header holds, in place of a full disk.
    const fault = await WavFile.create(path, -1).catch((fault: unknown) => fault)
    assert.instanceOf(fault, RangeError)
    assert.isFalse(existsSync(path))
  })
  it("is repaired if its writer was killed between a part and the header", async () => {
    const path = newPath()
    const file = await WavFile.create(path, 16_000)
    await file.write(0, new Uint8Array(640))
    await file.close()
    appendFileSync(path, new Uint8Array(643))
    await repair(path)
    assert.deepStrictEqual(soundOf(path), { told: 1_280, there: 1_283, rate: 16_000 })
  })
})
