/** The settings of every test: the run's PostgreSQL, the test file's own databases and folder, and any free port. */
import { ConfigProvider } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"

export const testConfig = (env: Record<string, string>): ConfigProvider.ConfigProvider => {
  const database = new URL(inject("postgres"))
  database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  return ConfigProvider.fromEnvRecord({
    DATABASE_URL: database.href,
    DATABASE_MAX_CONNECTIONS: "40",
    PARLEY_DATA_DIR: mkdtempSync(join(tmpdir(), "parley-test-data-")),
    PORT: "0",
    LOG_LEVEL: "Error",
    LAB_SPEED: "60",
    // Silero does not recognise the tests' sounds as voices, and would start a process for each server.
    PARLEY_VOICE_DETECTION: "level",
    // The end of a test file does not wait for calls.
    DRAIN_SECONDS: "0",
    ...env,
  })
}
