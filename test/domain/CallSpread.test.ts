/** How the calls of a pass are divided among processes. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { divide, headStartFor, roomOf } from "../../src/domain/CallSpread.ts"

const load = (calls: number, calls_max = 2_000) => ({ calls, calls_max })
const dialler = (calls: number, head_start = 0, calls_max = 2_000) => ({ calls, calls_max, head_start })

describe("the calls of a pass", () => {
  it("stay in a process that is alone, however many they are", () => {
    assert.deepStrictEqual(divide(5_000, dialler(0), []), { own: 5_000, others: [] })
  })
  it("fill the emptiest processes first", () => {
    assert.deepStrictEqual(divide(900, dialler(0), [load(0), load(0)]), { own: 300, others: [300, 300] })
    assert.deepStrictEqual(divide(300, dialler(400), [load(0), load(200)]), { own: 0, others: [250, 50] })
    assert.deepStrictEqual(divide(1, dialler(10), [load(10), load(9)]), { own: 0, others: [0, 1] })
  })
  it("use the same part of what each process can carry", () => {
    assert.deepStrictEqual(divide(330, dialler(0, 0, 100), [load(0, 1_000)]), { own: 30, others: [300] })
  })
  it("stay in the dialling process while it is ahead by less than its head start", () => {
    assert.deepStrictEqual(divide(32, dialler(0, 32), [load(0), load(0)]).own, 32)
    assert.deepStrictEqual(divide(62, dialler(0, 32), [load(0), load(0)]), { own: 42, others: [10, 10] })
  })
  it("go to no process that is full, except that the dialling one takes what is left", () => {
    assert.deepStrictEqual(divide(10, dialler(4, 32, 4), [load(4, 4), load(9, 4)]), { own: 10, others: [0, 0] })
    assert.deepStrictEqual(divide(10, dialler(2, 32, 4), [load(1, 4), load(0, 0)]), { own: 7, others: [3, 0] })
  })
  it("are all given to a process, none more than it has room for, and no process is passed by one that is fuller", () => {
    const any = fc.record({ calls: fc.nat(300), calls_max: fc.nat(300) })
    fc.assert(
      fc.property(fc.nat(1_500), any, fc.array(any, { maxLength: 6 }), (count, own, others) => {
        const { others: given, own: kept } = divide(count, { ...own, head_start: 0 }, others)
        assert.strictEqual(given.length, others.length)
        assert.strictEqual(kept + given.reduce((sum, calls) => sum + calls, 0), count)
        others.forEach((other, at) => assert.isAtMost(given[at] ?? 0, roomOf(other)))
        const room = others.reduce((sum, other) => sum + roomOf(other), roomOf(own))
        if (count <= room) assert.isAtMost(kept, roomOf(own))
        const after = [own, ...others].map((one, at) => ({ ...one, given: [kept, ...given][at] ?? 0 }))
        for (const fuller of after) {
          if (fuller.given < 2 || fuller.calls + fuller.given > fuller.calls_max) continue
          for (const other of after) {
            if (roomOf(other) - other.given < 2) continue
            const level = (other.calls + other.given + 1) / other.calls_max
            assert.isAtMost((fuller.calls + fuller.given - 1) / fuller.calls_max, level + 1e-9)
          }
        }
      }),
    )
  })
  it("have a larger head start if calls end soon, so that calls that end at once all stay", () => {
    assert.strictEqual(headStartFor(180_000), 32)
    assert.strictEqual(headStartFor(10_000), 32)
    assert.strictEqual(headStartFor(1_000), 320)
    assert.isAtLeast(headStartFor(50), 2_000)
    assert.isFinite(headStartFor(0))
  })
})
