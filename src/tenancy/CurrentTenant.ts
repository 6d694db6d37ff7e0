/** The account whose database the fiber's `SqlClient` is, and the key that seals that account's secrets. */
import { Context } from "effect"
import type { AccountEntry } from "./AccountDirectory.ts"

export class CurrentTenant extends Context.Service<CurrentTenant, AccountEntry>()("tenancy/CurrentTenant") {}
