/** Runs a carrier's request in the account that its path names, before the request is verified. */
import { Effect, Option, Schema } from "effect"
import { AccountSlug } from "../../domain/Account.ts"
import { NotKept, SignatureWrong } from "../../telephony/CarrierCallbacks.ts"
import { AccountDirectory } from "../../tenancy/AccountDirectory.ts"
import { type Tenant, TenantDatabases } from "../../tenancy/TenantDatabases.ts"

const decodeSlug = Schema.decodeUnknownOption(AccountSlug)

/** Returns a function that runs `take` in the account's database. `isActive`: whether the account may take calls. */
export const makeWithin = Effect.gen(function* () {
  const accounts = yield* AccountDirectory
  const tenants = yield* TenantDatabases
  return <A>(
    account: string,
    take: (isActive: boolean) => Effect.Effect<A, SignatureWrong, Tenant>,
  ): Effect.Effect<A, SignatureWrong | NotKept> => {
    const slug = Option.getOrNull(decodeSlug(account))
    if (slug === null) return Effect.fail(new SignatureWrong())
    return accounts.findServed(slug).pipe(
      Effect.flatMap(Effect.fromOption),
      Effect.flatMap((entry) =>
        Effect.flatMap(tenants.open(entry), (tenant) =>
          Effect.provideContext(take(entry.account.status !== "suspended"), tenant),
        ),
      ),
      Effect.scoped,
      // Also for an account of another cell: only its database could verify the signature.
      Effect.catchTag("NoSuchElementError", () => new SignatureWrong()),
      Effect.catchTag("AccountUnavailable", () => new NotKept()),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logWarning("an incoming call could not be taken", defect), new NotKept()),
      ),
      Effect.annotateLogs({ account }),
    )
  }
})
