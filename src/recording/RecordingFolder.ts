/**
 * The folder of recordings on this machine. Files are named after call ids and folders after account ids, so that no
 * name reveals a phone number or a customer.
 */
import { Config, Context, Effect, Layer, Option } from "effect"
import { readdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { CallId } from "../domain/Call.ts"
import { isUuid } from "../domain/Name.ts"
import { DataFolder } from "../tenancy/DataFolder.ts"

/** Ids begin with the time; their last two digits spread the files evenly over 256 folders. */
const shardOf = (id: string): string => id.slice(-2)

export interface RecordingFile {
  readonly account: string
  readonly id: CallId
  readonly path: string
}

export class RecordingFolder extends Context.Service<
  RecordingFolder,
  {
    readonly fileOf: (account: { readonly id: string }, id: string) => string
    /** The folder of an account's recordings. */
    readonly folderOf: (account: { readonly id: string }) => string
    /** Lists every recording on this machine, the oldest of each account first. */
    readonly list: () => Promise<ReadonlyArray<RecordingFile>>
  }
>()("recording/RecordingFolder") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const data = yield* DataFolder
      const own = yield* Config.option(Config.String("PARLEY_RECORDINGS_DIR"))
      const root = resolve(Option.getOrElse(own, () => join(data, "recordings")))
      const folderOf = ({ id }: { readonly id: string }) => join(root, id)
      const fileOf = (account: { readonly id: string }, id: string) => join(folderOf(account), shardOf(id), `${id}.wav`)
      return { folderOf, fileOf, list: () => listOf(root, fileOf) }
    }),
  )
}

const listOf = async (
  root: string,
  fileOf: RecordingFolder["Service"]["fileOf"],
): Promise<ReadonlyArray<RecordingFile>> => {
  const found: Array<RecordingFile> = []
  for (const account of (await namesIn(root)).filter(isUuid)) {
    const ids: Array<string> = []
    for (const shard of await namesIn(join(root, account))) {
      const names = await namesIn(join(root, account, shard))
      ids.push(...names.filter((name) => name.endsWith(".wav")).map((name) => name.slice(0, -".wav".length)))
    }
    for (const id of ids.filter(isUuid).toSorted()) {
      found.push({ account, id: CallId.make(id), path: fileOf({ id: account }, id) })
    }
  }
  return found
}

/** The names in a folder; none if there is no such folder. */
const namesIn = (folder: string): Promise<ReadonlyArray<string>> => readdir(folder).catch(() => [])
