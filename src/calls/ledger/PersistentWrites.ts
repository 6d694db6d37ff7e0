/** Retries a statement in an account's database until it commits, is refused too often, or the account is deleted. */
import { Cause, Effect, Exit, Predicate, Random } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { AccountNotFound, type AccountSlug, AccountUnavailable } from "../../domain/Account.ts"
import { AccountDirectory } from "../../tenancy/AccountDirectory.ts"
import { TenantDatabases } from "../../tenancy/TenantDatabases.ts"

/** A transaction that hangs is cancelled and retried. Its effects are written once (`CallLog.end`). */
const attemptLimit = "30 seconds"
/**
 * The pause between attempts: doubled from the first to the last and jittered, so that accounts do not retry in step.
 */
const pause = { firstMs: 50, lastMs: 5_000 }

/** The result of a statement. `refused`: the database would refuse it again. */
type Attempted = "written" | "refused" | "account deleted"

export type Persist = (
  account: AccountSlug,
  statement: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>,
  /** The number of refusals after which the statement is given up. */
  mostRefusals: number,
) => Effect.Effect<Attempted>

export const make = Effect.gen(function* () {
  const directory = yield* AccountDirectory
  const tenants = yield* TenantDatabases
  const persist: Persist = Effect.fnUntraced(function* (account, statement, mostRefusals) {
    let refusals = 0
    for (let wait = pause.firstMs; ; wait = Math.min(wait * 2, pause.lastMs)) {
      const exit = yield* directory.find(account).pipe(
        Effect.flatMap(tenants.open),
        Effect.flatMap((tenant) => Effect.provideContext(Effect.asVoid(statement), tenant)),
        Effect.scoped,
        Effect.timeout(attemptLimit),
        Effect.exit,
      )
      if (Exit.isSuccess(exit)) return "written"
      const errors = exit.cause.reasons.map((reason) =>
        reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined,
      )
      if (errors.some((error) => error instanceof AccountNotFound)) {
        yield* Effect.annotateLogs(Effect.logWarning("calls ended after their account was deleted"), { account })
        return "account deleted"
      }
      yield* Effect.logWarning("call reports could not be written; retrying", exit.cause).pipe(
        Effect.annotateLogs({ account }),
      )
      if (!errors.every(isTransient) && ++refusals >= mostRefusals) return "refused"
      yield* Effect.sleep(wait * (yield* Random.nextBetween(0.5, 1)))
    }
  })
  return persist
})

/**
 * Whether the error may pass: no connection, a timeout, a lock. A statement that the database refused may be refused
 * again.
 */
const isTransient = (error: unknown): boolean => {
  if (error instanceof AccountUnavailable || Cause.isTimeoutError(error)) return true
  if (!SqlError.isSqlError(error)) return false
  const { cause } = error.reason
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  // 22: the data; 23: constraints; 42: the statement itself; P0: raised by a trigger.
  return !/^(?:22|23|42|P0)/.test(code)
}
