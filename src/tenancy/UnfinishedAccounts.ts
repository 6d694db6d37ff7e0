/**
 * Accounts whose database is being created or dropped. Each step is recorded before it is done, so that another process
 * can finish what a killed process began. The process at work holds a lock.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { InUse } from "../domain/Refusals.ts"
import { AccountDatabases } from "./AccountDatabases.ts"
import * as AccountDeletion from "./AccountDeletion.ts"
import { Cell } from "./Cell.ts"
import { DatabaseServers, type Whereabouts } from "./DatabaseServers.ts"
import { keepOpen } from "./OpenTransaction.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import * as PlatformTransaction from "./PlatformTransaction.ts"
import { TenantDatabases } from "./TenantDatabases.ts"

export interface Unfinished extends Whereabouts {
  /** The account that is being deleted; null if its creation is unfinished. */
  readonly id: string | null
  readonly slug: string | null
}

export class UnfinishedAccounts extends Context.Service<
  UnfinishedAccounts,
  {
    /**
     * Runs `make`, which creates the database and writes the account's row, in one transaction of the platform's
     * database. If it fails, nothing is left. `seconds`: how long it may take; a minute by default.
     */
    readonly create: <A, E, R>(
      place: Whereabouts,
      make: Effect.Effect<A, E, R>,
      seconds?: number,
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
    /**
     * Closes the account to new calls, hides it from everyone, and then drops its database and its role and deletes its
     * row. If one of these fails, a later `finish` does what is left. Returns false, and changes nothing, if a call or a
     * campaign of the account runs. Fails while the account moves to another server.
     */
    readonly remove: (id: string) => Effect.Effect<boolean, InUse | SqlError.SqlError>
    /** The databases that are being created or dropped, including those that a process is working on. */
    readonly list: Effect.Effect<ReadonlyArray<Unfinished>>
    /** Drops what unfinished creations and deletions left in this cell, except where a process is at work. */
    readonly finish: Effect.Effect<void>
  }
>()("tenancy/UnfinishedAccounts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const cell = yield* Cell
      const { inTransaction, lock, outside } = yield* PlatformTransaction.make
      const deletion = yield* AccountDeletion.make
      const { finishAll, readAll } = yield* finishing
      const self = sql.literal("(select oid from pg_database where datname = current_database())")
      // After a restore of the platform's database, its records of unfinished creations are out of date.
      const forgetRestored = sql`delete from unfinished_databases where directory_oid <> ${self}`

      return {
        create: ({ database, server }, make, seconds) =>
          Effect.gen(function* () {
            // Taken before the row becomes visible, so that no other process takes the creation for an abandoned one.
            yield* lock(database)
            yield* outside(
              sql`
                insert into unfinished_databases (database, directory_oid, server)
                values (${database}, ${self}, ${server})`,
            )
            const made = yield* keepOpen(make, seconds)
            yield* sql`delete from unfinished_databases where database = ${database}`
            return made
          }).pipe(
            inTransaction,
            Effect.onError(() => outside(finishAll([{ server, database, id: null, slug: null }]))),
          ),
        remove: (id) =>
          outside(
            Effect.gen(function* () {
              const row = yield* inTransaction(deletion.begin(id))
              if (row === undefined) return true
              if (!(yield* inTransaction(Effect.andThen(lock(row.database), deletion.decide(row))))) return false
              yield* finishAll([row])
              return true
            }),
          ),
        list: Effect.orDie(readAll),
        finish: Effect.andThen(forgetRestored, readAll).pipe(
          Effect.flatMap((found) => finishAll(found.filter(({ server }) => cell.serves(server)))),
          Effect.orDie,
        ),
      }
    }),
  )
}

const finishing = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const databases = yield* AccountDatabases
  const deletion = yield* AccountDeletion.make
  const servers = yield* DatabaseServers
  const tenants = yield* TenantDatabases
  const { inTransaction, tryLock } = yield* PlatformTransaction.make

  const readAll = sql<Unfinished>`
    select server, database, id, slug from accounts where deleting_at is not null or deletion_began_at is not null
    union all select server, database, null, null from unfinished_databases`

  const dropDatabase = ({ database, server }: Whereabouts) =>
    keepOpen(Effect.flatMap(databases.on(server), ({ drop }) => drop(database)))
  const finishCreation = Effect.fnUntraced(function* (place: Whereabouts) {
    const { database } = place
    // It may have been finished since it was read.
    const [row] = yield* sql`select from unfinished_databases where database = ${database}`
    if (row === undefined) return
    yield* dropDatabase(place)
    yield* sql`delete from unfinished_databases where database = ${database}`
  })
  const drop = Effect.fnUntraced(function* ({ database, id, server, slug }: AccountDeletion.Deletion) {
    yield* tenants.close({ slug, server, database })
    yield* dropDatabase({ server, database })
    // A trigger keeps the row of an account whose database is on another server.
    if (server !== null) yield* sql`update accounts set server = null where id = ${id}`
    yield* sql`
      with deleted as (delete from accounts where id = ${id} returning id)
      insert into deleted_accounts (id) select id from deleted on conflict do nothing`
  })
  /** Runs `self` in a transaction that holds the lock of the database's name. Returns undefined if it is taken. */
  const ifFree = <A, E, R>(database: string, self: Effect.Effect<A, E, R>) =>
    inTransaction(Effect.flatMap(tryLock(database), (taken) => (taken ? self : Effect.undefined)))
  const finishDeletion = Effect.fnUntraced(function* (row: AccountDeletion.Deletion) {
    // Committed before the first step of the drop: an account without a database must be hidden.
    if ((yield* ifFree(row.database, deletion.decide(row))) === true) yield* ifFree(row.database, drop(row))
  })

  const finishAll = Effect.fnUntraced(function* (found: ReadonlyArray<Unfinished>) {
    for (const { database, id, server, slug } of found) {
      // It is dropped once its server answers. Until then, the wait for it would hold up the others.
      if (server !== null && servers.silent.has(server)) continue
      const isDeletion = id !== null && slug !== null
      const place = { server, database }
      yield* (isDeletion ? finishDeletion({ ...place, id, slug }) : ifFree(database, finishCreation(place))).pipe(
        Effect.catchCause((cause) =>
          Effect.annotateLogs(Effect.logWarning("dropping the database of a deleted account failed; retrying", cause), {
            database,
          }),
        ),
      )
    }
  })
  return { readAll, finishAll }
})
