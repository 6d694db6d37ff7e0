/** The accounts of the installation as an operator sees them: state, size, schema and whether one is busy. */
import { Effect, Schema } from "effect"
import { busyIn } from "../tenancy/AccountDatabases.ts"
import { DatabaseServer } from "../tenancy/DatabaseServer.ts"
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
    database: Schema.String,
    has_database: Schema.Boolean,
    bytes: Schema.NullOr(Schema.Finite),
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
  const server = yield* DatabaseServer
  const master = yield* MasterKey
  const rows = yield* Rows.all(Row)(platform`
    select a.id, a.slug, a.name, a.database, a.schema_version, a.data_key,
      case when a.deleting_at is null then a.status else 'deleting' end as status, d.oid is not null as has_database,
      case when has_database_privilege(d.oid, 'connect') then pg_database_size(d.oid)::float8 end as bytes
    from accounts a left join pg_database d on d.datname = a.database order by a.slug`)
  return yield* Effect.forEach(
    rows,
    ({ data_key, has_database, ...row }) =>
      Effect.gen(function* () {
        const opened = Effect.sync(() => master.unwrap(row.id, data_key))
        return {
          ...row,
          has_database,
          is_key_right: yield* opened.pipe(
            Effect.as(true),
            Effect.catchDefect(() => Effect.succeed(false)),
          ),
          is_schema_newest: row.schema_version >= Migrations.newestOfTenant,
          busy: has_database
            ? yield* busyIn(server, row.database).pipe(Effect.catchTag("SqlError", () => Effect.succeed(null)))
            : null,
        }
      }),
    { concurrency: atOnce },
  )
})

export type AccountRow = Effect.Success<typeof read>[number]

/** What is wrong with the account, in one or a few words; empty if nothing is. */
export const troubleOf = (row: AccountRow): string =>
  [
    ...(row.has_database ? [] : ["no database"]),
    ...(row.is_key_right ? [] : ["another key"]),
    ...(row.is_schema_newest ? [] : ["old schema"]),
    ...(row.has_database && row.busy === null ? ["does not answer"] : []),
  ].join(", ")
