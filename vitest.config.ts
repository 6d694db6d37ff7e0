import { configDefaults, defineConfig } from "vitest/config"
import { isFull } from "./test/support/Dose.ts"
import { SlowFirst } from "./test/support/SlowFirst.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two minutes of two processes under every fault; the full dose has two runs of it.
    exclude: isFull ? configDefaults.exclude : [...configDefaults.exclude, "test/chaos/chaos.test.ts"],
    globalSetup: ["test/support/PostgresOfRun.ts"],
    // Only what hangs is ended by these: a process that starts in 3 s takes 30 s where ten others want the same two cores.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A file waits for a third of its time, so two cores serve three. With five, telephones of tests lost what they heard.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // Files share no state but modules, and loading these anew for each file took half of the suite's processor time.
    isolate: false,
  },
})
