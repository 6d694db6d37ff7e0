/** The PostgreSQL of a benchmark: embedded, in a temporary folder, shared by Parley and its peers. */
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { EmbeddedPostgres } from "../../../src/tenancy/EmbeddedPostgres.ts"

export interface Postgres {
  /** The URL of one of its databases, for the server's owner. */
  readonly urlOf: (database: string) => string
  readonly query: (database: string, text: string, values?: ReadonlyArray<unknown>) => Promise<Array<any>>
  readonly stop: () => Promise<void>
}

export const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Postgres> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
  const scope = Effect.runSync(Scope.make())
  const { url } = await Effect.runPromise(
    Layer.buildWithScope(EmbeddedPostgres.layer(folder, settings), scope).pipe(
      Effect.map(Context.get(EmbeddedPostgres)),
    ),
  )
  const urlOf = (database: string) => {
    const target = new URL(Redacted.value(url))
    target.pathname = `/${database}`
    return target.href
  }
  const query = async (database: string, text: string, values: ReadonlyArray<unknown> = []) => {
    const client = new pg.Client({ connectionString: urlOf(database) })
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  // Also after a failed benchmark, whose PostgreSQL must not outlive it.
  process.on("exit", () => {
    const pidFile = join(folder, "postgres/postmaster.pid")
    if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8").split("\n", 1)[0]), "SIGQUIT")
    rmSync(folder, { recursive: true, force: true })
  })
  return { urlOf, query, stop }
}
