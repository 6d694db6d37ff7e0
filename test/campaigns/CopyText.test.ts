/** What COPY is given: JSON whose backslashes are doubled, in buffers that are used again. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CopyText, widestOf } from "../../src/campaigns/CopyText.ts"

const written = (write: (copy: CopyText) => void): string => {
  const copy = new CopyText()
  write(copy)
  return copy.take().toString()
}

const everyAscii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("")

describe("a cell in COPY's text", () => {
  it("is its JSON with every backslash doubled", () => {
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: fc.constantFrom(...everyAscii) }))
    fc.assert(
      fc.property(text, (cell) => {
        const bytes = Buffer.from(cell)
        const own = written((copy) => copy.json(bytes, 0, bytes.length, false))
        assert.strictEqual(own, JSON.stringify(cell).replaceAll("\\", "\\\\"))
        assert.isAtMost(Buffer.byteLength(own), widestOf(bytes.length) + 2)
      }),
      { numRuns: 500 },
    )
  })

  it("has one quote for two where the cell has doubled ones", () => {
    const bytes = Buffer.from('x""y""""')
    assert.strictEqual(
      written((copy) => copy.json(bytes, 0, bytes.length, true)),
      String.raw`"x\\"y\\"\\""`,
    )
  })

  it("natural numbers are written digit by digit", () => {
    for (const value of [0, 7, 10, 99, 100, 100_000, 2_147_483_647]) {
      assert.strictEqual(
        written((copy) => copy.natural(value)),
        String(value),
      )
    }
  })
})

describe("the buffers", () => {
  it("give what is in them when more does not fit, and what is larger than all of them a room of its own", () => {
    const copy = new CopyText()
    assert.isUndefined(copy.makeRoom(60_000))
    copy.ascii("a".repeat(60_000))
    assert.strictEqual(copy.makeRoom(200_000)?.length, 60_000)
    copy.ascii("b".repeat(200_000))
    assert.strictEqual(copy.makeRoom(1)?.toString(), "b".repeat(200_000))
    assert.strictEqual(copy.take().length, 0)
  })

  it("are not written anew before 448 KB more were handed on", () => {
    const copy = new CopyText()
    copy.ascii("first")
    const first = copy.take()
    for (let at = 0; at < 6; at++) {
      copy.ascii("later")
      copy.take()
    }
    assert.strictEqual(first.toString(), "first")
  })
})
