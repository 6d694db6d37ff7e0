/** What counts as being in what was found. */
import { assert, describe, it } from "@effect/vitest"
import { Budget } from "../../src/offload/Budget.ts"
import { contains } from "../../src/rehearsal/Checks.ts"

describe("a wanted value is in a given one", () => {
  const given = { outcome: { day: "2027-03-14", seats: [1, 2], note: "By the window, please" }, sure: null }

  it.each([
    ["a part of an object", { outcome: { day: "2027-03-14" } }],
    ["nothing of it", {}],
    ["a list, place by place", { outcome: { seats: [1, 2] } }],
    ["a null", { sure: null }],
    ["a pattern, upper and lower case alike", { outcome: { note: { $matches: "^by the (door|window)" } } }],
  ])("%s", (_, wanted) => assert.isTrue(contains(given, wanted, new Budget(1_000))))

  it.each([
    ["another value", { outcome: { day: "2027-03-15" } }],
    ["a key too many", { outcome: { chairs: 2 } }],
    ["a list that is shorter", { outcome: { seats: [1] } }],
    ["a null for nothing", { never: null }],
    ["a number for its text", { outcome: { seats: ["1", "2"] } }],
    ["a pattern on what is no text", { outcome: { seats: { $matches: "1" } } }],
    ["an object for a text", { outcome: { day: {} } }],
  ])("not %s", (_, wanted) => assert.isFalse(contains(given, wanted, new Budget(1_000))))
})
