import { assert, describe, it } from "@effect/vitest"
import { check } from "./Checker.ts"
import { innocent, seeded } from "./SeededViolations.ts"
import { sound } from "./SoundHistory.ts"

const invariantsOf = (history: Parameters<typeof check>[0]) => [
  ...new Set(check(history).map(({ invariant }) => invariant)),
]

describe("the checker of histories", () => {
  it("finds nothing in a history that keeps every promise", () => {
    assert.deepStrictEqual(check(sound), [])
  })
  it.each(seeded)("sees a broken %s: %s", (invariant, _what, doctor) => {
    assert.include(invariantsOf(doctor(sound)), invariant)
  })
  it.each(innocent)("lets pass %s", (_what, doctor) => {
    assert.deepStrictEqual(check(doctor(sound)), [])
  })
  it("has a seeded violation of every invariant that a history shows", () => {
    const all = new Set(seeded.map(([invariant]) => invariant))
    const visible = Array.from({ length: 17 }, (_, at) => `I${at + 1}`)
    assert.deepStrictEqual(
      visible.filter((invariant) => !all.has(invariant)),
      [],
    )
  })
})
