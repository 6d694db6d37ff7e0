/**
 * Identifies the PostgreSQL server that holds the platform's database: as the server reports itself now, and as the
 * database recorded it before.
 */
import { Effect, Schema } from "effect"
import { DatabaseServer } from "./DatabaseServer.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import * as Rows from "./Rows.ts"

/** See `installation` in `migrations/platform`. */
const Identity = Schema.Struct({
  system_identifier: Schema.String,
  timeline: Schema.String,
  data_folder: Schema.NullOr(Schema.String),
})
export type Identity = typeof Identity.Type

export const make = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const { folder } = yield* DatabaseServer
  return {
    /**
     * Reads the identity from the server; undefined if the server does not report it. `pg_control_checkpoint` is not
     * used, because it lags behind a recovery.
     */
    read: Rows.one(Identity)(sql`
      select system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
        ${folder}::text as data_folder
      from pg_control_system()`).pipe(
      // Some managed servers refuse these functions. Restored copies are then recognised only by the OIDs of the
      // accounts' databases.
      Effect.catchTag("SqlError", (error) =>
        Effect.as(Effect.logWarning("the PostgreSQL server does not report its identity", error), undefined),
      ),
    ),
    /** The recorded identity; undefined on the first start. */
    recorded: Rows.first(Identity)(sql`select system_identifier, timeline, data_folder from installation`),
    record: (identity: Identity) => sql`
      insert into installation ${sql.insert(identity)}
      on conflict (is_only_row) do update set system_identifier = excluded.system_identifier,
        timeline = excluded.timeline, data_folder = excluded.data_folder`,
    /**
     * Whether a process of the installation is connected; if `server` is not null, one that serves the accounts on that
     * server.
     */
    hasOtherProcess: (server: string | null) =>
      Effect.map(
        sql`
          select from pg_stat_activity
          where datname = current_database() and starts_with(application_name, 'parley:node:')
            and (${server}::text is null or not exists (
              select from nodes where 'parley:node:' || nodes.id = application_name and nodes.cell <> ${server}))
          limit 1`,
        (rows) => rows.length > 0,
      ),
  }
})
