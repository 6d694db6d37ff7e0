/**
 * The client of a pool whose connections are shared: the statements of many fibers are pipelined over each. It works as
 * the driver's own client (`PgClient` with `multiplex`) but bounds what a connection keeps in memory. The driver
 * (4.0.5) keeps the rows of all statements until the connection is idle, and under steady load it never is: 64 clients
 * that read pages of 50 FAQs made the heap grow by 50 MB a second, until the process ended.
 */
import { PgClient, type PgConnection, type PgPool } from "@effect/sql-pg"
import { Effect, Fiber, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/**
 * After this many statements on a connection, the next one waits until the connection is idle. A connection takes up to
 * 32 statements at a time, so it keeps the rows of at most 96: three times as many as necessary.
 */
const statementsUntilIdle = 64

export const layer = <R>(
  makePool: Effect.Effect<PgPool.PgPool, SqlError.SqlError, R>,
): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError, Exclude<R, Scope.Scope>> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const pool = yield* makePool
      const lent = new WeakMap<PgConnection.PgConnection, number>()

      /** Runs a statement on a shared connection. When it is time, first waits until the connection is idle. */
      const borrower: SqlConnection.Borrower = (run) =>
        pool.use((connection) => {
          const count = (lent.get(connection) ?? 0) + 1
          lent.set(connection, count % statementsUntilIdle)
          const result = finished(run(toConnection(connection)))
          // Pinning a connection waits until it is idle.
          return count < statementsUntilIdle ? result : Effect.andThen(Effect.scoped(connection.pin), result)
        })

      return yield* SqlClient.make({
        acquirer: Effect.map(pool.get, toConnection),
        borrower,
        transactionAcquirer: Effect.map(pool.reserve, toConnection),
        prepareTransactionControls: true,
        commit,
        releaseSavepoint: (name) => `release savepoint ${name}`,
        compiler: PgClient.makeCompiler(),
        driver: "pg",
        spanAttributes: [["db.system.name", "postgresql"]],
      })
    }),
  ).pipe(Layer.provide(Reactivity.layer))

/**
 * Runs a statement to its end in a fiber of its own, even if the fiber that asked for it is interrupted. If a statement
 * is interrupted between its submission and its dispatch, the driver (4.0.5) loses the answer to the BEGIN of a
 * transaction that gets the connection meanwhile, and the transaction waits for ever. The fiber costs 4 µs of 25. The
 * server's `statement_timeout` ends a statement that takes too long.
 */
const finished = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(statement, { startImmediately: true }), Fiber.join)

const toConnection = (connection: PgConnection.PgConnection): SqlConnection.Connection =>
  new PooledConnection(connection)

/** A class, because one is made for each statement. */
class PooledConnection implements SqlConnection.Connection {
  readonly #connection: PgConnection.PgConnection

  constructor(connection: PgConnection.PgConnection) {
    this.#connection = connection
  }

  execute(...[text, params, transformRows]: Parameters<SqlConnection.Connection["execute"]>) {
    return Effect.map(this.#connection.query(text, params), ({ rows }) => transformRows?.(rows) ?? rows)
  }

  executeUnprepared(...[text, params, transformRows]: Parameters<SqlConnection.Connection["execute"]>) {
    return Effect.map(this.#connection.query(text, params, false), ({ rows }) => transformRows?.(rows) ?? rows)
  }

  executeRaw(text: string, params: ReadonlyArray<unknown>) {
    return this.#connection.query(text, params)
  }

  executeValues(text: string, params: ReadonlyArray<unknown>) {
    return this.#connection.queryValues(text, params)
  }

  executeValuesUnprepared(text: string, params: ReadonlyArray<unknown>) {
    return this.#connection.queryValues(text, params, false)
  }

  executeStream(text: string, params: ReadonlyArray<unknown>) {
    return this.#connection.stream(text, params)
  }
}

/** PostgreSQL answers ROLLBACK to the COMMIT of a transaction in which a statement failed. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("commit", []), (result) =>
    (result as PgConnection.Result).command === "ROLLBACK" ? Effect.fail(rolledBack) : Effect.void,
  )

const rolledBack = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit",
  }),
})
