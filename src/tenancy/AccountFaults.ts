/**
 * Accounts whose own database refuses to open, while the server is well: it is missing, or its role or password is. Such an
 * account is tried again after a pause, so that sweeps and diallers do not open sessions in vain every second.
 */
import { Clock, Effect } from "effect"
import { AccountUnavailable } from "../domain/Account.ts"
import type { AccountEntry } from "./AccountDirectory.ts"
import { BackOff } from "./BackOff.ts"
import * as Migrations from "./Migrations.ts"
import { sqlState } from "./SqlState.ts"

/**
 * SQLSTATE: 3D000 no such database; 28P01 and 28000 the role; 42501 no privilege to connect; 55000 a database that accepts
 * no connections.
 */
const own = new Set(["3D000", "28P01", "28000", "42501", "55000"])

/** `bring` migrates an account whose schema is old, and returns whether it is the newest then. */
export const make = (bring: (entry: AccountEntry) => Effect.Effect<boolean>) => {
  // Keyed by database: an account that is deleted and created again has another one.
  const pauses = new BackOff(1_000, 60_000)
  const unavailable = ({ account: { slug } }: AccountEntry) => new AccountUnavailable({ slug })
  /** Whether this release can use the account once it has its schema. */
  const isKnown = ({ isReadable, servesFrom }: AccountEntry) => isReadable && servesFrom <= Migrations.newestOfTenant
  return {
    /** Databases that could not be opened when they were last asked for; some may be of accounts deleted since. */
    unopened: () => pauses.failing,
    /** Whether `check` certainly succeeds: without a clock, for each request. */
    isSound: (entry: AccountEntry): boolean =>
      pauses.isEmpty && isKnown(entry) && entry.schemaVersion >= Migrations.newestOfTenant,
    /** Fails if the account cannot be used, or rests. */
    check: Effect.fnUntraced(function* (entry: AccountEntry) {
      const isResting = pauses.isResting(entry.database, yield* Clock.currentTimeMillis)
      if (isResting || !isKnown(entry) || !(yield* bring(entry))) return yield* unavailable(entry)
    }),
    /** Its database could not be opened. Lets the account rest if the error is its own. */
    refuse: Effect.fnUntraced(function* (entry: AccountEntry, error: unknown) {
      if (own.has(sqlState(error) ?? "")) {
        const pause_ms = pauses.fail(entry.database, yield* Clock.currentTimeMillis)
        yield* Effect.annotateLogs(
          Effect.logWarning("the database of an account cannot be opened; it is tried again after a pause", error),
          { account: entry.account.slug, pause_ms },
        )
      }
      return yield* unavailable(entry)
    }),
    clear: ({ database }: AccountEntry) => pauses.succeed(database),
  }
}
