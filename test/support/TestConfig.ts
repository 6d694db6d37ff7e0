/** The settings of every test: the run's PostgreSQL, the test file's own databases and folder, and any free port. */
import { ConfigProvider, Effect, Layer } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import { query } from "./AccountDatabase.ts"

const newDatabase = (): URL => {
  const database = new URL(inject("postgres"))
  database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  return database
}

const configOf = (database: URL, env: Record<string, string>): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromEnvRecord({
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

/** Settings for parts that make no database. */
export const testConfig = (env: Record<string, string>): ConfigProvider.ConfigProvider => configOf(newDatabase(), env)

/** When the scope closes, the databases that were made by these settings are dropped: they may be in memory. */
export const testConfigLayer = (env: Record<string, string> = {}) =>
  Layer.unwrap(
    Effect.acquireRelease(Effect.sync(newDatabase), (database) => Effect.promise(() => dropAll(database))).pipe(
      Effect.map((database) => ConfigProvider.layer(configOf(database, env))),
    ),
  )

/** Drops the platform's database and those of its accounts. */
const dropAll = async (platform: URL): Promise<void> => {
  const run = new URL(inject("postgres"))
  const name = platform.pathname.slice(1)
  const found = await query(run, "select from pg_database where datname = $1", [name])
  if (found.length === 0) return
  const accounts = await query(platform, "select database from accounts")
  for (const database of [...accounts.map(({ database }) => database), name]) {
    await query(run, `drop database if exists ${pg.escapeIdentifier(String(database))} with (force)`)
  }
}
