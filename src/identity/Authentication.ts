/** Who is asking, and may they? The decision of decisions §3, without a word of HTTP; the edge walks its steps in order. */
import { Context, type Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountNotFound } from "../domain/Account.ts"
import type {
  AccountSuspended,
  AdminRequired,
  Identified,
  Identity,
  IssuerUnreachable,
  NotAMember,
  Principal,
  Unauthenticated,
} from "../domain/Principal.ts"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** What the text after `Bearer ` says by itself. No database of an account is touched. */
    readonly identify: (bearer: string) => Effect.Effect<Identified, Unauthenticated | IssuerUnreachable>
    /** The account that a request names. To an API key an unknown one is a 401: nothing there could prove the key. */
    readonly locate: (
      identified: Identified,
      slug: string,
    ) => Effect.Effect<AccountEntry, AccountNotFound | Unauthenticated>
    /** Membership and role, or the key and its scopes, in the account whose database is the fiber's `SqlClient`. */
    readonly admit: (
      identified: Identified,
      entry: AccountEntry,
    ) => Effect.Effect<Principal, Unauthenticated | NotAMember | AccountSuspended, SqlClient.SqlClient>
    /** Platform administrators alone. */
    readonly administrator: (identified: Identified) => Effect.Effect<Identity, AdminRequired>
  }
>()("identity/Authenticator") {}
