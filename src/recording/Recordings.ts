/** Finds the recordings of ended calls and reads their sound, from this machine's disk or from the object store. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Effect, Layer, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { createReadStream } from "node:fs"
import type { CallId } from "../domain/Call.ts"
import { RecordingElsewhere, RecordingUnavailable } from "../domain/Recording.ts"
import { InvalidState, NotFound } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { ObjectStore } from "./ObjectStore.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import * as RecordingRows from "./RecordingRows.ts"
import { headerBytes, repair, sizeOf } from "./WavFile.ts"

const stillGrowing = "The call is in progress. Its recording is available when the call has ended."

/** A complete WAV file. */
export interface StoredSound {
  readonly bytes: number
  /** Reads from the byte `first` to the byte `last`, both included. */
  readonly read: (first: number, last: number) => Stream.Stream<Uint8Array>
}

/** Sound as the disk or the store returns it. */
interface FoundSound {
  readonly bytes: number
  readonly read: (first: number, last: number) => Stream.Stream<Uint8Array, unknown>
}

const isMissingFile = (fault: unknown): boolean => fault instanceof Error && "code" in fault && fault.code === "ENOENT"

export class Recordings extends Context.Service<
  Recordings,
  {
    /** Finds the sound of a call of the current account. */
    readonly find: (
      id: CallId,
    ) => Effect.Effect<
      StoredSound,
      NotFound | InvalidState | RecordingElsewhere | RecordingUnavailable,
      CurrentTenant | SqlClient.SqlClient
    >
  }
>()("recording/Recordings") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const folder = yield* RecordingFolder
      const objects = yield* ObjectStore
      const findStored = (account: string, id: CallId) =>
        objects === null
          ? Effect.undefined
          : objects.find(account, id).pipe(
              Effect.tapError((fault) => Effect.logWarning("a stored recording could not be read", fault.message)),
              Effect.mapError(() => new RecordingUnavailable({ id })),
            )
      const findHere = Effect.fnUntraced(function* (path: string) {
        // A failure is ignored: a read-only disk, such as a backup's, serves the file as it is.
        yield* Effect.ignore(Effect.tryPromise(() => repair(path)))
        const size = yield* Effect.promise(() => sizeOf(path))
        if (size === undefined) return undefined
        return {
          bytes: size,
          read: (start: number, end: number): Stream.Stream<Uint8Array, unknown> =>
            NodeStream.fromReadable({
              evaluate: () => createReadStream(path, { start, end }),
              onError: (fault) => fault,
            }),
        }
      })

      return {
        find: Effect.fn("Recordings.find")(function* (id: CallId) {
          const row = yield* RecordingRows.find(id)
          if (row === undefined) return yield* new NotFound({ resource: "recording of the call", id })
          if (!row.has_ended) return yield* new InvalidState({ state: "in_progress", detail: stillGrowing })
          const tenant = yield* CurrentTenant
          const here = yield* findHere(folder.fileOf(tenant, id))
          // The recording process was killed before it had written the header.
          if (here !== undefined && here.bytes < headerBytes) {
            return yield* new NotFound({ resource: "recording of the call", id })
          }
          const sound: FoundSound | undefined = here ?? (yield* findStored(tenant.id, id))
          if (sound === undefined) return yield* new RecordingElsewhere({ id, host: row.host })
          return {
            bytes: sound.bytes,
            read: (first, last) =>
              sound.read(first, last).pipe(
                // The file was uploaded and deleted after it was found: read the object instead.
                Stream.catchIf(isMissingFile, () =>
                  Stream.unwrap(
                    Effect.map(findStored(tenant.id, id), (stored) => stored?.read(first, last) ?? Stream.empty),
                  ),
                ),
                Stream.orDie,
              ),
          }
        }),
      }
    }),
  )
}
