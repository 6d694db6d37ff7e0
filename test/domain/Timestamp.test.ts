/** Timestamps as clients write them. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { TimestampInput } from "../../src/domain/Timestamp.ts"
import * as Fields from "../../src/rpc/inputs/Fields.ts"

describe("a timestamp", () => {
  it.each([
    ["2026-11-21T10:00:00Z", true],
    ["9999-12-31T23:59:59Z", true],
    ["0000-01-01T00:00:00Z", true],
    // In UTC these are in the years 10000 and -1, and the answer would be no RFC 3339.
    ["9999-12-31T23:59:59-05:00", false],
    ["0000-01-01T00:00:00+01:00", false],
  ])("%s is accepted by REST and the router only if it can be answered in UTC", (text, isAccepted) => {
    assert.strictEqual(Schema.is(TimestampInput)(text), isAccepted)
    assert.strictEqual(Fields.Timestamp.safeParse(text).success, isAccepted)
  })
})
