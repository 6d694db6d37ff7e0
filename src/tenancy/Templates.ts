/**
 * The template databases of new accounts: one for each schema, created when it is first needed, with the rows that
 * every account's database begins with. Processes of several releases may need several; old ones are dropped.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import { Shipped } from "./Shipped.ts"

/** A template that no process has marked as used for this long belongs to a release that is no longer in use. */
const keptFor = "7 days"

const prefix = "parley_template_"

/** `fill` migrates the database of that name. The caller of `ensure` and `dropOld` holds the server's lock. */
export const make = Effect.fnUntraced(function* <E>(
  admin: SqlClient.SqlClient,
  fill: (database: string) => Effect.Effect<void, E>,
) {
  const { digest } = yield* Shipped
  const name = `${prefix}${Migrations.tenantDigest}_${digest}`

  const exists = Effect.map(
    admin`select from pg_database where datname = ${name} and datistemplate`,
    (rows) => rows.length > 0,
  )

  /** Marks a template as used now: its comment is the time of its last use. COMMENT takes no parameters. */
  const mark = (database: string) =>
    admin.unsafe(`do $mark$ begin execute format('comment on database %I is %L', '${database}', now()); end $mark$`)

  const drop = Effect.fnUntraced(function* (database: string) {
    yield* admin`alter database ${admin(database)} is_template false`
    yield* admin`drop database if exists ${admin(database)}`
  })

  return {
    name,
    exists,
    /** Makes the template, and the group of the accounts' roles, unless they are there. Marks the template as used. */
    ensure: Effect.gen(function* () {
      const [role] = yield* admin`select from pg_roles where rolname = 'parley_tenant'`
      if (role === undefined) yield* admin`create role parley_tenant nologin`
      if (!(yield* exists)) {
        yield* admin`drop database if exists ${admin(name)}`
        yield* admin`create database ${admin(name)} template template0`
        yield* admin`revoke connect on database ${admin(name)} from public`
        yield* fill(name)
        yield* admin`alter database ${admin(name)} is_template true`
      }
      yield* mark(name)
    }),
    /**
     * Drops the templates that were not used for `keptFor`. A template without a mark comes from an earlier release,
     * which may still run, so it gets a mark first.
     */
    dropOld: Effect.gen(function* () {
      const others = yield* admin<{ name: string; is_marked: boolean; is_old: boolean }>`
        with others as (
          select datname::text as name, shobj_description(oid, 'pg_database') as mark from pg_database
          where datname ~ ${`^${prefix}[0-9a-z_]+$`} and datname <> ${name} and datdba = current_user::regrole)
        select name, mark is not null as is_marked,
          coalesce(case when mark ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2} ' then mark::timestamptz < now() - ${keptFor}::interval
                   end, false) as is_old
        from others order by name`
      for (const { is_marked, is_old, name } of others) {
        if (!is_marked) yield* mark(name)
        if (is_old) yield* drop(name)
      }
    }).pipe(
      // Another program may hold a connection to it. The next start tries again.
      Effect.catch((error) => Effect.logWarning("an old template database could not be dropped", error)),
    ),
  }
})
