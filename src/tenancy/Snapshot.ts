/**
 * A snapshot of an account's database, for reading all of it. PostgreSQL writes the rows as JSON and sends them by
 * COPY, so that this process neither parses nor holds them.
 */
import { Effect, Schema, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { to as copyTo } from "pg-copy-streams"
import { close, connect, sqlError } from "./Copy.ts"
import type { Login } from "./DatabaseServer.ts"
import { DatabaseServers, type Whereabouts } from "./DatabaseServers.ts"
import * as Rows from "./Rows.ts"

export interface Column {
  readonly name: string
  readonly type: string
  /** Whether it belongs to the primary key. */
  readonly is_key: boolean
}

export interface Snapshot {
  /** The columns of a table that a client can write, in their order. Empty if there is no such table. */
  readonly columnsOf: (table: string) => Effect.Effect<ReadonlyArray<Column>, SqlError.SqlError>
  readonly query: (text: string) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
  /**
   * The rows of a table as lines of JSON, each with a line feed, in the order of its primary key. A chunk may end
   * anywhere in a line. One table at a time.
   */
  readonly lines: (table: string, columns: ReadonlyArray<Column>) => AsyncIterable<Buffer>
}

/**
 * SQL for a column. Each row has to be one line of text, but a `json` value keeps the line feeds that it was written
 * with. They are replaced by spaces.
 */
const expressionOf = ({ name, type }: Column): string =>
  type === "json" ? `translate("${name}"::text, e'\\n\\r', '  ')::json as "${name}"` : `"${name}"`

/**
 * In the CSV format, COPY writes a value unchanged unless it contains the quote, the delimiter or a line feed. These
 * two characters do not occur in JSON, which escapes them.
 */
const asLines = `(format csv, quote e'\\x01', delimiter e'\\x02')`

const ColumnRow = Schema.Struct({ name: Schema.String, type: Schema.String, is_key: Schema.Boolean })

const names = (columns: ReadonlyArray<Column>) => columns.map(({ name }) => `"${name}"`).join(", ")

/** Opens a separate connection with a read-only transaction on one snapshot, until the scope closes. */
export const open = Effect.fnUntraced(function* (
  place: Whereabouts,
  login?: Login,
): Effect.fn.Return<Snapshot, SqlError.SqlError, DatabaseServers | Scope.Scope> {
  const url = yield* DatabaseServers.use(({ urlOf }) => urlOf(place, login))
  const client = yield* Effect.acquireRelease(
    connect(url, `parley:snapshot:${place.database}`, { statement_timeout: 0 }),
    close,
  )
  const query = (text: string, values: ReadonlyArray<unknown> = []) =>
    Effect.tryPromise({ try: () => client.query(text, [...values]), catch: sqlError }).pipe(
      Effect.map(({ rows }): ReadonlyArray<unknown> => rows),
    )
  // No limit, because the reader may be slow: between two statements it may take as long as a file takes to be written.
  yield* query("set idle_in_transaction_session_timeout = 0")
  yield* query("set timezone = 'UTC'")
  yield* query("begin isolation level repeatable read read only")
  return {
    query,
    columnsOf: (table) =>
      Rows.all(ColumnRow)(
        query(
          `select attname as name, format_type(atttypid, null) as type,
             coalesce((select attnum = any (conkey) from pg_constraint where conrelid = attrelid and contype = 'p'),
               false) as is_key
           from pg_attribute
           where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = ''
           order by attnum`,
          [`public.${table}`],
        ),
      ),
    lines: (table, columns) =>
      client.query(
        copyTo(
          `copy (select row_to_json(r) from (select ${columns.map(expressionOf).join(", ")} from "${table}"
             order by ${names(columns.filter(({ is_key }) => is_key))}) r) to stdout ${asLines}`,
        ),
      ),
  }
})
