/**
 * Copies all rows of a database into an empty one of the same schema, by COPY between two connections. It needs no
 * `pg_dump`, works between versions of PostgreSQL, and holds nothing in memory.
 */
import { Data, Effect, type Redacted, Schema } from "effect"
import { finished, pipeline } from "node:stream/promises"
import type pg from "pg"
import { from as copyFrom, to as copyTo } from "pg-copy-streams"
import { close, connect, sqlError } from "./Copy.ts"
import * as Rows from "./Rows.ts"

/** The two databases differ although their schemas should be the same, or rows are missing after the copy. */
export class CopyDiffers extends Data.TaggedError("CopyDiffers")<{ readonly why: string }> {
  override get message() {
    return `The copy is not the same: ${this.why}.`
  }
}

export interface CopiedRows {
  readonly tables: number
  readonly rows: number
}

const Table = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.String),
  /** The tables that its foreign keys refer to, without itself. */
  after: Schema.Array(Schema.String),
})
type Table = typeof Table.Type

const Sequence = Schema.Struct({ name: Schema.String, last: Schema.String })

/** Tables that the migrations of the target write. They are compared, not copied. */
const ofSchema = ["schema_functions", "schema_migrations"]

const query = (client: pg.Client, text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.tryPromise({ try: () => client.query(text, [...values]), catch: sqlError }).pipe(
    Effect.map(({ rows }): ReadonlyArray<unknown> => rows),
  )

const tablesOf = (client: pg.Client) =>
  Rows.all(Table)(
    query(
      client,
      `select c.relname as name,
       (select json_agg(a.attname order by a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       coalesce((select json_agg(distinct r.relname) from pg_constraint k join pg_class r on r.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid), '[]') as after
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all($1)
     order by c.relname`,
      [ofSchema],
    ),
  )

/** Sorts tables so that each comes after those that its foreign keys refer to. Fails if tables refer to each other. */
const sortByReferences = (tables: ReadonlyArray<Table>) => {
  const ordered: Array<Table> = []
  const left = new Set(tables)
  while (left.size > 0) {
    const names = new Set([...left].map(({ name }) => name))
    const next = [...left].filter(({ after }) => after.every((name) => !names.has(name)))
    if (next.length === 0) return new CopyDiffers({ why: `the tables ${[...names].join(", ")} refer to each other` })
    for (const table of next) {
      ordered.push(table)
      left.delete(table)
    }
  }
  return Effect.succeed(ordered)
}

const quoted = (name: string) => `"${name}"`

const copyTable = (source: pg.Client, target: pg.Client, { columns, name }: Table) =>
  Effect.tryPromise({
    try: async (signal) => {
      const list = columns.map(quoted).join(", ")
      const out = source.query(copyTo(`copy ${quoted(name)} (${list}) to stdout`))
      const into = target.query(copyFrom(`copy ${quoted(name)} (${list}) from stdin`))
      await pipeline(out, into, { signal })
      await finished(into)
      if (out.rowCount !== into.rowCount) {
        throw new CopyDiffers({ why: `${name} has ${out.rowCount} rows, and ${into.rowCount} arrived` })
      }
      return into.rowCount ?? 0
    },
    catch: (error) => (error instanceof CopyDiffers ? error : sqlError(error)),
  })

/** Compares the schemas: their migrations and functions, and the columns of all tables. */
const refuseOtherSchema = Effect.fnUntraced(function* (source: pg.Client, target: pg.Client) {
  const describe = (client: pg.Client) =>
    Effect.all([
      query(client, "select migration_id, name from schema_migrations order by migration_id"),
      query(client, "select name, digest from schema_functions order by name"),
      tablesOf(client),
    ])
  const [there, here] = [yield* describe(source), yield* describe(target)]
  if (JSON.stringify(there) !== JSON.stringify(here)) return yield* new CopyDiffers({ why: "the schemas differ" })
})

/** Sequences are not rows; the next value of each follows from the source. */
const copySequences = Effect.fnUntraced(function* (source: pg.Client, target: pg.Client) {
  const found = yield* Rows.all(Sequence)(
    query(
      source,
      "select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public' and last_value is not null",
    ),
  )
  for (const { last, name } of found) {
    yield* query(target, "select setval(format('public.%I', $1::text)::regclass, $2::bigint)", [name, last])
  }
})

/**
 * Copies everything in one transaction on each side. Reads the source as its owner in one snapshot. The triggers of the
 * target do not fire: what they would write is among the rows. Afterwards the target has no statistics yet. Fails if
 * the schemas differ, or if rows are missing.
 */
export const copyRows = Effect.fn("RowCopy.copyRows")(function* (urls: {
  readonly source: Redacted.Redacted
  readonly target: Redacted.Redacted
}) {
  const open = (url: Redacted.Redacted) =>
    Effect.acquireRelease(
      connect(url, "parley:move", {
        statement_timeout: 0,
        idle_in_transaction_session_timeout: 0,
        lock_timeout: 0,
      }),
      close,
    )
  const [source, target] = [yield* open(urls.source), yield* open(urls.target)]
  for (const client of [source, target]) yield* query(client, "set timezone = 'UTC'")
  yield* query(source, "begin isolation level repeatable read read only")
  yield* query(target, "begin")
  yield* refuseOtherSchema(source, target)
  const tables = yield* sortByReferences(yield* tablesOf(source))
  const names = tables.map(({ name }) => quoted(name))
  // The migrations have written shipped rows and the only rows of some tables.
  yield* query(target, `truncate ${names.join(", ")}`)
  for (const name of names) yield* query(target, `alter table ${name} disable trigger user`)
  let rows = 0
  for (const table of tables) {
    rows += yield* copyTable(source, target, table)
  }
  yield* copySequences(source, target)
  for (const name of names) yield* query(target, `alter table ${name} enable trigger user`)
  yield* query(target, "commit")
  return { tables: tables.length, rows } satisfies CopiedRows
}, Effect.scoped)
