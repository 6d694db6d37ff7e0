import { assert, describe, it } from "@effect/vitest"
import { estimateMos } from "../../../src/telephony/rtp/SoundQuality.ts"

describe("the estimate of how good a call sounds", () => {
  it("is the value of G.107 for a perfect network, and falls with loss and delay", () => {
    assert.strictEqual(estimateMos(0, 0), 4.41)
    assert.strictEqual(estimateMos(0, 100), 4.36)
    assert.strictEqual(estimateMos(0, 300), 3.71)
    assert.strictEqual(estimateMos(0.01, 0), 4.33)
    assert.strictEqual(estimateMos(0.05, 0), 3.92)
    assert.strictEqual(estimateMos(0.2, 100), 2.51)
  })
  it("is never below 1", () => {
    assert.strictEqual(estimateMos(1, 5_000), 1)
  })
})
