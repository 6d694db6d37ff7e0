/** How the accounts share the connections that a process may have, of which there are four here. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseServer } from "../../src/tenancy/DatabaseServer.ts"
import { TenantDatabases } from "../../src/tenancy/TenantDatabases.ts"
import { transaction } from "../../src/tenancy/Transaction.ts"
import { layerWith, newAccount, within } from "../support/TestTenancy.ts"

type Entry = Effect.Success<ReturnType<typeof newAccount>>

const whereAmI = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ name: string }>`select current_database() as name`
  return row?.name
})

const sessionOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ session: number }>`select pg_backend_pid() as session`
  return row?.session
})

/** Sessions in the databases of these accounts, as the server counts them. */
const sessionsOf = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>) {
  const { maintenance } = yield* DatabaseServer
  const rows = yield* maintenance<{ name: string; count: number }>`
    select datname as name, count(*)::int as count from pg_stat_activity
    where datname in ${maintenance.in(entries.map(({ database }) => database))} group by 1`
  return entries.map(({ database }) => rows.find(({ name }) => name === database)?.count ?? 0)
})

/** A closed connection leaves the server's list a moment later. */
const becomes = <R>(sessions: Effect.Effect<ReadonlyArray<number>, unknown, R>, expected: ReadonlyArray<number>) =>
  sessions.pipe(
    Effect.repeat({ until: (found) => found.join() === expected.join(), schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("10 seconds"),
  )

const newAccounts = (...slugs: ReadonlyArray<string>) => Effect.forEach(slugs, (slug) => newAccount(slug))

/** Transactions that are all open at the same moment, then all commit. */
const atOnce = (count: number) =>
  Effect.gen(function* () {
    const all = yield* Deferred.make<void>()
    let begun = 0
    const one = transaction(
      Effect.gen(function* () {
        yield* whereAmI
        if (++begun === count) yield* Deferred.succeed(all, undefined)
        yield* Deferred.await(all)
      }),
    )
    yield* Effect.all(
      Array.from({ length: count }, () => one),
      { concurrency: "unbounded" },
    )
  })

it.layer(layerWith({ DATABASE_MAX_CONNECTIONS: "4" }), { timeout: "120 seconds", excludeTestServices: true })(
  "connections to the accounts' databases",
  (it) => {
    it.effect("are as many as are needed: one for an account whose work comes one after another", () =>
      Effect.gen(function* () {
        const tenants = yield* TenantDatabases
        const entries = yield* newAccounts("one-a", "one-b", "one-c", "one-d")
        const held = yield* Scope.make()
        const opened = yield* Effect.forEach(entries, tenants.open).pipe(Scope.provide(held))
        for (const [at, services] of opened.entries()) {
          assert.strictEqual(yield* Effect.provideContext(transaction(whereAmI), services), entries[at]?.database)
        }
        assert.deepStrictEqual(yield* sessionsOf(entries), [1, 1, 1, 1])
        yield* Scope.close(held, Exit.void)
      }),
    )

    it.effect("go to an account that asks from a pool that is idle, while one that is in use is waited for", () =>
      Effect.gen(function* () {
        const tenants = yield* TenantDatabases
        const entries = yield* newAccounts("idle-a", "idle-b", "idle-c", "idle-d", "idle-e")
        const [a, b, c, d, e] = entries as [Entry, Entry, Entry, Entry, Entry]
        for (const entry of [a, b, c, d, e, a]) assert.strictEqual(yield* within(entry)(whereAmI), entry.database)

        const held = yield* Scope.make()
        yield* Effect.all([a, b, c, d].map(tenants.open)).pipe(Scope.provide(held))
        const fifth = yield* within(e)(whereAmI).pipe(Effect.forkChild({ startImmediately: true }))
        yield* becomes(sessionsOf(entries), [1, 1, 1, 1, 0])
        assert.isUndefined(fifth.pollUnsafe())
        yield* Scope.close(held, Exit.void)
        assert.strictEqual(yield* Fiber.join(fifth), e.database)
      }),
    )

    it.effect("mostly stay where they are while one account more than there are connections is used in turn", () =>
      Effect.gen(function* () {
        const entries = yield* newAccounts("turn-a", "turn-b", "turn-c", "turn-d", "turn-e")
        const sessions = new Set<number | undefined>()
        for (let round = 0; round < 20; round++) {
          for (const entry of entries) sessions.add(yield* within(entry)(sessionOf))
        }
        // Some 39 of the hundred uses; all of them if the account that was used longest ago made room.
        assert.isBelow(sessions.size, 75)
      }),
    )

    it.effect("stay with an account whose work ends while others open theirs", () =>
      Effect.gen(function* () {
        const [a, ...others] = (yield* newAccounts("stay-a", "stay-b", "stay-c", "stay-d")) as [Entry, ...Array<Entry>]
        const session = yield* within(a)(sessionOf)
        for (const other of others) {
          const opening = yield* within(other)(whereAmI).pipe(Effect.forkChild({ startImmediately: true }))
          assert.strictEqual(yield* within(a)(sessionOf), session)
          assert.strictEqual(yield* Fiber.join(opening), other.database)
        }
        assert.strictEqual(yield* within(a)(sessionOf), session)
      }),
    )

    it.effect("come back when a loan ends before its scope, once however often that is said", () =>
      Effect.gen(function* () {
        const tenants = yield* TenantDatabases
        const entries = yield* newAccounts("loan-a", "loan-b", "loan-c", "loan-d", "loan-e")
        const [a, b, c, d, e] = entries as [Entry, Entry, Entry, Entry, Entry]
        const held = yield* Scope.make()
        const [first, second] = yield* Effect.all([a, a, b, c, d].map(tenants.borrow)).pipe(Scope.provide(held))
        yield* first?.giveBack ?? Effect.void
        yield* first?.giveBack ?? Effect.void
        const fifth = yield* within(e)(whereAmI).pipe(Effect.forkChild({ startImmediately: true }))
        yield* becomes(sessionsOf(entries), [1, 1, 1, 1, 0])
        assert.isUndefined(fifth.pollUnsafe())
        yield* second?.giveBack ?? Effect.void
        assert.strictEqual(yield* Fiber.join(fifth), e.database)
        yield* Scope.close(held, Exit.void)
      }),
    )

    it.effect("that an account had for transactions at the same time go to others, but its last one", () =>
      Effect.gen(function* () {
        const tenants = yield* TenantDatabases
        const entries = yield* newAccounts("spare-a", "spare-b", "spare-c", "spare-d")
        const [a, ...others] = entries as [Entry, Entry, Entry, Entry]
        const held = yield* Scope.make()
        const services = yield* tenants.open(a).pipe(Scope.provide(held))
        yield* Effect.provideContext(atOnce(2), services)
        yield* becomes(sessionsOf(entries), [2, 0, 0, 0])
        yield* Effect.forEach(others, tenants.open).pipe(Scope.provide(held))
        yield* becomes(sessionsOf(entries), [1, 1, 1, 1])
        assert.strictEqual(yield* Effect.provideContext(whereAmI, services), a.database)
        yield* Scope.close(held, Exit.void)
      }),
    )

    it.effect("suffice for work that needs two at a time, as soon as others are idle", () =>
      Effect.gen(function* () {
        const entries = yield* newAccounts("two-a", "two-b", "two-c", "two-d")
        const tenants = yield* TenantDatabases
        yield* Effect.scoped(Effect.forEach(entries, tenants.open))
        yield* becomes(sessionsOf(entries), [1, 1, 1, 1])
        const [a] = entries as [Entry]
        yield* within(a)(atOnce(2)).pipe(Effect.timeout("5 seconds"))
      }),
    )
  },
)
