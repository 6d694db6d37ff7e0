/** Checks what Parley needs of a PostgreSQL server, one finding for each need (docs/operations.md, PostgreSQL). */
import { Clock, Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as ConnectionBudget from "../tenancy/ConnectionBudget.ts"
import { type DatabaseServer, readersPool, type Server as AnyServer, serverWord } from "../tenancy/DatabaseServer.ts"
import { sealedAs, serverAt } from "../tenancy/DatabaseServers.ts"
import type { MasterKey } from "../tenancy/MasterKey.ts"
import * as Migrations from "../tenancy/Migrations.ts"
import { findOpen } from "../tenancy/OpenDatabases.ts"
import * as Rows from "../tenancy/Rows.ts"
import { type Finding, failure, ok, warning } from "./Finding.ts"

interface Examined {
  readonly server: DatabaseServer["Service"]
  /** Undefined if the key cannot be read, which is a finding of its own. */
  readonly key: MasterKey["Service"] | undefined
  readonly isEmbedded: boolean
  readonly processes: number | undefined
}

/** The oldest version whose features Parley uses (`unique nulls not distinct`). */
const oldestVersion = 150_000

/** Limits of the difference between the two clocks: calls are timed by both, and tokens by Parley's own. */
const clockWarningMs = 2_000
const clockFailureMs = 60_000

const Server = Schema.Struct({
  version: Schema.String,
  version_number: Schema.Int,
  role: Schema.String,
  is_superuser: Schema.Boolean,
  may_create_databases: Schema.Boolean,
  may_create_roles: Schema.Boolean,
  off: Schema.Array(Schema.String),
  is_encrypted: Schema.Boolean,
  is_local: Schema.Boolean,
  exists: Schema.Boolean,
})

/** Reads what the checks need. `exists` tells whether the server has the database of this name. */
const readServer = ({ maintenance }: AnyServer, database: string) =>
  Rows.one(Server)(maintenance`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as version_number,
      r.rolname::text as role, r.rolsuper as is_superuser, r.rolcreatedb as may_create_databases,
      r.rolcreaterole as may_create_roles,
      array(select s from unnest('{fsync,full_page_writes,synchronous_commit}'::text[]) s
            where current_setting(s) = 'off') as off,
      coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted,
      coalesce(inet_client_addr() <<= '127.0.0.0/8' or inet_client_addr() = '::1', true) as is_local,
      exists (select from pg_database where datname = ${database}) as exists
    from pg_roles r where r.rolname = current_user`)

const checkVersion = ({ version, version_number }: typeof Server.Type, { host }: AnyServer): Finding =>
  version_number < oldestVersion
    ? failure("version", `The server at ${host} is PostgreSQL ${version}. Parley needs 15 or newer.`)
    : ok("version", `The server at ${host} is PostgreSQL ${version}.`)

const checkRole = (found: typeof Server.Type, isEmbedded: boolean): Finding => {
  const { is_superuser, may_create_databases, may_create_roles, role } = found
  if (is_superuser) {
    return isEmbedded
      ? ok("role", "Parley owns its embedded server.")
      : warning(
          "role",
          `The role ${role} is a superuser. Parley needs no superuser: use a role with CREATEDB and CREATEROLE.`,
        )
  }
  if (may_create_databases && may_create_roles) {
    return ok("role", `The role ${role} may create databases and roles.`)
  }
  return failure(
    "role",
    `The role ${role} may not create ${may_create_databases ? "roles" : may_create_roles ? "databases" : "databases and roles"}. As a superuser, run: alter role "${role}" createdb createrole;`,
  )
}

const checkDurability = ({ off }: typeof Server.Type): Finding =>
  off.length === 0
    ? ok("durability", "fsync, full_page_writes and synchronous_commit are on.")
    : failure(
        "durability",
        `${off.join(", ")} ${off.length === 1 ? "is" : "are"} off: after a power failure, people who were called may be called again. Turn it on.`,
      )

const checkEncryption = ({ is_encrypted, is_local }: typeof Server.Type): Finding => {
  if (is_encrypted) return ok("tls", "The connection is encrypted.")
  return is_local
    ? ok("tls", "The connection is not encrypted, and does not leave this machine.")
    : warning("tls", "The connection crosses a network and is not encrypted. Add ?sslmode=verify-full to its URL.")
}

const checkClock = Effect.fnUntraced(function* ({ maintenance }: AnyServer) {
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* maintenance<{ now: Date }>`select clock_timestamp() as now`
  const after = yield* Clock.currentTimeMillis
  const difference = Math.abs((row?.now.getTime() ?? before) - (before + after) / 2)
  const says = `This machine's clock and the server's differ by ${(difference / 1_000).toFixed(1)} s.`
  if (difference < clockWarningMs) return ok("clock", says)
  return (difference < clockFailureMs ? warning : failure)("clock", `${says} Synchronise both with NTP.`)
})

const checkConnections = Effect.fnUntraced(function* ({ processes, server }: Examined) {
  const budget = yield* ConnectionBudget.read(server.maintenance, server.platformDatabase)
  const count = Math.max(1, processes ?? budget.processes)
  const wanted = budget.each * count
  const says = `Processes: ${count}. They may open ${wanted} connections, ${budget.each} each; the server has ${budget.available} for Parley.`
  return wanted <= budget.available
    ? ok("connections", says)
    : failure("connections", `${says} Lower DATABASE_MAX_CONNECTIONS, or raise max_connections.`)
})

const checkOpenDatabases = Effect.fnUntraced(function* ({ maintenance }: AnyServer) {
  const open = yield* findOpen(maintenance)
  return open === undefined
    ? ok("isolation", "The roles of accounts cannot connect to other databases of the server.")
    : warning(
        "isolation",
        `The roles of accounts may connect to ${open.databases.join(" and ")}. If no other program needs that, run as a superuser: ${open.statements}`,
      )
})

const Keyed = Schema.toType(Schema.Struct({ id: Schema.String, data_key: Schema.Uint8Array }))

/** Checks the platform's schema, and whether the key opens the accounts' data keys. */
const checkInstallation = Effect.fnUntraced(function* ({ key, server }: Examined) {
  const { platformDatabase, urlOf } = server
  const sql = yield* Layer.build(
    readersPool({ url: urlOf(platformDatabase), name: "parley:doctor", maxConnections: 1 }),
  ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
  const version = yield* Migrations.versionOf(sql)
  if (version === 0) {
    return [
      failure(
        "schema",
        `The database ${platformDatabase} has no tables of Parley. If it is another program's, name another one in DATABASE_URL; if it is empty, start Parley.`,
      ),
    ]
  }
  const schema =
    version < Migrations.newestOfPlatform
      ? ok("schema", `The platform's schema is ${version}; the next start brings it to ${Migrations.newestOfPlatform}.`)
      : ok("schema", `The platform's schema is ${version}.`)
  if (key === undefined) return [schema]
  const rows = yield* Rows.all(Keyed)(sql`select id, data_key from accounts`)
  const seals = rows.map(({ data_key, id }) => sealOf(key, id, data_key))
  const opened = seals.filter((seal) => seal !== "unknown").length
  const withSecond = seals.filter((seal) => seal === "second").length
  const says = `The encryption key opens ${opened} of ${rows.length} accounts.`
  if (opened < rows.length) {
    return [schema, failure("encryption key", `${says} The others were made with another PARLEY_ENCRYPTION_KEY.`)]
  }
  return [
    schema,
    withSecond === 0
      ? ok("encryption key", says)
      : warning(
          "encryption key",
          `${says} PARLEY_ENCRYPTION_KEY_SECOND is needed for ${withSecond} of them until \`parley rotate-key\` has run.`,
        ),
  ]
}, Effect.scoped)

/** Finds which key sealed the account's data key. */
const sealOf = (key: MasterKey["Service"], account: string, wrapped: Uint8Array): "first" | "second" | "unknown" => {
  const rewrapped = Result.try(() => key.rewrap(account, wrapped))
  if (Result.isFailure(rewrapped)) return "unknown"
  return rewrapped.success === undefined ? "first" : "second"
}

const Registered = Schema.toType(Schema.Struct({ name: Schema.String, url: Schema.Uint8Array }))

/** Checks the servers that are registered beside the platform's own, and whether the key opens their URLs. */
const checkRegistered = Effect.fnUntraced(function* ({ key, processes, server }: Examined) {
  const { platformDatabase, urlOf } = server
  if (key === undefined) return []
  const sql = yield* Layer.build(
    readersPool({ url: urlOf(platformDatabase), name: "parley:doctor", maxConnections: 1 }),
  ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
  const [table] = yield* sql`select where to_regclass('public.database_servers') is not null`
  if (table === undefined) return []
  const findings: Array<Finding> = []
  for (const { name, url } of yield* Rows.all(Registered)(sql`select name, url from database_servers order by name`)) {
    const check = `server ${name}`
    const opened = Result.try(() => Redacted.make(Buffer.from(key.unwrap(sealedAs(name), url)).toString()))
    if (Result.isFailure(opened)) {
      findings.push(
        failure(
          check,
          `PARLEY_ENCRYPTION_KEY does not open its URL. Set it again with \`parley servers set ${name}\`.`,
        ),
      )
      continue
    }
    const found = yield* serverAt(opened.success).pipe(
      Effect.flatMap((other) => runOther(other, processes)),
      Effect.catchTag("SqlError", (error) =>
        Effect.succeed([failure("connection", `It cannot be used: ${serverWord(error)}`)]),
      ),
    )
    findings.push(...found.map((finding) => ({ ...finding, check: `${check}, ${finding.check}` })))
  }
  return findings
}, Effect.scoped)

/** Checks a server on which accounts live, beside the platform's own. `processes`: how many will use it. */
export const runOther = Effect.fnUntraced(function* (server: AnyServer, processes: number | undefined) {
  const found = yield* readServer(server, "")
  const { available, each } = yield* ConnectionBudget.read(server.maintenance, "")
  const wanted = each * Math.max(1, processes ?? 1)
  const connections = `Parley may open ${wanted} connections; the server has ${available} for it.`
  return [
    checkVersion(found, server),
    checkRole(found, false),
    checkDurability(found),
    checkEncryption(found),
    yield* checkClock(server),
    wanted <= available
      ? ok("connections", connections)
      : failure("connections", `${connections} Lower DATABASE_MAX_CONNECTIONS, or raise max_connections there.`),
    yield* checkOpenDatabases(server),
  ]
})

export const run = Effect.fnUntraced(function* (examined: Examined) {
  const { isEmbedded, server } = examined
  const found = yield* readServer(server, server.platformDatabase)
  return [
    checkVersion(found, server),
    checkRole(found, isEmbedded),
    checkDurability(found),
    checkEncryption(found),
    yield* checkClock(server),
    yield* checkConnections(examined),
    yield* checkOpenDatabases(server),
    ...(found.exists
      ? [...(yield* checkInstallation(examined)), ...(yield* checkRegistered(examined))]
      : [ok("schema", `The database ${server.platformDatabase} does not exist yet; the first start makes it.`)]),
  ]
})
