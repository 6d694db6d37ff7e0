/** The folder of the files of exports on this machine, and the deletion of files that have expired. */
import { Clock, Config, Context, Effect, Layer, Option, Schedule } from "effect"
import { mkdir, readdir, rm, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { DataFolder } from "../tenancy/DataFolder.ts"
import { PlatformDatabase } from "../tenancy/PlatformDatabase.ts"
import { keptHours } from "./ExportRows.ts"

const sweepEvery = "10 minutes"

type Account = { readonly id: string }

export class ExportFolder extends Context.Service<
  ExportFolder,
  {
    /** Creates the folder of an export's file, and returns the file's path. */
    readonly prepare: (account: Account, id: string) => Effect.Effect<string>
    readonly fileOf: (account: Account, id: string) => string
    /** Deletes the file of one export, if it is there. */
    readonly discard: (account: Account, id: string) => Effect.Effect<void>
    /** Deletes the files of an account, except those of one export. */
    readonly clear: (account: Account, except?: string) => Effect.Effect<void>
    /** Deletes the files that have expired, and those of deleted accounts. */
    readonly sweep: Effect.Effect<void>
  }
>()("archive/ExportFolder") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const data = yield* DataFolder
      const platform = yield* PlatformDatabase
      const own = yield* Config.option(Config.String("PARLEY_EXPORTS_DIR"))
      const root = resolve(Option.getOrElse(own, () => join(data, "exports")))
      const folderOf = ({ id }: Account) => join(root, id)
      const fileOf = (account: Account, id: string) => join(folderOf(account), `${id}.tar.gz`)

      const namesIn = (folder: string) => Effect.promise(() => readdir(folder).catch((): Array<string> => []))
      const remove = (path: string) =>
        Effect.tryPromise(() => rm(path, { recursive: true, force: true })).pipe(
          Effect.catch(({ cause }) => Effect.logWarning("deleting the file of an export failed", cause)),
        )
      const clear = Effect.fnUntraced(function* (account: Account, except?: string) {
        for (const name of yield* namesIn(folderOf(account))) {
          if (except === undefined || !name.startsWith(except)) yield* remove(join(folderOf(account), name))
        }
      })
      const sweepOld = Effect.fnUntraced(function* (id: string) {
        const before = (yield* Clock.currentTimeMillis) - keptHours * 3_600_000
        for (const name of yield* namesIn(folderOf({ id }))) {
          const path = join(folderOf({ id }), name)
          // A file that is being written never looks old, because it changes all the time.
          const changed = yield* Effect.promise(() =>
            stat(path).then(
              ({ mtimeMs }) => mtimeMs,
              () => before,
            ),
          )
          if (changed <= before) yield* remove(path)
        }
      })
      const sweep = Effect.gen(function* () {
        const deleted = yield* platform<Account>`
          select id from deleted_accounts union select id from accounts where deleting_at is not null`
        for (const { id } of deleted) yield* remove(folderOf({ id }))
        for (const id of yield* namesIn(root)) yield* sweepOld(id)
      }).pipe(Effect.orDie)

      return {
        fileOf,
        prepare: (account, id) =>
          Effect.promise(() => mkdir(folderOf(account), { recursive: true, mode: 0o700 })).pipe(
            Effect.as(fileOf(account, id)),
          ),
        discard: (account, id) => remove(fileOf(account, id)),
        clear,
        sweep,
      }
    }),
  )

  /** Sweeps at once, and then every ten minutes. */
  static readonly layerSweeping = Layer.effectDiscard(
    Effect.gen(function* () {
      const { sweep } = yield* ExportFolder
      yield* sweep.pipe(
        Effect.catchCause((cause) => Effect.logWarning("deleting the files of old exports failed", cause)),
        Effect.repeat(Schedule.spaced(sweepEvery)),
        Effect.forkScoped,
      )
    }),
  )
}
