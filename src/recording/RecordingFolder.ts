/**
 * Where the files of recordings are on this machine. A file is named after its call and an account's folder after the
 * account's id, so that no name tells a phone number or a customer.
 */
import { Config, Context, Effect, Layer, Option } from "effect"
import { join, resolve } from "node:path"
import { DataFolder } from "../tenancy/DataFolder.ts"

/** Ids begin with the time; their last two digits spread the files evenly over 256 folders. */
const shardOf = (id: string): string => id.slice(-2)

export class RecordingFolder extends Context.Service<
  RecordingFolder,
  {
    readonly fileOf: (account: { readonly id: string }, id: string) => string
    /** Of all recordings of an account. */
    readonly folderOf: (account: { readonly id: string }) => string
  }
>()("recording/RecordingFolder") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const data = yield* DataFolder
      const own = yield* Config.option(Config.String("PARLEY_RECORDINGS_DIR"))
      const root = resolve(Option.getOrElse(own, () => join(data, "recordings")))
      const folderOf = ({ id }: { readonly id: string }) => join(root, id)
      return { folderOf, fileOf: (account, id) => join(folderOf(account), shardOf(id), `${id}.wav`) }
    }),
  )
}
