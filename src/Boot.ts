/**
 * What happens once before the server listens: the encryption key and the cell are checked, restored accounts get their
 * roles back and are paused, accounts begin to be brought to the newest schema, and a fresh store gets `demo`.
 */
import { Effect, Layer } from "effect"
import { AccountSlug, accountDefaults } from "./domain/Account.ts"
import { AccountAccess } from "./tenancy/AccountAccess.ts"
import { AccountDirectory } from "./tenancy/AccountDirectory.ts"
import { AccountMigrations } from "./tenancy/AccountMigrations.ts"
import * as Cell from "./tenancy/Cell.ts"
import { warnIfTooFew } from "./tenancy/ConnectionBudget.ts"
import { refuseWrongKey } from "./tenancy/EncryptionKeyCheck.ts"
import { Environment } from "./tenancy/Environment.ts"
import { Provisioning } from "./tenancy/Provisioning.ts"
import { RestoredCopies } from "./tenancy/RestoredCopies.ts"
import * as Upkeep from "./tenancy/Upkeep.ts"

/** The account that a newcomer signs in to, in development alone (decisions §6). */
const demo = { ...accountDefaults, slug: AccountSlug.make("demo"), name: "Demo", discoverable: true }

const once = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    yield* warnIfTooFew
    yield* refuseWrongKey
    yield* Cell.refuseUnknown
    yield* RestoredCopies.use((copies) => copies.lookAtBoot)
    yield* AccountAccess.use((access) => access.restore)
    const unreadable = (yield* directory.allServed).flatMap(({ account, isReadable }) =>
      isReadable ? [] : [account.slug],
    )
    if (unreadable.length > 0) {
      yield* Effect.annotateLogs(Effect.logError("the data key of an account cannot be read"), { accounts: unreadable })
    }
    yield* AccountMigrations.use((migrations) => migrations.begin)
    if ((yield* Environment) === "production" || (yield* directory.page({ page: 0, page_size: 1 })).total > 0) return
    // Another process may be starting on the same fresh store.
    yield* Provisioning.use((provisioning) => provisioning.create(demo)).pipe(
      Effect.catchTag("NameTaken", () => Effect.void),
    )
  }),
)

export const layer = Upkeep.layer.pipe(Layer.provideMerge(once))
