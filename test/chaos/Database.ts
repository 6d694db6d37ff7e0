/**
 * The PostgreSQL of a chaos run: the embedded one with the settings that the product ships, fsync included. It can be
 * stopped as by a power failure, and restarted on the same folder.
 */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { EmbeddedPostgres } from "../../src/tenancy/EmbeddedPostgres.ts"

export interface Database {
  /** The URL of a database for the server's owner, through `port`. */
  readonly urlOf: (database: string, port?: number) => string
  readonly port: () => number
  /** Runs a statement on a direct connection, past the proxy. Fails while the server is down. */
  readonly query: <A = any>(database: string, text: string, values?: ReadonlyArray<unknown>) => Promise<Array<A>>
  /** Sends SIGQUIT: no checkpoint, no orderly shutdown. */
  readonly kill: () => void
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const platform = "parley"

/** Starts the server. `stop` deletes its files, but not its log. */
export const start = async (folder: string): Promise<Database> => {
  let scope = Effect.runSync(Scope.make())
  let url = new URL("postgres://localhost")
  const pools = new Map<string, pg.Pool>()

  const begin = async () => {
    scope = Effect.runSync(Scope.make())
    const built = Layer.buildWithScope(EmbeddedPostgres.layer(folder), scope)
    const server = await Effect.runPromise(Effect.map(built, Context.get(EmbeddedPostgres)))
    url = new URL(Redacted.value(server.url))
  }
  await begin()

  const urlOf = (database: string, port = Number(url.port)) => {
    const own = new URL(url)
    own.pathname = `/${database}`
    own.port = String(port)
    return own.href
  }
  const closePools = async () => {
    const all = [...pools.values()]
    pools.clear()
    await Promise.all(all.map((pool) => pool.end().catch(() => {})))
  }
  const close = async () => {
    await closePools()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  /** Pools are kept by URL, since a restarted server has another port. */
  const poolOf = (database: string) => {
    const address = urlOf(database)
    const open = pools.get(address)
    if (open !== undefined) return open
    const pool = new pg.Pool({ connectionString: address, max: 2, idleTimeoutMillis: 10_000 })
    pool.on("error", () => {})
    pools.set(address, pool)
    return pool
  }
  const pidFile = join(folder, "postgres/postmaster.pid")
  const postmaster = () => Number(readFileSync(pidFile, "utf8").split("\n", 1)[0])
  // Also after an interrupted run, whose server must not outlive it.
  process.on("exit", () => {
    if (existsSync(pidFile)) process.kill(postmaster(), "SIGQUIT")
  })
  return {
    urlOf,
    port: () => Number(url.port),
    query: async (database, text, values = []) => (await poolOf(database).query(text, [...values])).rows,
    kill: () => void process.kill(postmaster(), "SIGQUIT"),
    start: async () => {
      await close()
      await begin()
    },
    stop: async () => {
      await close()
      rmSync(join(folder, "postgres"), { recursive: true, force: true })
    },
  }
}
