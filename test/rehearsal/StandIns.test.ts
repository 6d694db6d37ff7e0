/** The answers of tools in a scenario. */
import { assert, describe, it } from "@effect/vitest"
import * as StandIns from "../../src/rehearsal/StandIns.ts"
import { kit, tool } from "../support/Kit.ts"

describe("a tool without a stand-in", () => {
  it("is not changed, whatever its name", () => {
    const tools = [tool("constructor", { is_default: false, implementation_type: "http" })]
    assert.deepStrictEqual(StandIns.kitWith(kit({}, { tools }), {}).tools, tools)
  })
})
