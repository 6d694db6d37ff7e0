/**
 * Deletes the sound of recordings that have expired, and of deleted calls and accounts. Each process sweeps the disk
 * that it sees, and the object store.
 */
import { Config, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rm } from "node:fs/promises"
import { hostname } from "node:os"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { keepOpen } from "../tenancy/OpenTransaction.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import * as PlatformTransaction from "../tenancy/PlatformTransaction.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { type Objects, ObjectStore, type StoreFault } from "./ObjectStore.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import * as RecordingRows from "./RecordingRows.ts"

/** The seconds that the objects of an account may take to be deleted before the transaction that holds its row ends. */
const longestSweep = 3_600
/** Deleted accounts are remembered for this long. Every machine has swept its disk by then. */
const rememberedDays = 30

const RetentionDays = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_650 })),
  "PARLEY_RECORDING_RETENTION_DAYS",
).pipe(Config.withDefault(30))

export class RecordingSweep extends Context.Service<
  RecordingSweep,
  {
    /** Sweeps one account. Returns how many recordings were deleted. */
    readonly sweep: (account: AccountEntry) => Effect.Effect<number>
    /** Deletes the sound of recordings whose calls were deleted. Returns how many were deleted. */
    readonly deleteSound: (account: AccountEntry, ids: ReadonlyArray<string>) => Effect.Effect<number>
    /** Deletes the folders, and the objects, of accounts that were deleted. */
    readonly sweepDeleted: Effect.Effect<void>
  }
>()("recording/RecordingSweep") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const folder = yield* RecordingFolder
      const objects = yield* ObjectStore
      const platform = yield* PlatformDatabase
      const tenants = yield* TenantDatabases
      const retentionDays = yield* RetentionDays
      const { inTransaction } = yield* PlatformTransaction.make

      const inAccount = <A>(account: AccountEntry, effect: Effect.Effect<A, never, SqlClient.SqlClient>) =>
        Effect.orDie(tenants.open(account)).pipe(
          Effect.flatMap((context) => Effect.provideContext(effect, context)),
          Effect.scoped,
        )
      const sweep = Effect.fn("RecordingSweep.sweep")(function* (account: AccountEntry) {
        const deletion = deletionOf(account, folder, objects)
        return yield* inAccount(account, sweepAll(deletion, account.account.recording_days ?? retentionDays))
      })
      const deleteSound = Effect.fn("RecordingSweep.deleteSound")(function* (
        account: AccountEntry,
        ids: ReadonlyArray<string>,
      ) {
        if (ids.length === 0) return 0
        const deletion = deletionOf(account, folder, objects)
        return yield* inAccount(account, Effect.flatMap(RecordingRows.findDetached(ids), deleteEach(deletion)))
      })

      const removeSound = (account: { readonly id: string }) =>
        Effect.tryPromise(() => rm(folder.folderOf(account), { recursive: true, force: true })).pipe(
          Effect.andThen(objects === null ? Effect.void : objects.removeAll(account.id)),
          // The next sweep tries again. A failure delays neither the other folders nor the remaining accounts.
          Effect.catch((fault) =>
            Effect.annotateLogs(Effect.logWarning("deleting the recordings of a deleted account failed", fault), {
              account_id: account.id,
            }),
          ),
        )
      /**
       * Holds the row meanwhile, so that no import of the account begins to write recordings. An import at work has
       * locked it, and has perhaps written some. Other processes may sweep their disks at the same time.
       */
      const sweepOne = Effect.fnUntraced(function* (account: { readonly id: string }) {
        const [row] = yield* platform`select from deleted_accounts where id = ${account.id} for share skip locked`
        if (row !== undefined) yield* keepOpen(removeSound(account), longestSweep)
      }, inTransaction)
      const sweepDeleted = Effect.gen(function* () {
        yield* platform`
          delete from deleted_accounts where id in (
            select id from deleted_accounts where deleted_at < now() - make_interval(days => ${rememberedDays})
            for update skip locked
          )`
        const deleted = yield* platform<{ readonly id: string }>`select id from deleted_accounts`
        yield* Effect.forEach(deleted, sweepOne, { discard: true })
      }).pipe(Effect.orDie)

      return { sweep, deleteSound, sweepDeleted }
    }),
  )
}

const sweepAll = Effect.fnUntraced(function* (deletion: Deletion, retentionDays: number) {
  yield* RecordingRows.detachOlderThan(retentionDays)
  return yield* deleteEach(deletion)(yield* RecordingRows.findDetached("all"))
}, Effect.orDie)

/** Deletes the sound of an account's recordings from the places where it may be. */
interface Deletion {
  /** Deletes the file. Returns whether there was one on this machine. */
  readonly deleteFile: (id: string) => Effect.Effect<boolean, unknown>
  /** Deletes the object; null without an object store. */
  readonly deleteObject: ((id: string) => Effect.Effect<void, StoreFault>) | null
}

const deletionOf = (account: AccountEntry, folder: RecordingFolder["Service"], objects: Objects | null): Deletion => ({
  deleteFile: (id) =>
    Effect.tryPromise({
      try: () => rm(folder.fileOf(account, id)).then(() => true, isMissing),
      catch: (fault) => fault,
    }),
  deleteObject: objects === null ? null : (id) => objects.remove(account.id, id),
})

/**
 * Deletes the sound, and then the row. A file on another machine's disk is left to that machine for a week, unless the
 * sound is in the object store. If a file cannot be deleted, its row stays for the next sweep, and the loop goes on.
 * The object is deleted even if the row does not mention one, because its upload may just have ended.
 */
const deleteEach = ({ deleteFile, deleteObject }: Deletion) =>
  Effect.fnUntraced(function* (detached: ReadonlyArray<RecordingRows.Detached>) {
    const sql = yield* SqlClient.SqlClient
    let deleted = 0
    let failed = 0
    let isStoreDown = false
    const deleteSound = Effect.fnUntraced(function* ({ id, is_stored }: RecordingRows.Detached) {
      const isHere = yield* deleteFile(id)
      if (deleteObject === null && is_stored) return yield* Effect.fail(noStore)
      // Skips the store after a failure: each further request would wait for its time-out.
      if (isStoreDown) return yield* Effect.fail(storeDown)
      yield* (deleteObject?.(id) ?? Effect.void).pipe(Effect.tapError(() => Effect.sync(() => (isStoreDown = true))))
      return isHere || is_stored
    })
    for (const row of detached) {
      const isGone = yield* deleteSound(row).pipe(
        Effect.tapError((fault) =>
          failed++ === 0 ? Effect.logWarning("deleting a recording failed", fault) : Effect.void,
        ),
        Effect.orElseSucceed(() => null),
      )
      if (isGone === null) continue
      if (!isGone && row.host !== hostname() && !row.is_old) continue
      yield* sql`delete from recordings where id = ${row.id} and call_id is null`
      deleted++
    }
    if (failed > 0)
      yield* Effect.annotateLogs(Effect.logWarning("recordings remain that cannot be deleted"), { failed })
    return deleted
  }, Effect.orDie)

const noStore = "The sound is in an object store, and PARLEY_RECORDINGS_S3_BUCKET names none."
const storeDown = "The object store cannot be reached."

/** Returns false if a deletion failed because there is no such file. Throws any other failure again. */
const isMissing = (fault: unknown): false => {
  if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return false
  throw fault
}
