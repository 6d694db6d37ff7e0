/** Which PostgreSQL server the platform's database is on, as the server says and as that database remembers. */
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
    /** Undefined where the server does not say. Not from `pg_control_checkpoint`, which lags behind a recovery. */
    read: Rows.one(Identity)(sql`
      select system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
        ${folder}::text as data_folder
      from pg_control_system()`).pipe(
      // Some managed servers refuse these functions; the accounts' databases still have an identity there.
      Effect.catchTag("SqlError", (error) =>
        Effect.as(Effect.logWarning("the PostgreSQL server does not say which one it is", error), undefined),
      ),
    ),
    /** Undefined on the first start. */
    remembered: Rows.first(Identity)(sql`select system_identifier, timeline, data_folder from installation`),
    remember: (identity: Identity) => sql`
      insert into installation ${sql.insert(identity)}
      on conflict (is_only_row) do update set system_identifier = excluded.system_identifier,
        timeline = excluded.timeline, data_folder = excluded.data_folder`,
    /** Whether another process of the installation is connected. */
    hasCompany: Effect.map(
      sql`
        select from pg_stat_activity
        where datname = current_database() and starts_with(application_name, 'parley:node:') limit 1`,
      (rows) => rows.length > 0,
    ),
  }
})
