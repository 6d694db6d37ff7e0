/** Short chaos runs: over each carrier with a new seed, which is printed, and one with a fixed seed. */
import { assert, describe, it } from "@effect/vitest"
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import * as Report from "./Report.ts"
import * as Run from "./Run.ts"

const fresh = Date.now() % 1_000_000
const runs = [
  { carrier: "twilio", seed: fresh },
  { carrier: "twilio", seed: 1 },
  { carrier: "twilio-stream", seed: fresh },
  { carrier: "sip", seed: fresh },
] as const

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
