import { assert, describe, it } from "@effect/vitest"
import { outcomeOfSip } from "../../src/domain/SipOutcome.ts"

describe("the outcome of a refused call", () => {
  it.each([
    [486, null, "busy"],
    [600, null, "busy"],
    [603, null, "rejected"],
    [607, null, "rejected"],
    [404, null, "invalid_number"],
    [484, null, "invalid_number"],
    [604, null, "invalid_number"],
    [480, null, "no_answer"],
    [408, null, "no_answer"],
    [487, null, "no_answer"],
    [403, null, "carrier_error"],
    [503, null, "carrier_error"],
    // What the telephone network said counts more than what a gateway made of it.
    [480, 17, "busy"],
    [480, 19, "no_answer"],
    [500, 21, "rejected"],
    [503, 1, "invalid_number"],
    // Unless it says nothing about the end.
    [486, 31, "busy"],
    [503, 34, "carrier_error"],
  ] as const)("%i with cause %s is %s", (code, cause, outcome) => {
    assert.strictEqual(outcomeOfSip(code, cause), outcome)
  })
})
