import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { contrast, fillOf } from "../../apps/widget/Colour.ts"

const Hex = Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/u))

describe("the customer's colour", () => {
  it.prop("bears readable words on either ground, and can be seen on it", { colour: Hex }, ({ colour }) => {
    for (const ground of ["#ffffff", "#191a18"]) {
      const { fill, text } = fillOf(colour, ground)
      assert.isAtLeast(contrast(fill, text), 4.5, `${colour} on ${ground}`)
    }
  })
  it("is left alone where it is good already", () => {
    assert.deepStrictEqual(fillOf("#1a1b19", "#ffffff"), { fill: "#1a1b19", text: "#ffffff" })
    assert.deepStrictEqual(fillOf("#1f4e79", "#ffffff"), { fill: "#1f4e79", text: "#ffffff" })
  })
  it("turns round where the ground would swallow it", () => {
    assert.isAtLeast(contrast(fillOf("#1a1b19", "#191a18").fill, "#191a18"), 3)
    assert.isAtLeast(contrast(fillOf("#ffffff", "#ffffff").fill, "#ffffff"), 3)
  })
})
