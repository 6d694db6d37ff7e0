import { assert, describe, it } from "@effect/vitest"
import { q850CauseOf } from "../../../src/telephony/sip/Reason.ts"

describe("the Reason field", () => {
  it.each([
    ['Q.850;cause=17;text="User busy"', 17],
    ["q.850 ; cause = 1", 1],
    ["Q.850;text=busy;cause=21", 21],
    ['SIP;cause=200;text="Call completed elsewhere"', null],
    ["Q.850", null],
    [undefined, null],
  ] as const)("the cause of %s is %s", (reason, cause) => {
    assert.strictEqual(q850CauseOf(reason), cause)
  })
})
