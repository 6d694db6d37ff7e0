/**
 * Uploads complete recordings from this machine's disk to the object store, and deletes the files. No call waits for an
 * upload. While the store is unreachable, the files wait, and above a limit no further recording begins. Files that a
 * killed process left are found in the folder.
 */
import { Clock, Config, Context, Data, Effect, Layer, Option, Queue, Schema } from "effect"
import { rm, stat } from "node:fs/promises"
import type { CallId } from "../domain/Call.ts"
import { AccountDirectory } from "../tenancy/AccountDirectory.ts"
import { Cell } from "../tenancy/Cell.ts"
import { TenantDatabases } from "../tenancy/TenantDatabases.ts"
import { type Objects, ObjectStore } from "./ObjectStore.ts"
import { type RecordingFile, RecordingFolder } from "./RecordingFolder.ts"
import * as RecordingMetrics from "./RecordingMetrics.ts"
import * as RecordingRows from "./RecordingRows.ts"
import { headerBytes, repair, sizeOf } from "./WavFile.ts"

/** How many uploads run at once. An upload costs some 4 ms of processor time a megabyte, beside the live calls. */
const uploadsAtOnce = 2
/** A pass ends after this many failures, because the store is down or refuses everything. */
const failuresOfPass = 4
/** The pause after a failed pass. It doubles with each one, up to the longest. */
const firstPauseMs = 2_000
const longestPauseMs = 60_000
/** How often files are checked whose calls have not ended. */
const lookAgainMs = 5_000
/** How often the whole folder is listed, to find files of killed processes. */
const listEveryMs = 600_000
/** A file in the folder that was modified within this time may still grow. */
const growsMs = 5_000
/** How long a shutdown waits for the recordings of its last calls. */
const lastUploads = "10 seconds"

const SpoolMegabytes = Config.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000_000 })),
  "PARLEY_RECORDINGS_SPOOL_MB",
).pipe(Config.withDefault(20_000))

/** Too much sound waits for the object store. */
export class SpoolFull extends Data.TaggedError("SpoolFull")<{ readonly waiting: number; readonly bytes: number }> {
  override get message() {
    const megabytes = Math.round(this.bytes / 1e6)
    return `${this.waiting} recordings of ${megabytes} MB wait for the object store, more than PARLEY_RECORDINGS_SPOOL_MB`
  }
}

export class RecordingUploads extends Context.Service<
  RecordingUploads,
  {
    /** Fails with `SpoolFull` if no further recording may begin. */
    readonly admit: Effect.Effect<void, SpoolFull>
    /** Queues the upload of a recording whose file is complete. Does nothing if it has no file. */
    readonly offer: (account: { readonly id: string }, id: CallId) => Effect.Effect<void>
  }
>()("recording/RecordingUploads") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const spoolMegabytes = yield* SpoolMegabytes
      return objects === null
        ? { admit: Effect.void, offer: () => Effect.void }
        : yield* begin(objects, spoolMegabytes * 1_000_000)
    }),
  )
}

/** A file that waits for its upload. */
interface Waiting extends RecordingFile {
  readonly bytes: number
  /** Whether this process wrote the file to its end. */
  readonly isComplete: boolean
}

/** The waiting files by path, in the order in which they are tried. */
class Spool {
  readonly #files = new Map<string, Waiting>()
  #bytes = 0

  get count(): number {
    return this.#files.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get files(): ReadonlyArray<Waiting> {
    return [...this.#files.values()]
  }

  has(path: string): boolean {
    return this.#files.has(path)
  }

  add(file: Waiting): void {
    this.remove(file.path)
    this.#files.set(file.path, file)
    this.#bytes += file.bytes
  }

  remove(path: string): void {
    this.#bytes -= this.#files.get(path)?.bytes ?? 0
    this.#files.delete(path)
  }
}

const begin = Effect.fnUntraced(function* (objects: Objects, mostBytes: number) {
  const folder = yield* RecordingFolder
  const spool = new Spool()
  const count = Effect.suspend(() => RecordingMetrics.setWaiting(spool.count, spool.bytes))
  const wake = yield* Queue.sliding<void>(1)
  const upload = yield* makeUpload(objects)
  const pass = Effect.ensuring(passOver(spool, upload), count)

  yield* Effect.addFinalizer(() => Effect.andThen(finish(spool, pass), count))
  yield* objects.check.pipe(
    Effect.catch((fault) => Effect.logError("recordings cannot be stored; they wait on this machine", fault.message)),
    Effect.forkScoped,
  )
  yield* run(spool, folder, pass, Queue.take(wake)).pipe(
    Effect.catchCause((cause) => Effect.logError("uploads of recordings stopped; trying again", cause)),
    Effect.andThen(Effect.sleep(longestPauseMs)),
    Effect.forever,
    Effect.forkScoped,
  )
  return {
    admit: Effect.suspend(() =>
      spool.bytes < mostBytes ? Effect.void : new SpoolFull({ waiting: spool.count, bytes: spool.bytes }),
    ),
    offer: Effect.fnUntraced(function* (account: { readonly id: string }, id: CallId) {
      const path = folder.fileOf(account, id)
      const bytes = yield* Effect.promise(() => sizeOf(path))
      if (bytes === undefined) return
      spool.add({ account: account.id, id, path, bytes, isComplete: true })
      yield* count
      yield* Queue.offer(wake, undefined)
    }),
  }
})

/** Adds every file of the folder, including those of calls in progress. */
const list = Effect.fnUntraced(function* (spool: Spool, folder: RecordingFolder["Service"]) {
  for (const file of yield* Effect.promise(() => folder.list())) {
    if (spool.has(file.path)) continue
    const bytes = yield* Effect.promise(() => sizeOf(file.path))
    if (bytes !== undefined && bytes > headerBytes) spool.add({ ...file, bytes, isComplete: false })
  }
})

type Upload = (file: Waiting) => Effect.Effect<boolean, { readonly message: string }>

/**
 * Returns the function that uploads a file. It returns whether the file needs no further attempt; false: try again
 * later.
 */
const makeUpload = Effect.fnUntraced(function* (objects: Objects) {
  const directory = yield* AccountDirectory
  const tenants = yield* TenantDatabases
  const cell = yield* Cell
  const upload: Upload = Effect.fnUntraced(function* ({ account, id, isComplete, path }: Waiting) {
    const info = yield* Effect.promise(() => stat(path).catch(() => undefined))
    if (info === undefined) return true
    if (!isComplete && (yield* Clock.currentTimeMillis) - info.mtimeMs < growsMs) return false
    const entry = Option.getOrUndefined(yield* directory.findById(account))
    // The file belongs to another installation, or to a deleted account, whose folder the sweep deletes.
    if (entry === undefined) return true
    // The account has moved to another cell, whose database this process does not open: the file waits for its return.
    if (!cell.serves(entry.server)) return false
    const services = yield* tenants.open(entry)
    const row = yield* Effect.provideContext(RecordingRows.find(id), services)
    // Sound without a call must be deleted. Sound without a row may belong to another installation.
    if (row === undefined) return true
    if (!isComplete && !row.has_ended) return false
    yield* Effect.tryPromise(() => repair(path))
    yield* objects.put(account, id, path)
    // The row is gone if the person was erased meanwhile: delete the object again.
    const isKept = yield* Effect.provideContext(RecordingRows.setStored(id), services)
    if (!isKept) yield* objects.remove(account, id)
    yield* Effect.tryPromise(() => rm(path, { force: true }))
    yield* RecordingMetrics.countUpload
    return true
  }, Effect.scoped)
  return upload
})

/** Tries to upload every waiting file. Returns the last failure, or null. */
const passOver = Effect.fnUntraced(function* (spool: Spool, upload: Upload) {
  const failures: Array<string> = []
  const tryUpload = Effect.fnUntraced(function* (file: Waiting) {
    if (failures.length >= failuresOfPass) return
    const failure = yield* upload(file).pipe(
      Effect.map((isDone) => (isDone ? spool.remove(file.path) : undefined)),
      Effect.as(null),
      Effect.catch((fault) => Effect.succeed(fault.message)),
      Effect.catchDefect((defect) => Effect.succeed(String(defect))),
    )
    if (failure === null) return
    failures.push(failure)
    yield* RecordingMetrics.countUploadFailure
    // A failed file comes last in the next pass, so that it does not block others.
    spool.add(file)
  })
  yield* Effect.forEach(spool.files, tryUpload, { concurrency: uploadsAtOnce, discard: true })
  return failures.at(-1) ?? null
})

type Pass = ReturnType<typeof passOver>

const run = Effect.fnUntraced(function* (
  spool: Spool,
  folder: RecordingFolder["Service"],
  pass: Pass,
  offered: Effect.Effect<void>,
) {
  let pauseMs = 0
  let listedAt = -Infinity
  while (true) {
    const now = yield* Clock.currentTimeMillis
    if (now - listedAt >= listEveryMs) {
      yield* list(spool, folder)
      listedAt = now
    }
    const failure = yield* pass
    if (failure !== null) {
      yield* Effect.annotateLogs(Effect.logWarning("uploading recordings failed; they wait on this machine", failure), {
        waiting: spool.count,
        bytes: spool.bytes,
      })
      pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2))
      // A recording that ends meanwhile waits too.
      yield* Effect.sleep(pauseMs)
      continue
    }
    if (pauseMs > 0) yield* Effect.logInfo("recordings are uploaded again")
    pauseMs = 0
    yield* Effect.timeoutOption(offered, spool.count > 0 ? lookAgainMs : listEveryMs)
  }
})

/** At shutdown, one more pass uploads the recordings of the last calls. */
const finish = Effect.fnUntraced(function* (spool: Spool, pass: Pass) {
  if (spool.count > 0) yield* Effect.timeoutOption(pass, lastUploads)
  if (spool.count === 0) return
  yield* Effect.annotateLogs(Effect.logWarning("recordings remain on this machine; its next start uploads them"), {
    waiting: spool.count,
  })
})
