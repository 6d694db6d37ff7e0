/** Short chaos runs as tests. */
import { assert, describe, it } from "@effect/vitest"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import * as Report from "./Report.ts"
import * as Run from "./Run.ts"

/** A new seed for each run of the tests. It is printed. */
export const fresh = Date.now() % 1_000_000

export const shortRuns = (runs: ReadonlyArray<Pick<Run.Options, "carrier" | "seed">>) =>
  describe("two processes, their database and their carrier under every fault (I1–I17)", () => {
    it.each(runs)(
      "keep every promise over $carrier, seed $seed",
      async ({ carrier, seed }) => {
        const log = (line: string) => console.log(`chaos ${carrier} ${seed}: ${line}`)
        const short = { processes: 2, accounts: 2, contacts: 8, seconds: 20 }
        const { file, history } = await Run.run({ ...short, carrier, seed, log })
        const { lines, violations } = Report.of(history)
        console.log([`seed        ${seed}`, ...lines].join("\n"))
        if (violations === 0) rmSync(dirname(file), { recursive: true })
        assert.strictEqual(violations, 0, `violations; judge again with: npm run chaos -- --history ${file}`)
      },
      600_000,
    )
  })
