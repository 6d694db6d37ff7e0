/** Checks whether an account's caps were copied from the directory to its own database, where dialling reads them. */
import { Effect, Option } from "effect"
import { hasCaps } from "../tenancy/AccountDatabases.ts"
import { AccountDirectory, type AccountEntry } from "../tenancy/AccountDirectory.ts"
import { DatabaseServers } from "../tenancy/DatabaseServers.ts"

/**
 * Whether the account's database has other caps than the directory. Checks twice, because an administrator may be
 * changing them at this moment.
 */
export const hasOldCaps = Effect.fnUntraced(function* (entry: AccountEntry) {
  const server = yield* DatabaseServers.use(({ find }) => find(entry.server))
  const directory = yield* AccountDirectory
  if (yield* hasCaps(server, entry.database, entry.account)) return false
  yield* Effect.sleep(changesWithin)
  const present = yield* directory.findById(entry.id)
  return Option.isSome(present) && !(yield* hasCaps(server, entry.database, present.value.account))
})

/** A change in the directory is copied at once; a migration may hold the table for two seconds. */
const changesWithin = "3 seconds"
