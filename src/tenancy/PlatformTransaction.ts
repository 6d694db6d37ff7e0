/** Transactions of the platform's database, and locks that are held until they end. */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { transaction } from "./Transaction.ts"

export const make = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  return {
    inTransaction: <A, E, R>(self: Effect.Effect<A, E, R>) =>
      transaction(self).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
    /** Runs `self` outside of the surrounding transaction, on another connection, so that it commits at once. */
    outside: <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.updateContext(self, (context: Context.Context<R>) => {
        const without: Context.Context<never> = Context.omit(sql.transactionService)(context)
        return without as Context.Context<R>
      }),
    /** Waits for the lock of that name, and holds it until the transaction ends. */
    lock: (name: string) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
    /** Takes the lock if it is free. Returns false if another transaction has it. */
    tryLock: (name: string) =>
      Effect.map(
        sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`,
        ([row]) => row?.taken === true,
      ),
  }
})
