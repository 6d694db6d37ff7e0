/** Finds the recordings of calls that have ended, and reads their sound, wherever it is. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Effect, Layer, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import type { CallId } from "../domain/Call.ts"
import { RecordingElsewhere } from "../domain/Recording.ts"
import { InvalidState, NotFound } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { RecordingFolder } from "./RecordingFolder.ts"
import * as RecordingRows from "./RecordingRows.ts"
import { headerBytes, repair } from "./WavFile.ts"

const stillGrowing = "The call is in progress. Its recording is available when the call has ended."

/** A WAV file that does not change any more. */
export interface StoredSound {
  readonly bytes: number
  /** Reads from the byte `first` to the byte `last`, both included. */
  readonly read: (first: number, last: number) => Stream.Stream<Uint8Array>
}

export class Recordings extends Context.Service<
  Recordings,
  {
    /** The sound of a call of the account in the fiber. */
    readonly find: (
      id: CallId,
    ) => Effect.Effect<StoredSound, NotFound | InvalidState | RecordingElsewhere, CurrentTenant | SqlClient.SqlClient>
  }
>()("recording/Recordings") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const folder = yield* RecordingFolder
      const findHere = Effect.fnUntraced(function* (path: string) {
        const isThere = yield* Effect.promise(() =>
          stat(path).then(
            () => true,
            () => false,
          ),
        )
        if (!isThere) return undefined
        // A disk that is read-only, such as a backup's, serves the file as it is.
        yield* Effect.ignore(Effect.tryPromise(() => repair(path)))
        const { size } = yield* Effect.promise(() => stat(path))
        const sound: StoredSound = {
          bytes: size,
          read: (start, end) =>
            Stream.orDie(NodeStream.fromReadable({ evaluate: () => createReadStream(path, { start, end }) })),
        }
        return sound
      })
      return {
        find: Effect.fn("Recordings.find")(function* (id: CallId) {
          const row = yield* RecordingRows.find(id)
          if (row === undefined) return yield* new NotFound({ resource: "recording of the call", id })
          if (!row.has_ended) return yield* new InvalidState({ state: "in_progress", detail: stillGrowing })
          const here = yield* findHere(folder.fileOf(yield* CurrentTenant, id))
          // Its process was killed before it had written the header.
          if (here !== undefined && here.bytes < headerBytes) {
            return yield* new NotFound({ resource: "recording of the call", id })
          }
          return here ?? (yield* new RecordingElsewhere({ id, host: row.host }))
        }),
      }
    }),
  )
}
