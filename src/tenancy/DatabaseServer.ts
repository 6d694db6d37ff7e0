/**
 * The PostgreSQL server that holds the platform's database, and the accounts that are on no other server
 * (DatabaseServers): `DATABASE_URL`, or an embedded one.
 */
import { PgClient, PgPool } from "@effect/sql-pg"
import { Config, Context, Data, type Duration, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { DataFolder } from "./DataFolder.ts"
import { EmbeddedPostgres } from "./EmbeddedPostgres.ts"
import { socketsTo } from "./GatheredWrites.ts"
import { OnlyExisting } from "./OnlyExisting.ts"
import { warnOfOpen } from "./OpenDatabases.ts"
import { sqlState } from "./SqlState.ts"
import { findPooler } from "./Poolers.ts"
import * as PipelinedClient from "./PipelinedClient.ts"

/** The server refuses the connection, or does not answer. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{
  readonly host: string
  readonly why: string
}> {
  override get message() {
    return `Parley cannot use the PostgreSQL server at ${this.host}: ${this.why}. Check DATABASE_URL.`
  }
}

/**
 * Credentials of one account's login role. Where they are left out, the connection uses those of the server's owner.
 */
export interface Login {
  readonly role: string
  readonly password: string
}

/** A PostgreSQL server, as its owner uses it. */
export interface Server {
  /** The server's address, without credentials. */
  readonly host: string
  readonly urlOf: (database: string, login?: Login) => Redacted.Redacted
  /** For statements that belong to no single database: creating and dropping databases, and roles. */
  readonly maintenance: SqlClient.SqlClient
}

export class DatabaseServer extends Context.Service<
  DatabaseServer,
  Server & {
    /** The name of the platform's own database; the databases of accounts are named after it. */
    readonly platformDatabase: string
    /** Identifies the embedded server's folder: a copy has another value. Null on an operator's server. */
    readonly folder: string | null
  }
>()("tenancy/DatabaseServer") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const configured = yield* Config.option(Config.Redacted("DATABASE_URL"))
      const { folder, url } = Option.isSome(configured)
        ? { folder: null, url: yield* parseUrl(configured.value) }
        : yield* embedded
      const platformDatabase = decodeURIComponent(url.pathname.slice(1)) || "parley"
      const { host, urlOf } = urlsOn(url)
      const maintenance = yield* Layer.build(
        ownersPool({ url: urlOf("postgres"), name: "parley:maintenance", maxConnections: 2 }),
      ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
      yield* maintenance`select 1`.pipe(
        Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 600, while: isStarting }),
        Effect.mapError((error) => new DatabaseUnreachable({ host, why: serverWord(error) })),
      )
      const pooler = yield* findPooler(urlOf("postgres"))
      if (pooler !== undefined) return yield* new DatabaseUnreachable({ host, why: pooler })
      if (!(yield* OnlyExisting)) {
        // By default, PUBLIC may connect to both, and with it every account's role.
        const close = maintenance`revoke connect on database postgres, template1 from public`
        yield* Effect.orDie(Option.isNone(configured) ? close : warnOfOpen(maintenance))
      }
      return { platformDatabase, host, urlOf, maintenance, folder }
    }),
  )
}

/** The URLs of the databases on the server that `url` names, with its credentials or those of a login role. */
export const urlsOn = (url: URL): Pick<Server, "host" | "urlOf"> => ({
  host: url.host,
  urlOf: (database, login) => {
    const target = new URL(url)
    target.pathname = `/${encodeURIComponent(database)}`
    if (login !== undefined) {
      target.username = login.role
      target.password = login.password
    }
    return Redacted.make(target.href)
  },
})

/**
 * SQLSTATE 57P03, "the database system is starting up": the server opens its port before it is ready, also after a
 * crash.
 */
const isStarting = (error: SqlError.SqlError): boolean => sqlState(error) === "57P03"

const parseUrl = (text: Redacted.Redacted) =>
  Effect.try({
    try: () => new URL(Redacted.value(text)),
    catch: () => new DatabaseUnreachable({ host: "DATABASE_URL", why: "it is not a URL" }),
  })

/** What the server, or the network, reports as the cause. */
export const serverWord = ({ reason }: SqlError.SqlError): string =>
  reason.cause instanceof Error && reason.cause.message !== "" ? reason.cause.message : reason.message

const embedded = Effect.gen(function* () {
  const { folder, url: maintenance } = yield* Layer.build(EmbeddedPostgres.layer(yield* DataFolder)).pipe(
    Effect.map(Context.get(EmbeddedPostgres)),
  )
  const url = new URL(Redacted.value(maintenance))
  url.pathname = "/parley"
  return { folder, url }
})

interface PoolOptions {
  readonly url: Redacted.Redacted
  readonly name: string
  readonly maxConnections: number
  readonly connectTimeout?: Duration.Input
  /** Run before each connection, in the connection's scope. */
  readonly beforeConnect?: Effect.Effect<void>
}

/**
 * How long to wait for a connection. A server that is down refuses at once; one that pauses for some seconds comes
 * back, and statements that wait for it need not fail.
 */
const patience: Duration.Input = "10 seconds"

/** A pool for requests: transactions reserve a connection, the statements of other fibers share one. */
export const makePool = (options: PoolOptions) => PgPool.make(forRequests(options))

export const pool = (options: PoolOptions) => PipelinedClient.layer(makePool(options))

/** A pool for LISTEN and NOTIFY, which only the driver's own client has. */
export const noticesPool = (options: PoolOptions) => PgClient.layer(forRequests(options))

/** The time limits are the server's, so that they also end what a lost client left behind. */
const forRequests = (options: PoolOptions) => ({
  ...common(options),
  idleTimeout: "30 seconds" as const,
  startupParameters: {
    statement_timeout: "30000",
    lock_timeout: "10000",
    // Well below `lock_timeout`: when a process hangs in a transaction, the account's other requests wait and do not
    // fail.
    idle_in_transaction_session_timeout: "5000",
    timezone: "UTC",
  },
})

/**
 * A pool for the work of the server's owner: making and dropping databases, migrations. Its statements have no time
 * limit: DROP DATABASE waits for a checkpoint, which took 40 s on a busy disk, and a migration must not stop half way.
 */
export const ownersPool = (options: PoolOptions) =>
  PgClient.layer({ ...common(options), idleTimeout: "5 seconds", startupParameters: { timezone: "UTC" } })

/** A read-only pool for the server's owner. It waits for another session's lock for at most ten seconds. */
export const readersPool = (options: PoolOptions) =>
  PgClient.layer({
    ...common(options),
    idleTimeout: "5 seconds",
    startupParameters: { timezone: "UTC", lock_timeout: "10000", default_transaction_read_only: "on" },
  })

const common = ({ beforeConnect, connectTimeout = patience, maxConnections, name, url }: PoolOptions) =>
  ({
    url,
    // The driver asks for the password before it opens a connection, so `beforeConnect` runs at that moment.
    ...(beforeConnect !== undefined && { password: Effect.as(beforeConnect, passwordOf(url)) }),
    applicationName: name,
    maxConnections,
    connectTimeout,
    keepAlive: "10 seconds",
    // Pipelines the statements of many fibers over one connection: 2.5 times as many reads by id a second.
    multiplex: true,
    stream: socketsTo(new URL(Redacted.value(url))),
  }) as const

const passwordOf = (url: Redacted.Redacted) => Redacted.make(decodeURIComponent(new URL(Redacted.value(url)).password))
