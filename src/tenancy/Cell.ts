/**
 * The cell of this process (`PARLEY_CELL`, decision 0068): the PostgreSQL server whose accounts it serves. Without one,
 * it serves the accounts on all servers, as the `parley` command always does.
 */
import { Config, Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { DatabaseServers, platformServer } from "./DatabaseServers.ts"

export interface Cell {
  /** The server's name; null for a process that serves all accounts. */
  readonly name: string | null
  /** The server; null for the platform's own, also for a process that serves all accounts. */
  readonly server: string | null
  /** Whether this process serves the accounts on the server; null for the platform's own. */
  readonly serves: (server: string | null) => boolean
  /** Whether this process serves the row `a` of `accounts`. */
  readonly isServed: (sql: SqlClient.SqlClient) => Statement.Fragment
}

/** The cell that serves the accounts on a server; null for the platform's own. */
export const cellOf = (server: string | null): string => server ?? platformServer

/** The cell that serves the row `a` of `accounts`. A literal, because the index `accounts_by_cell` has this expression. */
export const cellOfRow = (sql: SqlClient.SqlClient) => sql.literal(`coalesce(a.server, '${platformServer}')`)

const make = (name: string | null): Cell => ({
  name,
  server: name === platformServer ? null : name,
  serves: (server) => name === null || cellOf(server) === name,
  isServed: (sql) => (name === null ? sql`true` : sql`${cellOfRow(sql)} = ${name}`),
})

export const Cell = Context.Reference<Cell>("tenancy/Cell", { defaultValue: () => make(null) })

const ServerName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,62}$/u, { message: "must be the name of a PostgreSQL server" }),
)
const Name = Config.schema(ServerName, "PARLEY_CELL")

/** The cell that the environment names. */
export const layer = Layer.effect(
  Cell,
  Effect.map(Config.option(Name), (name) => make(Option.getOrNull(name))),
)

class UnknownCell extends Schema.TaggedError<UnknownCell>()("UnknownCell", { name: Schema.String }) {
  override get message() {
    return `PARLEY_CELL is ${this.name}, and no PostgreSQL server of this name is registered. \`parley servers list\` shows the servers.`
  }
}

/** Fails if the cell of this process is not the name of a server. */
export const refuseUnknown = Effect.gen(function* () {
  const { name } = yield* Cell
  if (name === null || name === platformServer) return
  const servers = yield* DatabaseServers.use(({ registered }) => registered)
  if (!servers.some((server) => server.name === name)) return yield* new UnknownCell({ name })
})
