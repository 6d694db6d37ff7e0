/** The platform's own database: the directory of accounts and memberships. Created and migrated at boot. */
import { Context, Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseServer, pool } from "./DatabaseServer.ts"
import * as Migrations from "./Migrations.ts"
import { OnlyExisting } from "./OnlyExisting.ts"

/** There is no platform database that this release can use, and this process must not create one. */
export class InstallationMissing extends Data.TaggedError("InstallationMissing")<{
  readonly database: string
  readonly why: string
}> {
  override get message() {
    return `The database ${this.database} has no installation that this release can use: ${this.why}.`
  }
}

/**
 * A service separate from `SqlClient`, which is the account's database in a request, so that the two cannot be
 * confused.
 */
export class PlatformDatabase extends Context.Service<PlatformDatabase, SqlClient.SqlClient>()(
  "tenancy/PlatformDatabase",
) {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { maintenance, platformDatabase, urlOf } = yield* DatabaseServer
      const exists = Effect.map(
        maintenance`select from pg_database where datname = ${platformDatabase}`,
        (rows) => rows.length > 0,
      )
      const isVisitor = yield* OnlyExisting
      const absent = (why: string) => new InstallationMissing({ database: platformDatabase, why })
      if (!(yield* exists)) {
        if (isVisitor) return yield* absent("it does not exist. Check DATABASE_URL, or start Parley once")
        yield* maintenance`create database ${maintenance(platformDatabase)}`.pipe(
          // Two processes that boot at once may both have found that it is missing.
          Effect.catch((error) => Effect.flatMap(exists, (made) => (made ? Effect.void : error))),
        )
      }
      if (!isVisitor) yield* close(maintenance, platformDatabase)
      const sql = yield* Layer.build(
        pool({ url: urlOf(platformDatabase), name: "parley:platform", maxConnections: 5 }),
      ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
      if (!isVisitor) yield* Migrations.run("platform").pipe(Effect.provideService(SqlClient.SqlClient, sql))
      else {
        const version = yield* Migrations.versionOf(sql)
        if (version === 0) return yield* absent("it has no tables of Parley. Check DATABASE_URL")
        if (version < Migrations.newestOfPlatform) {
          return yield* absent(
            `its schema is of an earlier release (${version} of ${Migrations.newestOfPlatform}). Start Parley of this release first`,
          )
        }
      }
      return sql
    }),
  )
}

/**
 * Keeps accounts' roles, which are on the same server, from connecting to this database. A restore grants it to them
 * again, so this runs on every start. PostgreSQL fails all but one of the transactions that change the rights of a
 * database at the same time, so processes that boot at once wait for each other.
 */
const close = (maintenance: SqlClient.SqlClient, database: string) =>
  maintenance.withTransaction(
    Effect.andThen(
      maintenance`select pg_advisory_xact_lock(hashtext('parley-rights'))`,
      maintenance`revoke connect on database ${maintenance(database)} from public`,
    ),
  )
