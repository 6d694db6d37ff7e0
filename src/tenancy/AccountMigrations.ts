/**
 * Brings the accounts' databases to the newest schema while Parley serves: in the background, a few at a time, and at once
 * where an account is asked for. While a process of an earlier release serves, this one waits until all are done, so that
 * no request and no campaign comes to a process that cannot open its account (decision 0049).
 */
import { Cause, Clock, Context, Deferred, Effect, Fiber, Layer, Metric, Option, Schedule, Semaphore } from "effect"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { BackOff } from "./BackOff.ts"
import * as Migrations from "./Migrations.ts"
import { OnlyExisting } from "./OnlyExisting.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import { sqlState } from "./SqlState.ts"

/** Each holds a connection in addition to the pools. Two are left for accounts that are asked for. */
const atOnce = 8
const inBackground = atOnce - 2
/** Accounts of a round. After it the ones that were asked for, or created by another release, are known. */
const roundSize = 24

const lookEvery = "1 second"
const logEveryMs = 10_000
/** How long a request, and the start of the process, wait for migrations before they go on without them. */
const patience = "3 seconds"
/** A process of an earlier release counts as gone this many seconds after its last heartbeat. */
const aliveSeconds = 4

/** SQLSTATE 3D000 and 55000: the database is missing, or accepts no connections. No release can use the account. */
const unusable = new Set(["3D000", "55000"])

/** Accounts whose schema is old, by why it still is. */
export interface Progress {
  /** Not tried yet, or at work. */
  readonly pending: number
  /** Another session holds a table that the migration changes; it is tried again. */
  readonly waiting: number
  /** A migration failed; it is tried again after a pause that doubles. */
  readonly failed: number
}

const accountsBehind = Metric.gauge("parley_account_migrations", {
  description:
    "Accounts whose schema is older than this process's, by state: pending, waiting for a table that another session holds, or failed.",
})

export class AccountMigrations extends Context.Service<
  AccountMigrations,
  {
    /** Migrates in the background from now on. Returns when all accounts were tried, or after some seconds. */
    readonly begin: Effect.Effect<void>
    /** Tries each account with an old schema once. */
    readonly migrateAll: Effect.Effect<void>
    /** Whether the account has this release's schema. Migrates it first where that takes a short time. */
    readonly bring: (entry: AccountEntry) => Effect.Effect<boolean>
    readonly progress: Effect.Effect<Progress>
    /** Whether this process leaves requests and campaigns to one of an earlier release. Once false, it stays so. */
    readonly isHeldBack: Effect.Effect<boolean>
  }
>()("tenancy/AccountMigrations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const directory = yield* AccountDirectory
      const isVisitor = yield* OnlyExisting
      const attempts = yield* makeAttempts
      const report = makeReport(attempts)
      const scope = yield* Effect.scope
      const turn = yield* makeTurn

      /** Those with campaigns first: they stand still. */
      const findBehind = platform<Behind>`
        select a.id, a.database from accounts a
        where a.deleting_at is null and a.schema_version < ${Migrations.newestOfTenant}
        order by exists (select from dialling d where d.account_id = a.id) desc, a.created_at, a.id`.pipe(
        Effect.orDie,
        Effect.tap((behind) => {
          if (behind.every(({ database }) => attempts.stateOf(database) === "unusable")) turn.take()
          return report.note(behind)
        }),
      )
      const migrateAll = (behind: ReadonlyArray<Behind>) => {
        const migrateById = Effect.fnUntraced(function* ({ id }: Behind) {
          const entry = yield* directory.findById(id)
          if (Option.isSome(entry)) yield* attempts.migrate(entry.value)
        })
        return Effect.forEach(behind, migrateById, { concurrency: inBackground, discard: true })
      }

      /** Returns whether nothing is left that can be tried now. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const due = (yield* findBehind).filter(({ database }) => !attempts.isResting(database, now))
        yield* report.log
        yield* migrateAll(due.slice(0, roundSize))
        return due.length === 0
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("migrating the accounts failed; retrying", cause), true),
        ),
      )
      const lookWhileDue = look.pipe(Effect.repeat({ until: (isDone) => isDone }))

      return {
        begin: Effect.gen(function* () {
          yield* findBehind
          const first = yield* Effect.forkIn(lookWhileDue, scope)
          yield* Fiber.join(first).pipe(
            Effect.andThen(Effect.repeat(lookWhileDue, Schedule.spaced(lookEvery))),
            Effect.forkIn(scope),
          )
          yield* Effect.timeoutOption(Fiber.join(first), patience)
        }),
        migrateAll: Effect.flatMap(findBehind, migrateAll),
        bring: Effect.fnUntraced(function* (entry: AccountEntry) {
          if (entry.schemaVersion >= Migrations.newestOfTenant) return true
          if (isVisitor || attempts.isResting(entry.database, yield* Clock.currentTimeMillis)) return false
          return Option.getOrElse(yield* Effect.timeoutOption(attempts.migrate(entry), patience), () => false)
        }),
        progress: Effect.sync(report.progress),
        isHeldBack: turn.isHeldBack,
      }
    }),
  )
}

interface Behind {
  readonly id: string
  readonly database: string
}

/** Tries migrations, one at a time for each account, and remembers which of them failed. */
const makeAttempts = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  const directory = yield* AccountDirectory
  const databases = yield* AccountDatabases
  const places = yield* Semaphore.make(atOnce)
  // All by database: an account that is deleted and created again has another one.
  const waits = new BackOff(3_000, 30_000)
  const failures = new BackOff(10_000, 600_000)
  const missing = new Set<string>()

  const refuse = Effect.fnUntraced(function* ({ account: { slug }, database }: AccountEntry, error: unknown) {
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
      const { account, database, id, servesFrom } = entry
      // Before its schema changes: processes that cannot use it any more give it back.
      if (servesFrom < Migrations.servesFrom) {
        yield* platform`
          update accounts set serves_from = greatest(serves_from, ${Migrations.servesFrom}) where id = ${id}`
      }
      yield* databases.migrate(database, account, { again: waits.has(database) })
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
        Effect.catchCause((cause) =>
          Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.as(refuse(entry, Cause.squash(cause)), false),
        ),
        places.withPermits(1),
      ),
  )

  return {
    migrate: yield* onceAtATime(attempt),
    isResting: (database: string, now: number) => waits.isResting(database, now) || failures.isResting(database, now),
    stateOf: (database: string) => {
      if (missing.has(database)) return "unusable"
      if (failures.has(database)) return "failed"
      return waits.has(database) ? "waiting" : "pending"
    },
  } as const
})

/** Runs `attempt` once at a time for each account: a fiber that asks meanwhile waits for its result. */
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

/**
 * Whether this process leaves requests and campaigns to one of an earlier release, until it takes its turn for good.
 */
const makeTurn = Effect.gen(function* () {
  const platform = yield* PlatformDatabase
  let isTaken = false
  const take = () => {
    isTaken = true
  }
  const hasEarlier = Effect.map(
    platform`
      select from nodes where dials and coalesce(tenant_schema, 0) < ${Migrations.newestOfTenant}
        and seen_at > clock_timestamp() - make_interval(secs => ${aliveSeconds}) limit 1`,
    (rows) => rows.length > 0,
  )
  const ask = Effect.tap(Effect.orDie(hasEarlier), (isHeld) => Effect.sync(() => (isHeld ? undefined : take())))
  return { take, isHeldBack: Effect.suspend(() => (isTaken ? Effect.succeed(false) : ask)) }
})

/** Counts the accounts with an old schema, for the log, /readyz and /metrics. */
const makeReport = ({ stateOf }: Effect.Success<typeof makeAttempts>) => {
  let progress: Progress = { pending: 0, waiting: 0, failed: 0 }
  let logged = JSON.stringify(progress)
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    progress: () => progress,
    note: Effect.fnUntraced(function* (behind: ReadonlyArray<Behind>) {
      const counted = { pending: 0, waiting: 0, failed: 0 }
      for (const { database } of behind) {
        const state = stateOf(database)
        counted[state === "unusable" ? "failed" : state]++
      }
      progress = counted
      for (const [state, count] of Object.entries(progress)) {
        yield* Metric.update(Metric.withAttributes(accountsBehind, { state }), count)
      }
    }),
    log: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const said = JSON.stringify(progress)
      const left = progress.pending + progress.waiting + progress.failed
      if (said === logged || (now - loggedAt < logEveryMs && left > 0)) return
      ;[loggedAt, logged] = [now, said]
      const words = left === 0 ? "every account has the newest schema" : "accounts have an old schema"
      yield* Effect.annotateLogs(Effect.logInfo(words), { ...progress })
    }),
  }
}
