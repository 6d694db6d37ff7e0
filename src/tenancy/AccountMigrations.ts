/**
 * Migrates the accounts' databases to the newest schema while Parley serves: in the background, a few at a time, and at
 * once when an account is needed. While a process of an earlier release serves, this process takes no requests and no
 * campaigns until all accounts are migrated, so that neither reaches a process that cannot open the account (decision
 * 0049).
 */
import { type Cause, Clock, Context, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import { Cell } from "./Cell.ts"
import * as EarlierRelease from "./EarlierRelease.ts"
import * as MigrationAttempts from "./MigrationAttempts.ts"
import * as MigrationProgress from "./MigrationProgress.ts"
import * as Migrations from "./Migrations.ts"
import { OnlyExisting } from "./OnlyExisting.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

export type { Progress } from "./MigrationProgress.ts"

/** Migrations in the background at the same time. The other two are kept for accounts that are needed at once. */
const inBackground = MigrationAttempts.atOnce - 2
/**
 * Accounts that are migrated before the list is read again. The new list includes accounts that a process of another
 * release created meanwhile.
 */
const roundSize = 24

const checkEvery = "1 second"
/**
 * How long a request and the boot wait for migrations. After that the account counts as unavailable for the request,
 * and the boot continues.
 */
const patience = "3 seconds"

interface Behind {
  readonly id: string
  readonly database: string
}

export class AccountMigrations extends Context.Service<
  AccountMigrations,
  {
    /** Starts migrating in the background. Returns when every account was tried, or after three seconds. */
    readonly begin: Effect.Effect<void>
    /** Tries each account with an old schema once. */
    readonly migrateAll: Effect.Effect<void>
    /** Whether the account has this release's schema. Migrates it first, and waits for that at most three seconds. */
    readonly ensureMigrated: (entry: AccountEntry) => Effect.Effect<boolean>
    readonly progress: Effect.Effect<MigrationProgress.Progress>
    /**
     * Whether this process leaves requests and campaigns to a process of an earlier release. Once false, it stays
     * false.
     */
    readonly isHeldBack: Effect.Effect<boolean>
  }
>()("tenancy/AccountMigrations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const directory = yield* AccountDirectory
      const isVisitor = yield* OnlyExisting
      const attempts = yield* MigrationAttempts.make
      const earlier = yield* EarlierRelease.make
      const progress = MigrationProgress.make()
      const scope = yield* Effect.scope

      const findBehind = selectBehind(platform, yield* Cell).pipe(
        Effect.tap((behind) => {
          const states = behind.map(({ database }) => attempts.stateOf(database))
          if (states.every((state) => state === "unusable")) earlier.takeOver()
          return progress.count(states)
        }),
      )
      const migrateAll = (behind: ReadonlyArray<Behind>) => {
        const migrateById = Effect.fnUntraced(function* ({ id }: Behind) {
          const entry = yield* directory.findById(id)
          if (Option.isSome(entry)) yield* attempts.migrate(entry.value)
        })
        return Effect.forEach(behind, migrateById, { concurrency: inBackground, discard: true })
      }

      /** Migrates one round of accounts. Returns whether no account is left that can be tried now. */
      const look = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const due = (yield* findBehind).filter(({ database }) => !attempts.isResting(database, now))
        yield* progress.log
        yield* migrateAll(due.slice(0, roundSize))
        return due.length === 0
      }).pipe(Effect.catchCause(lookLater))
      const lookWhileDue = look.pipe(Effect.repeat({ until: (isDone) => isDone }))

      return {
        begin: Effect.gen(function* () {
          yield* findBehind
          const first = yield* Effect.forkIn(lookWhileDue, scope)
          yield* Fiber.join(first).pipe(
            Effect.andThen(Effect.repeat(lookWhileDue, Schedule.spaced(checkEvery))),
            Effect.forkIn(scope),
          )
          yield* Effect.timeoutOption(Fiber.join(first), patience)
        }),
        migrateAll: Effect.flatMap(findBehind, migrateAll),
        ensureMigrated: Effect.fnUntraced(function* (entry: AccountEntry) {
          if (entry.schemaVersion >= Migrations.newestOfTenant) return true
          if (isVisitor || attempts.isResting(entry.database, yield* Clock.currentTimeMillis)) return false
          return Option.getOrElse(yield* Effect.timeoutOption(attempts.migrate(entry), patience), () => false)
        }),
        progress: Effect.sync(progress.counts),
        isHeldBack: earlier.isHeldBack,
      }
    }),
  )
}

/** The accounts of this cell with an old schema. Those with campaigns come first, because their campaigns stand still. */
const selectBehind = (platform: PlatformDatabase["Service"], { isServed }: Cell) =>
  Effect.orDie(platform<Behind>`
    select a.id, a.database from accounts a
    where a.deleting_at is null and a.schema_version < ${Migrations.newestOfTenant}
      and a.moving is distinct from 'away' and ${isServed(platform)}
    order by exists (select from dialling d where d.account_id = a.id) desc, a.created_at, a.id`)

/** Nothing more is tried now. */
const lookLater = (cause: Cause.Cause<unknown>) =>
  Effect.as(Effect.logWarning("migrating the accounts failed; retrying", cause), true)
