/** Two short runs of chaos: one with a seed that is new each time and printed, one with a seed that never changes. */
import { assert, describe, it } from "@effect/vitest"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import * as Report from "./Report.ts"
import * as Run from "./Run.ts"

const seeds = [Date.now() % 1_000_000, 1]

describe("two processes, their database and their carrier under every fault (I1–I17)", () => {
  it.each(seeds)(
    "keep every promise, seed %i",
    async (seed) => {
      const log = (line: string) => console.log(`chaos ${seed}: ${line}`)
      const short = { processes: 2, accounts: 2, contacts: 8, seconds: 20, carrier: "twilio" } as const
      const { file, history } = await Run.run({ ...short, seed, log })
      const { lines, violations } = Report.of(history)
      console.log([`seed        ${seed}`, ...lines].join("\n"))
      if (violations === 0) rmSync(dirname(file), { recursive: true })
      assert.strictEqual(violations, 0, `violations; judge again with: npm run chaos -- --history ${file}`)
    },
    600_000,
  )
})
