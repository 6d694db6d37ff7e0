/**
 * Keeps a transaction open while its fiber waits for something other than the database. PostgreSQL ends a transaction
 * that is idle for five seconds, and the request would then fail with a 503.
 */
import { Context, Effect, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"

const every = "1 second"
/**
 * The default number of renewals, one a second. To wait longer than a minute is not worth one of the account's
 * connections.
 */
const minute = 60

/**
 * Runs `waiting`, and keeps the surrounding transaction open meanwhile, for at most `seconds`. Without a transaction,
 * it only runs `waiting`.
 */
export const keepOpen = <A, E, R>(waiting: Effect.Effect<A, E, R>, seconds = minute): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const sql = Option.getOrUndefined(Context.getOption(context, SqlClient.SqlClient))
    if (sql === undefined || Option.isNone(Context.getOption(context, sql.transactionService))) return yield* waiting
    // Cancelling a statement would close its connection.
    const renew = Effect.uninterruptible(Effect.ignore(sql`select`)).pipe(
      Effect.delay(every),
      Effect.repeat(Schedule.recurs(seconds)),
      Effect.andThen(Effect.never),
    )
    return yield* Effect.raceFirst(waiting, renew)
  })
