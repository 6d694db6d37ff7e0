/** Refuses to start with the encryption key of another installation. */
import { Data, Effect } from "effect"
import { AccountDirectory } from "./AccountDirectory.ts"

export class WrongEncryptionKey extends Data.TaggedError("WrongEncryptionKey")<{ readonly accounts: number }> {
  override get message() {
    return (
      `PARLEY_ENCRYPTION_KEY does not open the data keys in this database (accounts: ${this.accounts}). Start Parley with the ` +
      "key that they were made with; without the setting, it is the file encryption.key in PARLEY_DATA_DIR."
    )
  }
}

/** The newest accounts that are tried first: a large installation is not read as a whole. */
const tried = 100

/**
 * Fails if the key opens neither one of the newest accounts, nor one of this cell. If it opens some, only the others are
 * unavailable.
 */
export const refuseWrongKey = Effect.gen(function* () {
  const directory = yield* AccountDirectory
  const { items, total } = yield* directory.page({ page: 0, page_size: tried })
  if (total === 0 || items.some(({ isReadable }) => isReadable)) return
  const served = yield* directory.allServed
  if (!served.some(({ isReadable }) => isReadable)) return yield* new WrongEncryptionKey({ accounts: total })
})
