/** A call that this process conducts, from the commit of its intent until its end is written. */
import { Deferred, type Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AccountEntry } from "../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import type { ToolRunner } from "./tools/ToolRunner.ts"

export interface LiveCall {
  readonly tenant: AccountEntry
  readonly hangUp: Deferred.Deferred<void>
  /** Another process has taken it over. */
  readonly lost: Deferred.Deferred<void>
  /** Done when its end is written, or is somebody else's to write. */
  readonly over: Deferred.Deferred<void>
  /** When the database last said that it is this process's, in milliseconds. */
  confirmed_at: number
  /** A word may have gone to the carrier. */
  dialled: boolean
}

export const make = (tenant: AccountEntry, confirmed_at: number): LiveCall => ({
  ...{ tenant, confirmed_at, dialled: false },
  ...{ hangUp: Deferred.makeUnsafe(), lost: Deferred.makeUnsafe(), over: Deferred.makeUnsafe() },
})

/** Runs statements, and tools, in an account's database, held no longer than they take. */
export type InAccount = (
  tenant: AccountEntry,
) => <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | CurrentTenant | ToolRunner>) => Effect.Effect<A, E>
