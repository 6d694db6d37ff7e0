/** Checks the folders that Parley writes: whether it may write, and whether there is room. */
import { Config, Effect, Option } from "effect"
import { accessSync, constants, existsSync, statfsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type Finding, failure, ok, warning } from "./Finding.ts"
import { bytes } from "./Output.ts"

/** An hour of 200 recorded calls over SIP is 23 GB; below this, an embedded server may stop within hours. */
const lowBytes = 2_000_000_000
/** PostgreSQL writes a checkpoint's worth of WAL (1 GB) before it removes any. */
const fullBytes = 200_000_000

/** Whether the embedded server has been started in the folder before. */
export const hasDatabase = (folder: string): boolean => existsSync(join(folder, "postgres/PG_VERSION"))

/** Returns the folder, or the nearest existing folder above it, in which it will be created. */
const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)))

const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

const look = (check: string, setting: string, folder: string): Finding => {
  const present = nearest(folder)
  if (!mayWrite(present)) {
    return failure(
      check,
      `${present} cannot be written by this user. Change its owner, or set ${setting} to another folder.`,
    )
  }
  const { bavail, bsize } = statfsSync(present)
  const free = bavail * bsize
  const says = `${folder} can be written; ${bytes(free)} are free there.`
  if (free < fullBytes) return failure(check, `${says} Make room, or set ${setting} to another disk.`)
  return free < lowBytes ? warning(check, `${says} That is little.`) : ok(check, says)
}

export const run = Effect.fnUntraced(function* (dataFolder: string) {
  const recordings = yield* Config.option(Config.String("PARLEY_RECORDINGS_DIR"))
  return [
    look("data folder", "PARLEY_DATA_DIR", resolve(dataFolder)),
    ...Option.match(recordings, {
      onNone: () => [],
      onSome: (folder) => [look("recordings", "PARLEY_RECORDINGS_DIR", resolve(folder))],
    }),
  ]
})
