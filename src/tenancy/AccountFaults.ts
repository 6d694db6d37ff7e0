/**
 * Tracks accounts whose own database cannot be opened although the server works: the database or its role is missing,
 * or the password is wrong. Such an account rests before the next try, so that sweeps and diallers do not try to open
 * sessions every second.
 */
import { Clock, Effect } from "effect"
import { AccountUnavailable } from "../domain/Account.ts"
import type { AccountEntry } from "./AccountDirectory.ts"
import { BackOff } from "./BackOff.ts"
import type { Cell } from "./Cell.ts"
import type { Whereabouts } from "./DatabaseServers.ts"
import * as Migrations from "./Migrations.ts"
import { sqlState } from "./SqlState.ts"

/**
 * SQLSTATEs of an account's own faults. 3D000: no such database. 28P01, 28000: the role or its password. 42501: no
 * privilege to connect. 55000: the database accepts no connections.
 */
const own = new Set(["3D000", "28P01", "28000", "42501", "55000"])

/**
 * `ensureMigrated` migrates an account with an old schema, and returns whether the account then has the newest one.
 * `silent` names the registered servers that do not answer: their accounts are refused without a wait.
 */
export const make = (
  ensureMigrated: (entry: AccountEntry) => Effect.Effect<boolean>,
  silent: ReadonlySet<string>,
  cell: Cell,
) => {
  // Keyed by server and database: an account that is deleted and created again has another database.
  const pauses = new BackOff(1_000, 60_000)
  const unavailable = ({ account: { slug }, moving }: AccountEntry) =>
    new AccountUnavailable({ slug, ...(moving === "away" && { reason: "moving" }) })
  const keyOf = ({ database, server }: Whereabouts) => `${server ?? ""} ${database}`
  /** Whether this release can use the account once it has its schema. */
  const isKnown = ({ isReadable, servesFrom }: AccountEntry) => isReadable && servesFrom <= Migrations.newestOfTenant
  const isUnreachable = ({ moving, server }: AccountEntry) =>
    moving === "away" || !cell.serves(server) || (server !== null && silent.has(server))
  return {
    /** Databases that could not be opened at the last try. Some may belong to accounts that were deleted since. */
    unopened: () => pauses.failing.map((key) => key.slice(key.indexOf(" ") + 1)),
    /** Whether `check` would certainly succeed. Runs for each request, so it reads no clock. */
    isSound: (entry: AccountEntry): boolean =>
      pauses.isEmpty && isKnown(entry) && !isUnreachable(entry) && entry.schemaVersion >= Migrations.newestOfTenant,
    /**
     * Fails if the account rests, if its database cannot be reached from here now (it moves, its server is silent, or
     * another cell serves it), or if this release cannot use it. Migrates it first if its schema is old.
     */
    check: Effect.fnUntraced(function* (entry: AccountEntry) {
      if (isUnreachable(entry)) return yield* unavailable(entry)
      const isResting = pauses.isResting(keyOf(entry), yield* Clock.currentTimeMillis)
      if (isResting || !isKnown(entry) || !(yield* ensureMigrated(entry))) return yield* unavailable(entry)
    }),
    /** Fails, because the account's database could not be opened. Lets the account rest if the fault is its own. */
    refuse: Effect.fnUntraced(function* (entry: AccountEntry, error: unknown) {
      if (own.has(sqlState(error) ?? "")) {
        const pause_ms = pauses.fail(keyOf(entry), yield* Clock.currentTimeMillis)
        yield* Effect.annotateLogs(
          Effect.logWarning("the database of an account cannot be opened; it is tried again after a pause", error),
          { account: entry.account.slug, pause_ms },
        )
      }
      return yield* unavailable(entry)
    }),
    clear: (entry: AccountEntry) => pauses.succeed(keyOf(entry)),
  }
}
