/** The account `demo`, which a fresh store of a development begins with, so that a newcomer can sign in at once. */
import { Effect, Layer } from "effect"
import { accountDefaults, AccountSlug } from "../domain/Account.ts"
import { AccountDirectory } from "./AccountDirectory.ts"
import { Environment } from "./Environment.ts"
import { Provisioning } from "./Provisioning.ts"

/** A store that has any account is not fresh: a demo that was deleted stays deleted. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const directory = yield* AccountDirectory
    const provisioning = yield* Provisioning
    if ((yield* Environment) !== "development" || (yield* directory.page({ page: 0, page_size: 1 })).total > 0) return
    const demo = { ...accountDefaults, slug: AccountSlug.make("demo"), name: "Demo", discoverable: true }
    // Two processes that boot at once may both have found none.
    yield* Effect.catchTag(provisioning.create(demo), "NameTaken", () => Effect.void)
  }),
)
