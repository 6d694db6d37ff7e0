/** What may be a name. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DisplayName, Name } from "../../src/domain/Name.ts"

describe("a name, and a display name", () => {
  it.each(["Rosa", "Šárka 2", "نرگس", "می‌خواهم", "👩‍🚀", "Ада – west"])("%s is taken", (name) => {
    assert.isTrue(Schema.is(Name)(name))
    assert.isTrue(Schema.is(DisplayName)(name))
  })
  it.each([0x00, 0x0a, 0x1b, 0x85, 0x200b, 0x200e, 0x2028, 0x202e, 0x2066, 0xfeff, 0xe0041])(
    "with the character %i is refused",
    (code) => {
      const name = `a${String.fromCodePoint(code)}b`
      assert.isFalse(Schema.is(Name)(name))
      assert.isFalse(Schema.is(DisplayName)(name))
    },
  )
})
