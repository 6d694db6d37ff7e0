import { assert, describe, it } from "vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { fatal, open, refused } from "./imports.ts"

interface Breach {
  readonly names: ReadonlyArray<string>
  readonly outcomes: Readonly<Record<string, unknown>>
  readonly pastTheGate: ReadonlyArray<string>
  readonly growsPastTheLimit: unknown
  readonly makesAFileWritable: unknown
}

describe("the import gate, when a tool owns all memory and calls what it likes,", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", "test/tools/sandbox/breach.ts"])
  const breach: Breach = JSON.parse(stdout)
  const namesThat = (is: (outcome: unknown) => boolean) =>
    Object.keys(breach.outcomes).filter((name) => is(breach.outcomes[name]))

  it("knows every import of the module", () => {
    assert.deepStrictEqual(breach.names.toSorted(), [...open, ...refused, ...fatal].toSorted())
  })
  it("ends the process at those that reach JavaScript", () => {
    assert.deepStrictEqual(namesThat((outcome) => outcome === "ends").toSorted(), [...fatal].toSorted())
  })
  it("answers others with a number, and does nothing", () => {
    assert.deepStrictEqual(namesThat((outcome) => typeof outcome === "number").toSorted(), [...refused].toSorted())
  })
  it("bounds those that are open within bounds", () => {
    assert.strictEqual(breach.growsPastTheLimit, 0)
    assert.strictEqual(breach.makesAFileWritable, -28)
  })
  it("stands before every function of JavaScript that is in the table of functions", () => {
    assert.deepStrictEqual(breach.pastTheGate, [])
  })
})
