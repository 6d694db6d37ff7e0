/** What happens once before the server listens: accounts are brought to the newest schema; in development there is `demo`. */
import { Effect, Layer } from "effect"
import { AccountSlug, accountDefaults } from "./domain/Account.ts"
import { Environment } from "./tenancy/Environment.ts"
import { Provisioning } from "./tenancy/Provisioning.ts"

/** The account that a newcomer signs in to (decisions §6); a later boot finds it there. */
const demo = { ...accountDefaults, slug: AccountSlug.make("demo"), name: "Demo", discoverable: true }

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    yield* provisioning.migrateAll
    if ((yield* Environment) === "production") return
    yield* provisioning.create(demo).pipe(Effect.catchTag("NameTaken", () => Effect.void))
  }),
)
