import { assert, describe, it } from "@effect/vitest"
import { FairLine, mostWaiting } from "../../src/offload/FairLine.ts"

/** A line that notes who began, in order. */
const lineOf = (threads: number) => {
  const begun: Array<string> = []
  const line = new FairLine(threads)
  return { line, begun, enter: (account: string) => line.enter(account, () => begun.push(account)) }
}

describe("whose job has a thread next", () => {
  it("an account never has all of them", () => {
    const { begun, enter } = lineOf(3)
    for (let at = 0; at < 5; at++) enter("a")
    assert.deepStrictEqual(begun, ["a", "a"])
    enter("b")
    assert.deepStrictEqual(begun, ["a", "a", "b"])
  })
  it("accounts take turns, however many jobs one has brought before", () => {
    const { begun, enter, line } = lineOf(2)
    for (let at = 0; at < 4; at++) enter("a")
    for (const account of ["b", "b", "c"]) enter(account)
    assert.deepStrictEqual(begun, ["a", "b"])
    for (const account of ["b", "a", "b", "a", "c", "a"]) line.release(account)
    assert.deepStrictEqual(begun, ["a", "b", "b", "a", "c", "a", "a"])
  })
  it("one thread serves everybody", () => {
    const { begun, enter, line } = lineOf(1)
    enter("a")
    enter("b")
    line.release("a")
    assert.deepStrictEqual(begun, ["a", "b"])
  })
  it("who has left is not begun, and those that wait are bounded", () => {
    const { begun, enter, line } = lineOf(1)
    enter("a")
    enter("b")?.leave()
    line.release("a")
    assert.deepStrictEqual(begun, ["a"])
    enter("a")
    for (let at = 0; at < mostWaiting; at++) assert.isDefined(enter("a"))
    assert.isUndefined(enter("a"))
    assert.isDefined(enter("b"))
  })
})
