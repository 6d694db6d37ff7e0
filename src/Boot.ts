/**
 * Runs once before the server listens: checks the encryption key and the cell, pauses restored accounts and gives them
 * their roles back, begins to migrate accounts to the newest schema, and creates `demo` in a new installation.
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

/** The account that a new user signs in to, in development only (decisions §6). */
const demo = { ...accountDefaults, slug: AccountSlug.make("demo"), name: "Demo", discoverable: true }

const once = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    yield* warnIfTooFew
    yield* refuseWrongKey
    yield* Cell.refuseUnknown
    yield* RestoredCopies.use((copies) => copies.checkAtBoot)
    yield* AccountAccess.use((access) => access.restore)
    const unreadable = (yield* directory.allServed).flatMap(({ account, isReadable }) =>
      isReadable ? [] : [account.slug],
    )
    if (unreadable.length > 0) {
      yield* Effect.annotateLogs(Effect.logError("the data key of an account cannot be read"), { accounts: unreadable })
    }
    yield* AccountMigrations.use((migrations) => migrations.begin)
    if ((yield* Environment) === "production" || (yield* directory.page({ page: 0, page_size: 1 })).total > 0) return
    // Another process may be starting on the same new installation.
    yield* Provisioning.use((provisioning) => provisioning.create(demo)).pipe(
      Effect.catchTag("NameTaken", () => Effect.void),
    )
  }),
)

export const layer = Upkeep.layer.pipe(Layer.provideMerge(once))
