/** Tries to migrate accounts' databases, one attempt at a time for each account, and remembers which of them failed. */
import { Cause, Clock, Deferred, Effect, Semaphore } from "effect"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { BackOff } from "./BackOff.ts"
import * as Migrations from "./Migrations.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { sqlState } from "./SqlState.ts"

/** Migrations at the same time. Each holds a connection in addition to the pools. */
export const atOnce = 8

/** SQLSTATE 3D000 and 55000: the database is missing, or accepts no connections. No release can use the account. */
const unusable = new Set(["3D000", "55000"])

/** Why an account still has an old schema. */
export type BehindState = "pending" | "waiting" | "failed" | "unusable"

export interface MigrationAttempts {
  /** Returns whether the account has this release's schema now. */
  readonly migrate: (entry: AccountEntry) => Effect.Effect<boolean>
  /** Whether the last attempt failed so recently that the next one has to wait. */
  readonly isResting: (database: string, now: number) => boolean
  readonly stateOf: (database: string) => BehindState
}

export const make = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  const directory = yield* AccountDirectory
  const databases = yield* AccountDatabases
  const places = yield* Semaphore.make(atOnce)
  // All are keyed by database: an account that is deleted and created again has another one.
  const waits = new BackOff(3_000, 30_000)
  const failures = new BackOff(10_000, 600_000)
  const missing = new Set<string>()

  const noteFailure = Effect.fnUntraced(function* ({ account: { slug }, database }: AccountEntry, error: unknown) {
    const now = yield* Clock.currentTimeMillis
    if (Migrations.isHeld(error)) return void waits.fail(database, now)
    if (unusable.has(sqlState(error) ?? "")) missing.add(database)
    const pause_ms = failures.fail(database, now)
    yield* Effect.annotateLogs(Effect.logError("account migration failed; it is tried again after a pause", error), {
      account: slug,
      pause_ms,
    })
  })

  /** Returns whether it succeeded. */
  const attempt = Effect.fn("AccountMigrations.attempt")(
    function* (entry: AccountEntry) {
      const { account, database, id, server, servesFrom } = entry
      // Written before the schema changes, so that processes that will not be able to use the account give it back.
      if (servesFrom < Migrations.servesFrom) {
        yield* platform`
          update accounts set serves_from = greatest(serves_from, ${Migrations.servesFrom}) where id = ${id}`
      }
      yield* (yield* databases.on(server)).migrate(database, account, { again: waits.has(database) })
      // A process of a later release may have migrated it further meanwhile.
      yield* platform`
        update accounts set schema_version = greatest(schema_version, ${Migrations.newestOfTenant}) where id = ${id}`
      waits.succeed(database)
      failures.succeed(database)
      missing.delete(database)
      yield* directory.forget(account.slug)
      return true
    },
    (migrating, entry) =>
      migrating.pipe(
        // A connection that is lost in a transaction is a defect.
        Effect.catchCause((cause) => Effect.as(noteFailure(entry, Cause.squash(cause)), false)),
        places.withPermits(1),
      ),
  )

  return {
    migrate: yield* onceAtATime(attempt),
    isResting: (database: string, now: number) => waits.isResting(database, now) || failures.isResting(database, now),
    stateOf: (database: string): BehindState => {
      if (missing.has(database)) return "unusable"
      if (failures.has(database)) return "failed"
      return waits.has(database) ? "waiting" : "pending"
    },
  } satisfies MigrationAttempts
})

/** Runs one `attempt` at a time for each account. A fiber that asks meanwhile waits for the same result. */
const onceAtATime = Effect.fnUntraced(function* (attempt: (entry: AccountEntry) => Effect.Effect<boolean>) {
  const running = new Map<string, Deferred.Deferred<boolean>>()
  const scope = yield* Effect.scope
  return (entry: AccountEntry) =>
    Effect.suspend(() => {
      const { database } = entry
      const present = running.get(database)
      if (present !== undefined) return Deferred.await(present)
      const done = Deferred.makeUnsafe<boolean>()
      running.set(database, done)
      return attempt(entry).pipe(
        Effect.ensuring(Effect.sync(() => running.delete(database))),
        Deferred.into(done),
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(done)),
      )
    })
})
