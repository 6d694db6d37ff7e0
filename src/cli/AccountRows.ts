/** The accounts of the installation as an operator sees them: state, size, schema and whether one is busy. */
import { Effect, Option, Schema } from "effect"
import { busyIn } from "../tenancy/AccountDatabases.ts"
import { DatabaseServers, type Whereabouts } from "../tenancy/DatabaseServers.ts"
import { MasterKey } from "../tenancy/MasterKey.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as Rows from "../tenancy/Rows.ts"

const Row = Schema.toType(
  Schema.Struct({
    id: Schema.String,
    slug: Schema.String,
    name: Schema.String,
    status: Schema.String,
    server: Schema.NullOr(Schema.String),
    database: Schema.String,
    /** The step of a move to another server; null if the account is not moving. */
    move: Schema.NullOr(Schema.String),
    schema_version: Schema.Int,
    data_key: Schema.Uint8Array,
  }),
)

/** Databases that are examined at the same time, each over one connection. */
const atOnce = 8

/**
 * Reads all accounts by slug, including those that are being deleted. `busy` is null if the account's database does not
 * answer.
 */
export const read = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  const servers = yield* DatabaseServers
  const master = yield* MasterKey
  const rows = yield* Rows.all(Row)(platform`
    select a.id, a.slug, a.name, a.server, a.database, a.schema_version, a.data_key, m.step as move,
      case when a.deleting_at is null then a.status else 'deleting' end as status
    from accounts a left join account_moves m on m.account_id = a.id order by a.slug`)
  const sizes = yield* sizesOf(rows)
  return yield* Effect.forEach(
    rows,
    ({ data_key, ...row }) =>
      Effect.gen(function* () {
        const { answers, bytes, has_database } = sizes(row)
        const opened = Effect.sync(() => master.unwrap(row.id, data_key))
        return {
          ...row,
          has_database,
          bytes,
          is_key_right: yield* opened.pipe(
            Effect.as(true),
            Effect.catchDefect(() => Effect.succeed(false)),
          ),
          is_schema_newest: row.schema_version >= Migrations.newestOfTenant,
          busy:
            answers && has_database
              ? yield* servers.find(row.server).pipe(
                  Effect.flatMap((server) => busyIn(server, row.database)),
                  Effect.catchTag("SqlError", () => Effect.succeed(null)),
                )
              : null,
        }
      }),
    { concurrency: atOnce },
  )
})

const Size = Schema.Struct({ database: Schema.String, bytes: Schema.NullOr(Schema.Finite) })

/**
 * Asks each server once for the sizes of its databases. A server that cannot be asked counts as having the databases,
 * whose sizes are then unknown.
 */
const sizesOf = Effect.fnUntraced(function* (rows: ReadonlyArray<typeof Row.Type>) {
  const servers = yield* DatabaseServers
  const byServer = new Map<string | null, ReadonlyMap<string, number | null>>()
  for (const [name, there] of Map.groupBy(rows, ({ server }) => server)) {
    const found = yield* servers.find(name).pipe(
      Effect.flatMap(({ maintenance: sql }) =>
        Rows.all(Size)(sql`
          select datname::text as database,
            case when has_database_privilege(oid, 'connect') then pg_database_size(oid)::float8 end as bytes
          from pg_database where datname = any(${there.map(({ database }) => database)})`),
      ),
      Effect.timeout("10 seconds"),
      Effect.option,
    )
    if (Option.isSome(found)) byServer.set(name, new Map(found.value.map(({ bytes, database }) => [database, bytes])))
  }
  return ({ database, server }: Whereabouts) => {
    const sizes = byServer.get(server)
    if (sizes === undefined) return { answers: false, has_database: true, bytes: null }
    return { answers: true, has_database: sizes.has(database), bytes: sizes.get(database) ?? null }
  }
})

export type AccountRow = Effect.Success<typeof read>[number]

/** What is wrong with the account, in one or a few words; empty if nothing is. */
export const troubleOf = (row: AccountRow): string =>
  [
    ...(row.move === null ? [] : [`moving (${row.move})`]),
    ...(row.has_database || row.move !== null ? [] : ["no database"]),
    ...(row.is_key_right ? [] : ["another key"]),
    ...(row.is_schema_newest ? [] : ["old schema"]),
    ...(row.has_database && row.busy === null ? ["does not answer"] : []),
  ].join(", ")
