import { availableParallelism } from "node:os"
import { configDefaults, defineConfig } from "vitest/config"
import { isFull } from "./test/support/Dose.ts"
import { SlowFirst } from "./test/support/SlowFirst.ts"
import { TriedAgain } from "./test/support/TriedAgain.ts"

const isCi = process.env["CI"] === "true"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Runs of two processes under every fault, which take some two minutes each.
    exclude: isFull ? configDefaults.exclude : [...configDefaults.exclude, "test/chaos/chaos*.test.ts"],
    globalSetup: ["test/support/PostgresOfRun.ts"],
    // Only what hangs is ended by these: a process that starts in 3 s takes 30 s where ten others want the same two cores.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // CI tries a failed test once more, and names those that passed only then: on a busy machine the state of an account
    // may change between two requests that a test compares. What is broken fails twice.
    retry: isCi ? 1 : 0,
    reporters: ["default", new TriedAgain()],
    // A file waits for half of its time, so two cores serve four. With five on two cores, telephones of tests lost what
    // they heard; the processes that other tests start yield to them (test/support/Process.ts).
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowFirst },
    // Files share no state but modules, and loading these anew for each file took half of the suite's processor time.
    isolate: false,
  },
})
