import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { CurrentOrigin, type Origin } from "../../src/tenancy/AuditTrail.ts"
import { lockBudget } from "../../src/tenancy/BudgetLock.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import { Provisioning } from "../../src/tenancy/Provisioning.ts"
import { sqlState } from "../../src/tenancy/SqlState.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { UnfinishedAccounts } from "../../src/tenancy/UnfinishedAccounts.ts"
import { layer, newAccount, within } from "../support/TestTenancy.ts"

const insertCall = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into calls (id, direction, status, agent_id, agent_name, variables, node_id, started_at)
    values (${uuidv7()}, 'web', 'in_progress', ${uuidv7()}::uuid, 'a', '{}', ${uuidv7()}::uuid, clock_timestamp())`
})
const beginCall = transaction(Effect.andThen(lockBudget(), insertCall))
const endCalls = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update calls set status = 'completed', ended_at = clock_timestamp() where ended_at is null`,
)

const drop = (slug: string) => Provisioning.use((provisioning) => provisioning.drop(slug))

const administrator: Origin = {
  actor: { type: "person", id: "p", issuer: "i", name: "Ada" },
  address: null,
  request_id: null,
}

const entriesOf = Effect.fnUntraced(function* (slug: string) {
  const platform = yield* PlatformDatabase
  return yield* platform`select from audit_entries where account = ${slug} and action = 'account.delete'`
})

const closeBudget = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update budget set closed_at = now()`)

/** Leaves the account as a process does that is killed just after it began to delete it. */
const beginDeletion = Effect.fnUntraced(function* (id: string) {
  const platform = yield* PlatformDatabase
  yield* platform`update accounts set deletion_began_at = clock_timestamp() where id = ${id}`
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the deletion of an account", (it) => {
  it.effect("is refused, or the call that begins meanwhile is", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const entry = yield* newAccount("raced")
      const [locked, may] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // Another change of the account's row, for which the deletion waits.
      const held = yield* Effect.gen(function* () {
        yield* platform`select from accounts where id = ${entry.id} for update`
        yield* Deferred.succeed(locked, undefined)
        yield* Deferred.await(may)
      }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, platform), Effect.forkChild)
      yield* Deferred.await(locked)
      const dropping = yield* drop("raced").pipe(Effect.exit, Effect.forkChild)
      const waits = platform`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%'`
      while ((yield* waits).length === 0) yield* Effect.yieldNow
      const begun = yield* within(entry)(Effect.exit(beginCall))
      yield* Deferred.succeed(may, undefined)
      yield* Fiber.join(held)
      const dropped = yield* Fiber.join(dropping)
      assert.isFalse(Exit.isSuccess(begun) && Exit.isSuccess(dropped), "the call lost its database")
    }),
  )

  it.effect("is refused while a call is live, leaves no entry in the audit log, and the account takes calls", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("busy")
      yield* within(entry)(beginCall)
      const refusal = yield* drop("busy").pipe(Effect.provideService(CurrentOrigin, administrator), Effect.flip)
      assert.strictEqual(refusal._tag, "InUse")
      assert.lengthOf(yield* entriesOf("busy"), 0)
      yield* within(entry)(beginCall)
      yield* within(entry)(endCalls)
      yield* drop("busy").pipe(Effect.provideService(CurrentOrigin, administrator))
      assert.lengthOf(yield* entriesOf("busy"), 1)
    }),
  )

  it.effect("closes the account to calls, also to those of the release before", () =>
    Effect.gen(function* () {
      const entry = yield* newAccount("closed")
      yield* within(entry)(closeBudget)
      for (const begin of [beginCall, insertCall]) {
        const refusal = yield* within(entry)(Effect.flip(begin))
        assert.strictEqual(sqlState(refusal), "57P03")
      }
    }),
  )

  it.effect("that a killed process began is finished by another one", () =>
    Effect.gen(function* () {
      const platform = yield* PlatformDatabase
      const [before, after] = [yield* newAccount("killed-before"), yield* newAccount("killed-after")]
      yield* beginDeletion(before.id)
      yield* beginDeletion(after.id)
      yield* within(after)(closeBudget)
      yield* UnfinishedAccounts.use((unfinished) => unfinished.finish)
      assert.lengthOf(yield* platform`select from accounts where slug like 'killed-%'`, 0)
      assert.lengthOf(
        yield* platform`select from pg_database where datname = any(${[before.database, after.database]})`,
        0,
      )
    }),
  )

  it.effect(
    "that a killed process began is taken back by another one if a call began before the database was closed",
    () =>
      Effect.gen(function* () {
        const platform = yield* PlatformDatabase
        const entry = yield* newAccount("talking")
        yield* beginDeletion(entry.id)
        yield* within(entry)(beginCall)
        yield* UnfinishedAccounts.use((unfinished) => unfinished.finish)
        const [row] = yield* platform`select deletion_began_at, deleting_at from accounts where id = ${entry.id}`
        assert.deepStrictEqual(row, { deletion_began_at: null, deleting_at: null })
        yield* within(entry)(beginCall)
      }),
  )
})
