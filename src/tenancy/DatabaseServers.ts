/**
 * The PostgreSQL servers on which accounts live: the platform's own, and those that operators registered in the
 * platform's database (decision 0063). A registered server has a name, and a URL that the installation's key seals.
 */
import { Cache, Context, Effect, Exit, Layer, Metric, Redacted, Result, Schema, Scope, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { DatabaseServer, type Login, ownersPool, type Server, urlsOn } from "./DatabaseServer.ts"
import { MasterKey } from "./MasterKey.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import * as Rows from "./Rows.ts"

/** The name of the platform's own server in commands and messages. The directory has null for it. */
export const platformServer = "platform"

/** Where an account's database is. `server` is null for the platform's own. */
export interface Whereabouts {
  readonly server: string | null
  readonly database: string
}

/** A registered server. `url` is null if the installation's key does not open it. */
export interface Registered {
  readonly name: string
  readonly url: Redacted.Redacted | null
}

/** How long a URL is cached: after it was changed, new connections use the new one within this time. */
const staleAfter = "5 seconds"

const up = Metric.gauge("parley_database_server_up", {
  description:
    "1 if a registered PostgreSQL server answered this process when it asked last, which it does every 5 s; else 0.",
})

const Row = Schema.toType(Schema.Struct({ name: Schema.String, url: Schema.Uint8Array }))

export class DatabaseServers extends Context.Service<
  DatabaseServers,
  {
    /** The server of that name; null for the platform's own. Fails if there is none, or if its URL cannot be read. */
    readonly find: (name: string | null) => Effect.Effect<Server, SqlError.SqlError>
    /** The URL of an account's database. Without `login`, with the credentials of the server's owner. */
    readonly urlOf: (place: Whereabouts, login?: Login) => Effect.Effect<Redacted.Redacted, SqlError.SqlError>
    /** The registered servers by name, without the platform's own. */
    readonly registered: Effect.Effect<ReadonlyArray<Registered>, SqlError.SqlError>
    /** Records whether a registered server answered. `RestoredServers` asks each of them every five seconds. */
    readonly note: (name: string, answers: boolean) => Effect.Effect<void>
    /** The names of the registered servers that did not answer when they were asked last. */
    readonly silent: ReadonlySet<string>
    /** Registers a server, or gives it another URL. */
    readonly register: (name: string, url: Redacted.Redacted) => Effect.Effect<void, SqlError.SqlError>
  }
>()("tenancy/DatabaseServers") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const own = yield* DatabaseServer
      const platform = yield* PlatformDatabase
      const master = yield* MasterKey
      const open = yield* makeOpen
      const silent = new Set<string>()

      const unseal = ({ name, url }: typeof Row.Type): Registered => ({
        name,
        url: Result.getOrNull(
          Result.try(() => Redacted.make(Buffer.from(master.unwrap(sealedAs(name), url)).toString())),
        ),
      })
      const read = Effect.fnUntraced(function* (name: string) {
        const row = yield* Rows.first(Row)(platform`select name, url from database_servers where name = ${name}`)
        if (row === undefined) return yield* unknown(`There is no PostgreSQL server named ${name}.`)
        const { url } = unseal(row)
        if (url === null) return yield* unknown(`PARLEY_ENCRYPTION_KEY does not open the URL of the server ${name}.`)
        return url
      })
      const urls = yield* Cache.makeWith(read, {
        capacity: 1_000,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? staleAfter : "1 second"),
      })

      const find = (name: string | null): Effect.Effect<Server, SqlError.SqlError> =>
        name === null ? Effect.succeed(own) : Effect.flatMap(Cache.get(urls, name), (url) => open(name, url))
      return {
        find,
        urlOf: ({ database, server }, login) => Effect.map(find(server), ({ urlOf }) => urlOf(database, login)),
        registered: Effect.map(Rows.all(Row)(platform`select name, url from database_servers order by name`), (rows) =>
          rows.map(unseal),
        ),
        note: (name, answers) =>
          Effect.suspend(() => {
            if (answers) silent.delete(name)
            else silent.add(name)
            return Metric.update(Metric.withAttributes(up, { server: name }), answers ? 1 : 0)
          }),
        silent,
        register: Effect.fnUntraced(function* (name, url) {
          const sealed = master.wrap(sealedAs(name), Buffer.from(Redacted.value(url)))
          yield* platform`
            insert into database_servers (name, url) values (${name}, ${sealed})
            on conflict (name) do update set url = excluded.url, updated_at = now()`
          yield* Cache.invalidate(urls, name)
        }),
      }
    }),
  )
}

/** Returns the function that opens the pool of a server's owner, once for each URL. */
const makeOpen = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const opened = new Map<string, { readonly href: string; readonly server: Server; readonly scope: Scope.Closeable }>()
  const alone = Semaphore.makeUnsafe(1)
  return (name: string, url: Redacted.Redacted) =>
    Effect.gen(function* () {
      const href = Redacted.value(url)
      const present = opened.get(name)
      if (present?.href === href) return present.server
      const own = yield* Scope.fork(scope)
      const server = yield* serverAt(url).pipe(Scope.provide(own))
      opened.set(name, { href, server, scope: own })
      if (present !== undefined) yield* Scope.close(present.scope, Exit.void)
      return server
    }).pipe(alone.withPermits(1))
})

/**
 * The id that a server's URL is sealed under. An account's data key is sealed under the account's id, a UUID, so that
 * neither can be put in the place of the other.
 */
export const sealedAs = (name: string): string => `server ${name}`

/** The server at a URL, whose pool lasts until the scope closes. Does not connect. */
export const serverAt = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const { host, urlOf } = urlsOn(new URL(Redacted.value(url)))
  const maintenance = yield* Layer.build(
    Layer.fresh(ownersPool({ url: urlOf("postgres"), name: "parley:maintenance", maxConnections: 2 })),
  ).pipe(Effect.map(Context.get(SqlClient.SqlClient)))
  return { host, urlOf, maintenance } satisfies Server
})

/**
 * Whether both are the same running server, also under different addresses. Compares the times of their starts, which
 * every role may read.
 */
export const isSame = Effect.fnUntraced(function* (one: Server, other: Server) {
  const startOf = ({ maintenance: sql }: Server) =>
    Effect.map(sql<{ at: string }>`select pg_postmaster_start_time()::text as at`, ([row]) => row?.at)
  return (yield* startOf(one)) === (yield* startOf(other))
})

/** An error like that of a server that cannot be reached, so that callers handle one kind of error. */
const unknown = (message: string) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error(message), message }) })
