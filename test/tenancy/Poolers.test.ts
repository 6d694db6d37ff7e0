/** Parley behind PgBouncer: refused with the reason, by the server and by `parley doctor`. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { command } from "../support/Command.ts"
import { debianPostgres, type DebianPostgres, debianPostgresFault } from "../support/DebianPostgres.ts"
import { pgbouncer, pgbouncerFault } from "../support/Pgbouncer.ts"
import { emptyFolder, start } from "../support/Process.ts"

const ignored = "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout"

describe.skipIf((debianPostgresFault ?? pgbouncerFault) !== undefined)("a connection pooler", () => {
  let server: DebianPostgres
  beforeAll(async () => {
    server = await debianPostgres()
  }, 60_000)
  afterAll(() => server.stop())

  const env = (url: string) => ({
    DATABASE_URL: url,
    PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    PARLEY_DATA_DIR: emptyFolder(),
    DATABASE_MAX_CONNECTIONS: "20",
  })

  it.each([
    ["in transaction mode", ["pool_mode = transaction", ignored], /gives each transaction another session/],
    ["in session mode, without time limits", ["pool_mode = session", ignored], /does not pass on the settings/],
    ["as it is shipped", [], /does not pass on the settings of Parley's sessions/],
  ] as const)(
    "%s is refused with what to do, at a start and by the doctor",
    async (_, settings, reason) => {
      const pooler = await pgbouncer(server.url, settings)
      try {
        const { ended, said } = start(env(pooler.url))
        assert.strictEqual(await ended, 1)
        assert.match(said(), reason)
        assert.match(said(), /Connect to PostgreSQL directly/)
        const { code, out } = await command(env(pooler.url), ["doctor"])
        assert.strictEqual(code, 1)
        assert.match(out, /^problem +connection: Parley cannot use the PostgreSQL server/m)
        assert.match(out, reason)
        assert.notInclude(out + said(), "secret")
      } finally {
        pooler.stop()
      }
    },
    60_000,
  )
})
