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

/** Fails if the key opens none of the accounts. If it opens some, only the others are unavailable. */
export const refuseWrongKey = Effect.gen(function* () {
  const all = yield* AccountDirectory.use((directory) => directory.all)
  if (all.length > 0 && all.every(({ isReadable }) => !isReadable)) {
    return yield* new WrongEncryptionKey({ accounts: all.length })
  }
})
