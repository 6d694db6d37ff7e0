/**
 * Accounts whose database is being created or dropped. Each step is recorded before it is done, so that another process
 * can finish what a killed process began. The process at work holds a lock.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AccountDatabases } from "./AccountDatabases.ts"
import { AccountDirectory } from "./AccountDirectory.ts"
import * as AuditTrail from "./AuditTrail.ts"
import { keepOpen } from "./OpenTransaction.ts"
import { PlatformDatabase } from "./PlatformDatabase.ts"
import * as PlatformTransaction from "./PlatformTransaction.ts"
import { TenantDatabases } from "./TenantDatabases.ts"

export interface Unfinished {
  readonly database: string
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
      database: string,
      make: Effect.Effect<A, E, R>,
      seconds?: number,
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
    /**
     * Hides the account from everyone, and then drops its database and its role and deletes its row. If one of these
     * fails, the account stays hidden, and a later `finish` drops what is left.
     */
    readonly remove: (id: string) => Effect.Effect<void, SqlError.SqlError>
    /** The databases that are being created or dropped, including those that a process is working on. */
    readonly list: Effect.Effect<ReadonlyArray<Unfinished>>
    /** Drops what unfinished creations and deletions left, except where a process is at work. */
    readonly finish: Effect.Effect<void>
  }
>()("tenancy/UnfinishedAccounts") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const directory = yield* AccountDirectory
      const { inTransaction, lock, outside } = yield* PlatformTransaction.make
      const { finishAll, readAll } = yield* finishing
      const self = sql.literal("(select oid from pg_database where datname = current_database())")
      // After a restore of the platform's database, its records of unfinished creations are out of date.
      const forgetRestored = sql`delete from unfinished_databases where directory_oid <> ${self}`

      return {
        create: (database, make, seconds) =>
          Effect.gen(function* () {
            // Taken before the row becomes visible, so that no other process takes the creation for an abandoned one.
            yield* lock(database)
            yield* outside(
              sql`insert into unfinished_databases (database, directory_oid) values (${database}, ${self})`,
            )
            const made = yield* keepOpen(make, seconds)
            yield* sql`delete from unfinished_databases where database = ${database}`
            return made
          }).pipe(
            inTransaction,
            Effect.onError(() => outside(finishAll([{ database, id: null, slug: null }]))),
          ),
        remove: (id) =>
          outside(
            Effect.gen(function* () {
              const row = yield* inTransaction(markDeleted(sql, id))
              if (row === undefined) return
              if (row.slug !== null) yield* directory.forget(row.slug)
              yield* finishAll([row])
            }),
          ),
        list: Effect.orDie(readAll),
        finish: Effect.orDie(Effect.flatMap(Effect.andThen(forgetRestored, readAll), finishAll)),
      }
    }),
  )
}

/** Marks the account as deleted, which hides it from everyone, and records that in the audit log. */
const markDeleted = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string) {
  const [row] = yield* sql<Unfinished & { readonly name: string }>`
    update accounts set deleting_at = coalesce(deleting_at, now()) where id = ${id} returning database, id, slug, name`
  if (row !== undefined) {
    const { name, slug } = row
    const deed = { account: slug, object_id: slug, object_name: name }
    yield* AuditTrail.writeToPlatform(sql, { action: "account.delete", ...deed })
  }
  return row
})

const finishing = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const databases = yield* AccountDatabases
  const tenants = yield* TenantDatabases
  const { inTransaction, tryLock } = yield* PlatformTransaction.make

  const readAll = sql<Unfinished>`
    select database, id, slug from accounts where deleting_at is not null
    union all select database, null, null from unfinished_databases`

  const finishCreation = Effect.fnUntraced(function* (database: string) {
    // It may have been finished since it was read.
    const [row] = yield* sql`select from unfinished_databases where database = ${database}`
    if (row === undefined) return
    yield* keepOpen(databases.drop(database))
    yield* sql`delete from unfinished_databases where database = ${database}`
  })
  const finishDeletion = Effect.fnUntraced(function* (database: string, id: string, slug: string) {
    yield* tenants.close({ slug, database })
    yield* keepOpen(databases.drop(database))
    yield* sql`
      with deleted as (delete from accounts where id = ${id} returning id)
      insert into deleted_accounts (id) select id from deleted on conflict do nothing`
  })

  const finishAll = Effect.fnUntraced(function* (found: ReadonlyArray<Unfinished>) {
    for (const { database, id, slug } of found) {
      yield* tryLock(database).pipe(
        Effect.flatMap((taken) => {
          if (!taken) return Effect.void
          return id === null || slug === null ? finishCreation(database) : finishDeletion(database, id, slug)
        }),
        inTransaction,
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
