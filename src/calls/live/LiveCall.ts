/** A call that this process conducts, from the commit of its intent until its end is written. */
import { Deferred, type Effect, type Fiber } from "effect"
import type { SqlClient } from "effect/sql"
import type { CallRecord } from "../../conversation/CallRecord.ts"
import type { AccountEntry } from "../../tenancy/AccountDirectory.ts"
import type { CurrentTenant } from "../../tenancy/CurrentTenant.ts"
import type { ToolRunner } from "../../tools/ToolRunner.ts"

export interface LiveCall {
  readonly tenant: AccountEntry
  readonly hangUp: Deferred.Deferred<void>
  /** Done when its end is written, or is somebody else's to write. */
  readonly over: Deferred.Deferred<void>
  /** Who conducts it, once it is equipped. */
  fiber: Fiber.Fiber<void> | undefined
  /** Another process has taken it over. */
  lost: boolean
  /** When the database last said that it is this process's, in milliseconds. */
  confirmed_at: number
  /** A word may have gone to the carrier. */
  dialled: boolean
  /** What was said so far, once somebody talks. */
  record: CallRecord | undefined
}

export const make = (tenant: AccountEntry, confirmed_at: number): LiveCall => ({
  ...{ tenant, confirmed_at, dialled: false, record: undefined, fiber: undefined, lost: false },
  ...{ hangUp: Deferred.makeUnsafe(), over: Deferred.makeUnsafe() },
})

/** It is no business of this process any more: whoever conducts it here stops, and writes nothing. */
export const lose = (call: LiveCall): void => {
  call.lost = true
  call.fiber?.interruptUnsafe()
}

/** Runs statements, and tools, in an account's database, held no longer than they take. */
export type InAccount = (
  tenant: AccountEntry,
) => <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient | CurrentTenant | ToolRunner>) => Effect.Effect<A, E>
