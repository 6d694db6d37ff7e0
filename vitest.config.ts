import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/PostgresOfRun.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A file is a server of its own with a database of its own; more than the cores only makes each slower.
    maxWorkers: 2,
  },
})
