/** Writes the archives that owners ordered, in the background, and records their progress. */
import { Cause, Clock, Config, Effect, Exit, Option, Schema, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { ObjectStore } from "../recording/ObjectStore.ts"
import { RecordingFolder } from "../recording/RecordingFolder.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import { capture } from "../tenancy/Capture.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { ArchiveRefused } from "./ArchiveFormat.ts"
import { exportAccount, noProgress, type Progress } from "./ExportAccount.ts"
import { ExportFolder } from "./ExportFolder.ts"
import * as ExportRows from "./ExportRows.ts"

/**
 * The number of exports that this process writes at the same time; the others wait. Each holds a connection in addition
 * to the pools, and uses part of a processor.
 */
const writtenAtOnce = 2
const noteEvery = "2 seconds"

const stopped = "The process that wrote the archive was stopped. Order a new export."

const MostGigabytes = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })),
  "PARLEY_EXPORT_MAX_GB",
).pipe(Config.withDefault(20))

export const make = Effect.gen(function* () {
  const folder = yield* ExportFolder
  const tenants = yield* TenantDatabases
  const mostBytes = (yield* MostGigabytes) * 1_000_000_000
  const places = yield* Semaphore.make(writtenAtOnce)
  const provide = yield* capture(DatabaseServers, ObjectStore, PlatformDatabase, RecordingFolder)

  const inAccount = <A, E>(tenant: AccountEntry, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.orDie(tenants.open(tenant)).pipe(
      Effect.flatMap((context) => Effect.provideContext(effect, context)),
      Effect.scoped,
    )

  /** Records the progress at intervals. Fails once the export is no longer running, because it was withdrawn. */
  const noting = (tenant: AccountEntry, id: string, progress: Progress) =>
    Effect.gen(function* () {
      yield* Effect.sleep(noteEvery)
      if (!(yield* inAccount(tenant, ExportRows.note(id, progress))))
        return yield* new ArchiveRefused({ why: ExportRows.withdrawn })
    }).pipe(Effect.forever)

  return (tenant: AccountEntry, id: string, hasRecordings: boolean) =>
    Effect.gen(function* () {
      const progress = noProgress()
      const file = yield* folder.prepare(tenant, id)
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const written = yield* provide(exportAccount(tenant, { file, hasRecordings, mostBytes, now, progress })).pipe(
        places.withPermits(1),
        Effect.raceFirst(noting(tenant, id, progress)),
        Effect.exit,
      )
      const end = Exit.match(written, {
        onSuccess: ({ bytes }) => ExportRows.complete(id, progress, bytes),
        onFailure: (cause) => ExportRows.fail(id, progress, reasonOf(cause)),
      })
      const isKept = yield* inAccount(tenant, end)
      if (Exit.isFailure(written) && Option.isNone(Exit.findErrorOption(written))) {
        yield* Effect.logError("an export failed", written.cause)
      }
      // The export may have been withdrawn after its file was complete.
      if (!isKept || Exit.isFailure(written)) yield* folder.discard(tenant, id)
    }).pipe(
      Effect.onInterrupt(() => Effect.ignoreCause(inAccount(tenant, ExportRows.fail(id, noProgress(), stopped)))),
      Effect.catchCause((cause) => Effect.logError("an export failed", cause)),
      Effect.annotateLogs({ account: tenant.account.slug, export: id }),
    )
})

const reasonOf = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => "The archive could not be written. The operator's log has the cause.",
    onSome: (error) =>
      error instanceof ArchiveRefused ? error.why : "The database could not be read. Order a new export.",
  })
