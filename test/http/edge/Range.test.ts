import { assert, describe, it } from "@effect/vitest"
import { partOf } from "../../../src/http/edge/Range.ts"

const part = (first: number, last: number) => ({ _tag: "Part", first, last })
const whole = { _tag: "Whole" }
const unsatisfiable = { _tag: "Unsatisfiable" }

describe("a range of 1,000 bytes (RFC 9110 §14)", () => {
  it.each([
    [undefined, whole],
    ["bytes=0-0", part(0, 0)],
    ["bytes=0-499", part(0, 499)],
    ["bytes=500-", part(500, 999)],
    ["bytes=-500", part(500, 999)],
    ["bytes=-5000", part(0, 999)],
    ["bytes=999-5000", part(999, 999)],
    ["BYTES= 3-4 ", part(3, 4)],
    ["bytes=1000-", unsatisfiable],
    ["bytes=-0", unsatisfiable],
    ["bytes=5-3", whole],
    ["bytes=-", whole],
    ["bytes=0-1,5-6", whole],
    ["bytes=a-b", whole],
    ["items=0-5", whole],
    ["bytes=99999999999999999999-", whole],
    [`bytes=${"0".repeat(8_000)}-1`, whole],
  ])("%s", (range, expected) => {
    assert.deepStrictEqual(partOf(range, 1_000), expected as never)
  })
})
