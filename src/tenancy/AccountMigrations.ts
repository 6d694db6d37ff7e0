/**
 * Brings the accounts' databases to the newest schema while Parley serves: in the background, a few at a time, and at once
 * where an account is asked for. While a process of an earlier release serves, this one waits until all are done, so that
 * no request and no campaign comes to a process that cannot open its account (decision 0049).
 */
import { type Cause, Clock, Context, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { AccountDirectory, type AccountEntry } from "./AccountDirectory.ts"
import * as EarlierRelease from "./EarlierRelease.ts"
import * as MigrationAttempts from "./MigrationAttempts.ts"
import * as MigrationProgress from "./MigrationProgress.ts"
import * as Migrations from "./Migrations.ts"
import { OnlyExisting } from "./OnlyExisting.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"

export type { Progress } from "./MigrationProgress.ts"

/** Two attempts are left for accounts that are asked for. */
const inBackground = MigrationAttempts.atOnce - 2
/**
 * Accounts that are migrated before the list is read again, which then has those that another release created
 * meanwhile.
 */
const roundSize = 24

const lookEvery = "1 second"
/** How long a request, and the start of the process, wait for migrations before they go on without them. */
const patience = "3 seconds"

interface Behind {
  readonly id: string
  readonly database: string
}

export class AccountMigrations extends Context.Service<
  AccountMigrations,
  {
    /** Migrates in the background from now on. Returns when all accounts were tried, or after some seconds. */
    readonly begin: Effect.Effect<void>
    /** Tries each account with an old schema once. */
    readonly migrateAll: Effect.Effect<void>
    /** Whether the account has this release's schema. Migrates it first where that takes a short time. */
    readonly bring: (entry: AccountEntry) => Effect.Effect<boolean>
    readonly progress: Effect.Effect<MigrationProgress.Progress>
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
      const attempts = yield* MigrationAttempts.make
      const earlier = yield* EarlierRelease.make
      const progress = MigrationProgress.make()
      const scope = yield* Effect.scope

      const findBehind = selectBehind(platform).pipe(
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

      /** Returns whether nothing is left that can be tried now. */
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
        progress: Effect.sync(progress.counts),
        isHeldBack: earlier.isHeldBack,
      }
    }),
  )
}

/** The accounts with an old schema. Those with campaigns come first, because their campaigns stand still. */
const selectBehind = (platform: PlatformDatabase["Service"]) =>
  Effect.orDie(platform<Behind>`
    select a.id, a.database from accounts a
    where a.deleting_at is null and a.schema_version < ${Migrations.newestOfTenant}
    order by exists (select from dialling d where d.account_id = a.id) desc, a.created_at, a.id`)

/** Nothing more is tried now. */
const lookLater = (cause: Cause.Cause<unknown>) =>
  Effect.as(Effect.logWarning("migrating the accounts failed; retrying", cause), true)
