/** The platform's own database: the directory of accounts and memberships. Made and migrated at boot. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseServer, pool } from "./DatabaseServer.ts"
import * as Migrations from "./Migrations.ts"

/** Apart from `SqlClient`, which in a request is the tenant's: nobody can take the one for the other. */
export class PlatformDatabase extends Context.Service<PlatformDatabase, SqlClient.SqlClient>()(
  "tenancy/PlatformDatabase",
) {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { maintenance, platformDatabase, urlOf } = yield* DatabaseServer
      const [found] = yield* maintenance`select from pg_database where datname = ${platformDatabase}`
      if (found === undefined) {
        // Two processes that boot at once may both have found none.
        yield* maintenance`create database ${maintenance(platformDatabase)}`.pipe(
          Effect.catchReason("SqlError", "UniqueViolation", () => Effect.void),
        )
      }
      const sql = yield* Layer.build(
        pool({ url: urlOf(platformDatabase), name: "parley:platform", maxConnections: 5 }),
      ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
      yield* Migrations.run("platform").pipe(Effect.provideService(SqlClient.SqlClient, sql))
      return sql
    }),
  )
}

/** Runs `self` with the platform's database for its `SqlClient`. */
export const within = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(PlatformDatabase, (sql) => Effect.provideService(self, SqlClient.SqlClient, sql))
