/**
 * Brings a database to the newest schema, in one transaction. `migrations/<family>/NNNN_name.sql` runs once, in order.
 * After those, each `functions/<name>.sql` whose text changed replaces its function.
 */
import { Data, Effect, Predicate, Schedule } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { sqlState } from "./SqlState.ts"

/**
 * How long a migration waits for a table's lock. The account's requests queue behind it for that long; then the
 * migration gives up and lets them go first.
 */
const lockLimit = "2s"
const lockAgain = "3 seconds"
/** A session whose transaction is older than this is a dump or a report, and will hold its tables for longer. */
const heldFor = "2 seconds"

type Family = "platform" | "tenant"

/** The database has migrations of a different baseline (decision 0033). */
export class SchemaUnknown extends Data.TaggedError("SchemaUnknown")<{ readonly first: string }> {
  override get message() {
    return `A version from before the first release made the database: its first migration is "${this.first}". This version cannot read it. Start with another data folder (PARLEY_DATA_DIR) or another database (DATABASE_URL).`
  }
}

/** Another session has held a table of the database for some time. */
export class TableHeld extends Data.TaggedError("TableHeld")<{ readonly session: string; readonly pid: number }> {
  override get message() {
    return `The session "${this.session}" (process ${this.pid} of PostgreSQL) holds tables of the database.`
  }
}

interface Script {
  readonly id: number
  readonly name: string
  readonly text: string
}

interface FunctionFile {
  readonly name: string
  readonly text: string
  readonly digest: string
}

const folderOf = (family: Family) => join(import.meta.dirname, "../../migrations", family)
const digestOf = (texts: ReadonlyArray<string>) =>
  createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 12)

/** `\ir functions/<name>.sql` includes that file, as in psql, so that a trigger finds its function. */
const include = (folder: string, text: string) =>
  text.replace(/^\\ir (functions\/\w+\.sql)$/gm, (_, file: string) => readFileSync(join(folder, file), "utf8"))

const readScripts = (family: Family): ReadonlyArray<Script> => {
  const folder = folderOf(family)
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, id, name] = /^(\d+)_(.+)\.sql$/.exec(file) ?? []
      if (id === undefined || name === undefined) return []
      return [{ id: Number(id), name, text: include(folder, readFileSync(join(folder, file), "utf8")) }]
    })
}

const readFunctions = (family: Family): ReadonlyArray<FunctionFile> => {
  const folder = join(folderOf(family), "functions")
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8")
      return { name: file.replace(/\.sql$/, ""), text, digest: digestOf([text]) }
    })
}

const scripts: Record<Family, ReadonlyArray<Script>> = {
  platform: readScripts("platform"),
  tenant: readScripts("tenant"),
}
const functions: Record<Family, ReadonlyArray<FunctionFile>> = {
  platform: readFunctions("platform"),
  tenant: readFunctions("tenant"),
}

/** The number of the newest migration of a tenant's database. */
export const newestOfTenant = scripts.tenant.at(-1)?.id ?? 0

/**
 * The oldest release that can use a tenant's database after these migrations, named by its newest migration. A
 * migration that removes what the previous release no longer reads, but an older one does, says so with the line `--
 * Serves from NNNN` (decision 0049).
 */
export const servesFrom = Math.max(
  0,
  ...scripts.tenant.map(({ text }) => Number(/^-- Serves from (\d{4})$/m.exec(text)?.[1] ?? 0)),
)

/**
 * A condition on the row `a` of `accounts`: whether this release can use the account as it is now. An account that moves
 * to another server begins no call.
 */
export const isUsable = (sql: SqlClient.SqlClient) =>
  sql`(a.schema_version >= ${newestOfTenant} and a.serves_from <= ${newestOfTenant} and a.moving is null)`

/** The number of the newest migration of the platform's database. */
export const newestOfPlatform = scripts.platform.at(-1)?.id ?? 0

/** The number of the newest migration that a database has; 0 if it has no tables of Parley. */
export const versionOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [table] = yield* sql`select from pg_tables where schemaname = 'public' and tablename = 'schema_migrations'`
  if (table === undefined) return 0
  const [newest] = yield* sql<{ id: number }>`select coalesce(max(migration_id), 0)::int as id from schema_migrations`
  return newest?.id ?? 0
})

/**
 * Returns the names of this release's functions that a tenant's database lacks or has with another text. Empty if a
 * later release migrated the database.
 */
export const foreignFunctions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  if ((yield* versionOf(sql)) > newestOfTenant) return []
  const rows = yield* sql<{ name: string; digest: string }>`select name, digest from schema_functions`
  const present = new Map(rows.map(({ digest, name }) => [name, digest]))
  return functions.tenant.flatMap(({ digest, name }) => (present.get(name) === digest ? [] : [name]))
})

/**
 * A digest of the whole schema of a tenant's database. It is part of the template database's name, so that each schema
 * has a template of its own.
 */
export const tenantDigest = digestOf([...scripts.tenant, ...functions.tenant].map(({ text }) => text))

/** The driver sends one statement at a time; a `do` block is one statement that executes many. */
const runScript = ({ text }: { readonly text: string }) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`do $migration$ begin execute $script$${text}$script$; end $migration$`),
  )

const runScripts = (family: Family, version: number) =>
  Migrator.make({})({
    loader: Effect.succeed(
      scripts[family]
        .filter(({ id }) => id <= version)
        .map((script) => [script.id, script.name, Effect.succeed({ default: runScript(script) })] as const),
    ),
    table: "schema_migrations",
  })

/**
 * Refuses a database whose first migration is a different one: it would look migrated but get none of these
 * migrations.
 */
const refuseUnknown = Effect.fnUntraced(function* (family: Family) {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`select from pg_tables where schemaname = 'public' and tablename = 'schema_migrations'`
  if (table === undefined) return
  const [first] = yield* sql<{ name: string }>`select name from schema_migrations where migration_id = 1`
  if (first !== undefined && first.name !== scripts[family][0]?.name) {
    return yield* new SchemaUnknown({ first: first.name })
  }
})

/**
 * Replaces the functions whose text changed. Leaves a database unchanged if its newest migration is newer than this
 * release's: a process of a later release migrated it.
 */
const replaceFunctions = Effect.fnUntraced(function* (family: Family) {
  const sql = yield* SqlClient.SqlClient
  const ahead = yield* sql`select from schema_migrations where migration_id > ${scripts[family].at(-1)?.id ?? 0}`
  if (ahead.length > 0) return
  const rows = yield* sql<{ name: string; digest: string }>`select name, digest from schema_functions`
  const present = new Map(rows.map(({ digest, name }) => [name, digest]))
  for (const file of functions[family]) {
    if (present.get(file.name) === file.digest) continue
    yield* runScript(file)
    yield* sql`
      insert into schema_functions (name, digest) values (${file.name}, ${file.digest})
      on conflict (name) do update set digest = excluded.digest, replaced_at = now()`
  }
})

/**
 * Fails with `TableHeld` if another session holds a table. A repeated try checks this first: each try for the lock
 * would make requests wait behind a long dump again.
 */
const refuseHeld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [held] = yield* sql<{ session: string; pid: number }>`
    select a.application_name as session, a.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.database = (select oid from pg_database where datname = current_database()) and l.granted
      and l.relation in (select oid from pg_class where relnamespace = 'public'::regnamespace)
      and a.xact_start < clock_timestamp() - ${heldFor}::interval and a.pid <> pg_backend_pid()
    limit 1`
  if (held !== undefined) return yield* new TableHeld(held)
})

const migrate = Effect.fnUntraced(function* (family: Family, version: number, again: boolean) {
  const sql = yield* SqlClient.SqlClient
  // Processes that boot at once migrate a database one after another.
  yield* sql`select pg_advisory_xact_lock(hashtext('parley-migrations'))`
  if (again) yield* refuseHeld
  // A statement that waits for a table's exclusive lock, for example behind a long `pg_dump`, makes all later readers
  // of the table wait too.
  yield* sql`set local lock_timeout = ${sql.literal(`'${lockLimit}'`)}`
  yield* refuseUnknown(family)
  // A function may call one that a later file makes.
  yield* sql`set local check_function_bodies = off`
  // Created before the first migration, which grants the accounts' roles access to later tables only. So they cannot
  // write to this one.
  yield* sql`
    create table if not exists schema_functions (
      name text primary key, digest text not null, replaced_at timestamptz not null default now())`
  yield* runScripts(family, version)
  // A function of this release may name a table that an earlier schema lacks.
  if (version >= (scripts[family].at(-1)?.id ?? 0)) yield* replaceFunctions(family)
})

/**
 * Whether the migration gave way to another session, so that it can be tried again. SQLSTATE 55P03: the lock was not
 * available in time. 40P01: a deadlock. A migration's own error contains the server's.
 */
export const isHeld = (error: unknown): boolean =>
  error instanceof TableHeld ||
  ["55P03", "40P01"].includes(sqlState(error) ?? "") ||
  (Predicate.hasProperty(error, "cause") && isHeld(error.cause))

/** The default `version`: no migration is left out. */
const newest = Number.POSITIVE_INFINITY

/** Tries once, in one transaction. `again`: an earlier try gave way to another session. */
export const attempt = (family: Family, { again = false, version = newest } = {}) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(migrate(family, version, again))).pipe(
    Effect.tapError((error) =>
      isHeld(error)
        ? Effect.logWarning("a migration waits for a table that another session holds", error)
        : Effect.void,
    ),
  )

/**
 * Brings the database of the `SqlClient` in the fiber to the newest schema, or to an earlier `version`. Waits while
 * another session holds a table.
 */
export const run = (family: Family, version: number = newest) =>
  Effect.catchIf(attempt(family, { version }), isHeld, () =>
    Effect.sleep(lockAgain).pipe(
      Effect.andThen(attempt(family, { version, again: true })),
      Effect.retry({ schedule: Schedule.spaced(lockAgain), while: isHeld }),
    ),
  )
