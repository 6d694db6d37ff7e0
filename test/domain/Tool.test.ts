import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ToolName } from "../../src/domain/Tool.ts"

describe("the name of a tool", () => {
  it("is 1 to 64 letters, digits, _ and -, beginning with a letter or _", () => {
    for (const name of ["a", "_", "book_table", "A-1", "x".repeat(64)]) assert.isTrue(Schema.is(ToolName)(name))
    for (const name of ["", "1a", "-a", "a b", "a.b", "é", "a\n", "x".repeat(65)]) {
      assert.isFalse(Schema.is(ToolName)(name))
    }
  })

  it("is never taken for an id", () => {
    assert.isFalse(Schema.is(ToolName)("abcdef00-0000-4000-8000-000000000000"))
  })
})
