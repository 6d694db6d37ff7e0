/**
 * Detects a connection pooler that gives each transaction another session, such as PgBouncer in transaction mode.
 * Behind one, Parley's notices (LISTEN), prepared statements and session settings would be lost without an error.
 */
import { Effect, Redacted } from "effect"
import pg from "pg"

/** If the session of one of two connections changes within this many transactions, a pooler is in between. */
const tries = 3

const why =
  "a connection pooler such as PgBouncer gives each transaction another session, and Parley needs sessions of its own for notices, prepared statements and time limits. Connect to PostgreSQL directly: Parley has pools of its own (DATABASE_MAX_CONNECTIONS)"
const whyOfSettings =
  "a connection pooler such as PgBouncer does not pass on the settings of Parley's sessions, such as time limits. Connect to PostgreSQL directly: Parley has pools of its own (DATABASE_MAX_CONNECTIONS)"

/**
 * A `statement_timeout` in milliseconds, set when the session starts. If it is missing later, a pooler ignored it
 * (`ignore_startup_parameters`).
 */
const limit = 4_321

const connect = async (url: string) => {
  const client = new pg.Client({
    connectionString: url,
    application_name: "parley:pooler-check",
    connectionTimeoutMillis: 10_000,
    statement_timeout: limit,
  })
  client.on("error", () => {})
  await client.connect()
  return client
}

const sessionOf = async (client: pg.Client): Promise<{ readonly pid: number; readonly limit: string }> =>
  (await client.query("select pg_backend_pid() as pid, current_setting('statement_timeout') as limit")).rows[0]

const look = async (url: string): Promise<string | undefined> => {
  const clients: Array<pg.Client> = []
  try {
    for (let count = 0; count < 2; count++) clients.push(await connect(url))
    const [client, other] = clients as [pg.Client, pg.Client]
    const first = await sessionOf(client)
    for (let again = 0; again < tries; again++) {
      await other.query("begin")
      // The other connection now has a server session. If that was the session of the first one, the first one gets
      // another.
      await sessionOf(other)
      const { pid } = await sessionOf(client)
      await other.query("commit")
      if (pid !== first.pid) return why
    }
    return first.limit === `${limit}ms` ? undefined : whyOfSettings
  } catch (error) {
    // Any other error is left to the first real statement, which reports it.
    return error instanceof Error && error.message.includes("unsupported startup parameter") ? whyOfSettings : undefined
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

/** Returns why Parley cannot use the server at this address; undefined if there is no such pooler. */
export const findPooler = (url: Redacted.Redacted): Effect.Effect<string | undefined> =>
  Effect.promise(() => look(Redacted.value(url)))
