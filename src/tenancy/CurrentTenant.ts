/**
 * The account that the fiber works for. The fiber's `SqlClient` is that account's database, and `dataKey` seals its
 * secrets.
 */
import { Context } from "effect"
import type { AccountEntry } from "./AccountDirectory.ts"

export class CurrentTenant extends Context.Service<CurrentTenant, AccountEntry>()("tenancy/CurrentTenant") {}
