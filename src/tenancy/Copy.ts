/**
 * Bulk loads: one transaction on a separate connection that can also COPY. The protocol implementation of the request
 * pools has no COPY, so only this connection uses node-postgres.
 */
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import type { Writable } from "node:stream"
import pg from "pg"
import { from as copyFrom } from "pg-copy-streams"
import { CurrentTenant } from "./CurrentTenant.ts"
import { DatabaseServers } from "./DatabaseServers.ts"
import * as FairSemaphore from "./FairSemaphore.ts"
import { transaction } from "./Transaction.ts"

/**
 * Connections in addition to the pools, for all accounts together: this many loads run at the same time, the others
 * wait. Places are shared fairly, because an account's loads can take minutes together. The limit of waiters is never
 * reached: the account's requests are limited before.
 */
const loads = { what: "loads of lists", places: 8, waiting: Number.MAX_SAFE_INTEGER }

/** Runs a `copy … from stdin` in the transaction and returns the stream that takes its rows. One COPY at a time. */
export type CopyInto = (statement: string) => Writable

export class Copy extends Context.Service<
  Copy,
  {
    /** `load` and everything it does with `SqlClient` are one transaction: all of it is committed, or nothing. */
    readonly transaction: <A, E, R>(
      load: (into: CopyInto) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | SqlError.SqlError, Exclude<R, SqlClient.SqlClient> | CurrentTenant>
  }
>()("tenancy/Copy") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const servers = yield* DatabaseServers
      const { withPlace } = yield* FairSemaphore.make(loads)
      const reactivity = yield* Reactivity.make

      return {
        transaction: (load) =>
          Effect.gen(function* () {
            const entry = yield* CurrentTenant
            const { account, database, login } = entry
            const loading = Effect.gen(function* () {
              const client = yield* Effect.acquireRelease(
                connect(yield* servers.urlOf(entry, login), `parley:copy:${database}`),
                close,
              )
              const connection = connectionOver(client)
              const sql = yield* SqlClient.make({
                acquirer: Effect.succeed(connection),
                compiler: PgClient.makeCompiler(),
                driver: "pg-copy",
                spanAttributes: [["db.system.name", "postgresql"]],
                releaseSavepoint: (name) => `release savepoint ${name}`,
              })
              return yield* transaction(load((statement) => client.query(copyFrom(statement)))).pipe(
                Effect.provideService(SqlClient.SqlClient, sql),
              )
            }).pipe(Effect.scoped)
            return yield* withPlace(account.slug)(loading)
          }).pipe(
            Effect.catchIf((error) => error instanceof FairSemaphore.ShareFull, Effect.die),
            Effect.provideService(Reactivity.Reactivity, reactivity),
          ),
      }
    }),
  )
}

/** Opens a connection of node-postgres, which can COPY. `settings` override the defaults, which are those of a load. */
export const connect = (url: Redacted.Redacted, name: string, settings: pg.ClientConfig = {}) =>
  Effect.gen(function* () {
    const client = new pg.Client({
      connectionString: Redacted.value(url),
      application_name: name,
      // A server that pauses for some seconds comes back, and an upload need not fail for that.
      connectionTimeoutMillis: 10_000,
      statement_timeout: 600_000,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 60_000,
      ...settings,
    })
    // A connection that is lost fails the statement in progress; without a listener it would end the process too.
    client.on("error", () => {})
    yield* Effect.tryPromise({ try: () => client.connect(), catch: sqlError })
    return client
  })

export const close = (client: pg.Client) => Effect.ignore(Effect.tryPromise(() => client.end()))

const connectionOver = (client: pg.Client): SqlConnection.Connection => {
  const query = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.tryPromise({ try: () => client.query(text, params.map(plain)), catch: sqlError })
  const execute: SqlConnection.Connection["execute"] = (text, params, transformRows) =>
    Effect.map(query(text, params), ({ rows }) => (transformRows === undefined ? rows : transformRows(rows)))
  const executeValues: SqlConnection.Connection["executeValues"] = (text, params) =>
    Effect.tryPromise({
      try: () => client.query({ text, values: params.map(plain), rowMode: "array" }),
      catch: sqlError,
    }).pipe(Effect.map(({ rows }) => rows))
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: query,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (text, params, transformRows) =>
      Stream.unwrap(Effect.map(execute(text, params, transformRows), Stream.fromIterable)),
  }
}

/** Converts a typed parameter of the pools' driver for node-postgres, which writes an array as PostgreSQL's own. */
const plain = (value: unknown): unknown => {
  if (!PgTypes.isParameter(value)) return value
  const isJson = value.oid === PgTypes.OID.json || value.oid === PgTypes.OID.jsonb
  return isJson ? JSON.stringify(value.value) : value.value
}

export const sqlError = (cause: unknown): SqlError.SqlError => {
  const { code, constraint } = cause instanceof pg.DatabaseError ? cause : { code: undefined, constraint: undefined }
  return new SqlError.SqlError({
    reason:
      code === "23505"
        ? new SqlError.UniqueViolation({ cause, constraint: constraint ?? "unknown" })
        : new SqlError.UnknownError({ cause, message: cause instanceof Error ? cause.message : "the load failed" }),
  })
}
