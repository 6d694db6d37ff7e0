import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/PostgresOfRun.ts"],
    // Only what hangs is ended by these: a process that starts in 3 s takes 30 s where ten others want the same two cores.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A file is a server of its own with a database of its own; more than the cores only makes each slower.
    maxWorkers: 2,
    // Files share no state but modules, and loading these anew for each file took half of the suite's processor time.
    isolate: false,
  },
})
