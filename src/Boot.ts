/** What happens once before the server listens: accounts are brought to the newest schema; a fresh store has `demo`. */
import { Effect, Layer } from "effect"
import { AccountSlug, accountDefaults } from "./domain/Account.ts"
import { AccountDirectory } from "./tenancy/AccountDirectory.ts"
import { Environment } from "./tenancy/Environment.ts"
import { Provisioning } from "./tenancy/Provisioning.ts"

/** The account that a newcomer signs in to, in development alone (decisions §6). */
const demo = { ...accountDefaults, slug: AccountSlug.make("demo"), name: "Demo", discoverable: true }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const directory = yield* AccountDirectory
    yield* provisioning.migrateAll
    if ((yield* Environment) === "production" || (yield* directory.all).length > 0) return
    // Another process on the same fresh store may be as far.
    yield* provisioning.create(demo).pipe(Effect.catchTag("NameTaken", () => Effect.void))
  }),
)
