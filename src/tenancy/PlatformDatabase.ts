/** The platform's own database: the directory of accounts and memberships. Made and migrated at boot. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseServer, pool } from "./DatabaseServer.ts"
import * as Migrations from "./Migrations.ts"

/** A service apart from `SqlClient`, which is the tenant's in a request, so that the two cannot be confused. */
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
      if (!(yield* exists)) {
        yield* maintenance`create database ${maintenance(platformDatabase)}`.pipe(
          // Two processes that boot at once may both have found that it is missing.
          Effect.catch((error) => Effect.flatMap(exists, (made) => (made ? Effect.void : error))),
        )
      }
      // Accounts' roles are on the same server and must not connect to it. A restore opens it again.
      yield* maintenance`revoke connect on database ${maintenance(platformDatabase)} from public`
      const sql = yield* Layer.build(
        pool({ url: urlOf(platformDatabase), name: "parley:platform", maxConnections: 5 }),
      ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
      yield* Migrations.run("platform").pipe(Effect.provideService(SqlClient.SqlClient, sql))
      return sql
    }),
  )
}
