/** An installation on two PostgreSQL servers, its processes and its command, and moves held at a step. */
import { assert } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import pg from "pg"
import { query } from "./AccountDatabase.ts"
import { type Answer, begin, command, type Running } from "./Command.ts"
import { type DebianPostgres, debianPostgres } from "./DebianPostgres.ts"
import { emptyFolder, hasEnded, type Process, start } from "./Process.ts"
import { speak } from "./TestServer.ts"
import { until } from "./Until.ts"

/** A superuser's transaction that holds locks. */
export interface Held {
  readonly commit: () => Promise<void>
  /** Rolls back. */
  readonly release: () => Promise<void>
}

export const urlAt = (server: DebianPostgres, user: string, database: string): URL => {
  const url = new URL(server.url)
  url.username = user
  url.pathname = `/${database}`
  return url
}

/** A new server whose databases are closed to the roles of accounts, as docs/operations.md asks. */
export const closedServer = async (): Promise<DebianPostgres> => {
  const server = await debianPostgres({ fsync: "on" })
  server.asSuperuser("revoke connect on database postgres, template1 from public")
  server.asSuperuser("grant connect on database postgres to parley")
  return server
}

/** Begins a transaction that holds what `statement` locks. */
export const hold = async (server: DebianPostgres, database: string, statement: string): Promise<Held> => {
  const client = new pg.Client(urlAt(server, "postgres", database).href)
  // Its server may crash meanwhile.
  client.on("error", () => {})
  await client.connect()
  await client.query("begin")
  await client.query(statement)
  return {
    commit: async () => {
      await client.query("commit")
      await client.end()
    },
    release: () => client.end(),
  }
}

export const lockCatalog = "lock table pg_database in share row exclusive mode"

/** Waits until a statement of a move waits for a lock. */
export const waitsForLock = (server: DebianPostgres) =>
  until(
    () =>
      server.asSuperuser(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and application_name in ('parley:move', 'parley:platform', 'parley:maintenance')",
      ).length > 0,
  )

/** The database of that name, the one that a move sets aside, and the account's role, as far as they exist. */
export const databasesOn = (server: DebianPostgres, database: string) =>
  server.asSuperuser(
    `select datname from pg_database where datname in ('${database}', 'parley_moving_${database.slice(-16)}')
     union all select 'role ' || rolname from pg_roles where rolname = '${database}' order by 1`,
  )

export type Installation = Awaited<ReturnType<typeof installationOn>>

/** `home` is the platform's own server, on which Parley uses the role `user`; `away` is registered as `pg2`. */
export const installationOn = async (
  home: DebianPostgres,
  away: DebianPostgres,
  { platform = "parley", user = "parley" } = {},
) => {
  const key = randomBytes(32).toString("base64")
  const env: Record<string, string> = {
    PARLEY_ENCRYPTION_KEY: key,
    DATABASE_MAX_CONNECTIONS: "20",
    PARLEY_DATA_DIR: emptyFolder(),
    DATABASE_URL: urlAt(home, user, platform).href,
  }
  const pg2 = { PARLEY_SERVER_URL: urlAt(away, user, "postgres").href }
  const processes: Array<Process> = []

  const run = (...args: ReadonlyArray<string>): Promise<Answer> => command({ ...env, ...pg2 }, args)
  const succeed = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { code, err, out } = await run(...args)
    assert.strictEqual(code, 0, `${args.join(" ")}: ${err}`)
    return out
  }
  const startParley = async (own: Record<string, string> = {}) => {
    const parley = start({ ...env, LAB_SPEED: "20", DRAIN_SECONDS: "5", ...own })
    processes.push(parley)
    return { parley, http: speak(await parley.ready) }
  }
  const inPlatform = (statement: string, values?: ReadonlyArray<unknown>) =>
    query(urlAt(home, user, platform), statement, values)
  const whereIs = async (slug: string) =>
    (await inPlatform("select database, server, moving, status from accounts where slug = $1", [slug]))[0]
  const moveOf = async (slug: string): Promise<string | undefined> => {
    const [row] = await inPlatform(
      "select step from account_moves m join accounts a on a.id = m.account_id where slug = $1",
      [slug],
    )
    return row?.step
  }
  const isStep = (slug: string, step: string) => until(async () => (await moveOf(slug)) === step)
  const move = (slug: string, to = "pg2"): Running => begin({ ...env, ...pg2 }, ["accounts", "move", slug, "--to", to])

  /** Begins to move the account to `pg2`, and holds the move where its rows are being copied: the account is away. */
  const whileCopied = async (slug: string) => {
    const { database } = await whereIs(slug)
    const running = move(slug)
    await isStep(slug, "draining")
    const table = await hold(away, database, "lock table contacts")
    await isStep(slug, "away")
    await waitsForLock(away)
    return { running, table }
  }

  return {
    ...{ env, home, key, platform, user, pg2 },
    ...{ inPlatform, isStep, move, moveOf, run, startParley, succeed, whereIs, whileCopied },
    /** Ends the processes that still run, as a deploy does. */
    stopParleys: async () => {
      for (const parley of processes.splice(0)) {
        if (hasEnded(parley)) continue
        parley.child.kill("SIGTERM")
        assert.strictEqual(await parley.ended, 0)
      }
    },
    kill: () => {
      for (const { child } of processes) child.kill("SIGKILL")
    },
  }
}
