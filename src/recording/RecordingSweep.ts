/**
 * Deletes the sound of recordings whose time is over, and of calls and accounts that were deleted. Each process sweeps
 * the disk that it can see.
 */
import { Config, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rm } from "node:fs/promises"
import { hostname } from "node:os"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import * as RecordingRows from "./RecordingRows.ts"

/** So long are deleted accounts remembered: every machine has swept its disk by then. */
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
    /** Deletes the sound of these recordings, whose calls were deleted. Returns how many were deleted. */
    readonly deleteSound: (account: AccountEntry, ids: ReadonlyArray<string>) => Effect.Effect<number>
    /** Deletes the folders of accounts that were deleted. */
    readonly sweepDeleted: Effect.Effect<void>
  }
>()("recording/RecordingSweep") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const folder = yield* RecordingFolder
      const platform = yield* PlatformDatabase
      const tenants = yield* TenantDatabases
      const retentionDays = yield* RetentionDays

      const inAccount = <A>(account: AccountEntry, effect: Effect.Effect<A, never, SqlClient.SqlClient>) =>
        Effect.orDie(tenants.open(account)).pipe(
          Effect.flatMap((context) => Effect.provideContext(effect, context)),
          Effect.scoped,
        )
      const sweep = Effect.fn("RecordingSweep.sweep")(function* (account: AccountEntry) {
        const fileOf = (id: string) => folder.fileOf(account, id)
        return yield* inAccount(account, sweepAll(fileOf, account.account.recording_days ?? retentionDays))
      })
      const deleteSound = Effect.fn("RecordingSweep.deleteSound")(function* (
        account: AccountEntry,
        ids: ReadonlyArray<string>,
      ) {
        if (ids.length === 0) return 0
        const fileOf = (id: string) => folder.fileOf(account, id)
        return yield* inAccount(account, Effect.flatMap(RecordingRows.findDetached(ids), deleteEach(fileOf)))
      })

      const sweepDeleted = Effect.gen(function* () {
        yield* platform`
          delete from deleted_accounts where deleted_at < now() - make_interval(days => ${rememberedDays})`
        const deleted = yield* platform<{ readonly id: string }>`select id from deleted_accounts`
        for (const account of deleted) {
          yield* Effect.tryPromise(() => rm(folder.folderOf(account), { recursive: true, force: true })).pipe(
            // Tried again in the next sweep. It delays neither the other folders nor the accounts that remain.
            Effect.catch(({ cause }) =>
              Effect.annotateLogs(Effect.logWarning("deleting the recordings of a deleted account failed", cause), {
                account_id: account.id,
              }),
            ),
          )
        }
      }).pipe(Effect.orDie)

      return { sweep, deleteSound, sweepDeleted }
    }),
  )
}

const sweepAll = Effect.fnUntraced(function* (fileOf: FileOf, retentionDays: number) {
  yield* RecordingRows.detachOlderThan(retentionDays)
  return yield* deleteEach(fileOf)(yield* RecordingRows.findDetached("all"))
}, Effect.orDie)

type FileOf = (id: string) => string

/**
 * The row goes after the file. A file on another machine's disk is left to that machine for a week. A file that cannot be
 * deleted keeps its row for the next sweep, and does not keep the others.
 */
const deleteEach = (fileOf: FileOf) =>
  Effect.fnUntraced(function* (detached: ReadonlyArray<RecordingRows.Detached>) {
    const sql = yield* SqlClient.SqlClient
    let deleted = 0
    let failed = 0
    for (const { host, id, is_old } of detached) {
      const isHere = yield* Effect.tryPromise(() => rm(fileOf(id)).then(() => true, isMissing)).pipe(
        Effect.tapError(({ cause }) =>
          failed++ === 0 ? Effect.logWarning("deleting a recording failed", cause) : Effect.void,
        ),
        Effect.orElseSucceed(() => null),
      )
      if (isHere === null) continue
      if (!isHere && host !== hostname() && !is_old) continue
      yield* sql`delete from recordings where id = ${id} and call_id is null`
      deleted++
    }
    if (failed > 0)
      yield* Effect.annotateLogs(Effect.logWarning("recordings remain that cannot be deleted"), { failed })
    return deleted
  }, Effect.orDie)

/** Whether a deletion failed because there is no such file; any other failure is thrown again. */
const isMissing = (fault: unknown): false => {
  if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return false
  throw fault
}
