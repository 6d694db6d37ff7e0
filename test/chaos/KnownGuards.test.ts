/** The markers in the source and the table of guards name the same guards: neither can change alone. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { guards } from "./KnownGuards.ts"
import { cut, markersIn, readMarkers } from "./Markers.ts"

const only = (text: string) => {
  const [marker] = markersIn("a.ts", text)
  return marker ?? assert.fail("no marker")
}

describe("the guards", () => {
  it("are marked in the source once each, and every marker has a guard", () => {
    const marked = readMarkers(".").map(({ name }) => name)
    assert.deepStrictEqual(marked.toSorted(), guards.flatMap(({ markers }) => markers).toSorted())
  })
  it("name tests that exist", () => {
    for (const { suite, tests = "" } of guards) {
      assert.isTrue(existsSync(suite), suite)
      assert.include(readFileSync(suite, "utf8"), tests, suite)
    }
  })
})

describe("a marker", () => {
  it("at the end of a line marks that line", () => {
    const text = "a\nb // guard: no b without a (I1, I5)\nc"
    assert.deepInclude(only(text), { name: "no b without a", promises: "I1, I5" })
    assert.strictEqual(cut(text, only(text)), "a\nc")
  })
  it("on a line of its own marks the lines down to the end of the guard", () => {
    const text = "a\n  -- guard: no b (I1)\n  b\n  b\n  -- end of guard\nc"
    assert.strictEqual(cut(text, only(text)), "a\nc")
  })
  it.each([
    ["without a promise", "b // guard: no b"],
    ["whose lines do not end", "// guard: no b (I1)\nb"],
    ["within another one", "// guard: no b (I1)\nb // guard: no c (I1)\n// end of guard"],
    ["that ends before it begins", "b\n// end of guard"],
  ])("%s is refused", (_, text) => {
    assert.throws(() => markersIn("a.ts", text), /^a\.ts:1|^a\.ts:2/)
  })
})
