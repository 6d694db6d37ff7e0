/**
 * Calls that one process has intended and another conducts: some processes are real, and others are rows. Each has a lab
 * that records the numbers it was asked to dial.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { v7 as uuidv7 } from "uuid"
import { Calls } from "../../../src/calls/Calls.ts"
import * as OfferRows from "../../../src/calls/ledger/OfferRows.ts"
import * as Ownership from "../../../src/calls/live/Ownership.ts"
import { CallId } from "../../../src/domain/Call.ts"
import type { AccountEntry } from "../../../src/tenancy/AccountDirectory.ts"
import { CurrentTenant } from "../../../src/tenancy/CurrentTenant.ts"
import { DatabaseServer, pool } from "../../../src/tenancy/DatabaseServer.ts"
import * as Migrations from "../../../src/tenancy/Migrations.ts"
import { Notices } from "../../../src/tenancy/Notices.ts"
import { PlatformDatabase } from "../../../src/tenancy/PlatformDatabase.ts"
import { transaction } from "../../../src/tenancy/Transaction.ts"
import * as CallsRoom from "../../support/CallsRoom.ts"
import { newAccount, within } from "../../support/TestTenancy.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-hand-outs-"))

/** A process that carries `calls_max` calls. Its phones ring and talk in real time. */
const process = Effect.fnUntraced(function* (calls_max: number) {
  const log = join(folder, `${uuidv7()}.jsonl`)
  const env = { LAB_LOG: log, LAB_SPEED: "1", PARLEY_CALLS_PER_PROCESS: String(calls_max) }
  // A process does not hear its own notices.
  const room = Layer.provide(CallsRoom.process({ env }), Layer.fresh(Notices.layer))
  const calls = Context.get(yield* Layer.build(room), Calls)
  const dialled = () =>
    (existsSync(log) ? readFileSync(log, "utf8") : "").split("\n").flatMap((line) => {
      if (!line.includes('"invite"')) return []
      return [String(JSON.parse(line).number)]
    })
  return { calls, dialled, room: () => Effect.runSync(calls.withClaim(({ room }) => Effect.sync(room))) }
})

/** A process that never does anything. It lives while the scope is open. */
const idleProcess = Effect.fnUntraced(function* (calls_max: number) {
  const sql = yield* PlatformDatabase
  const id = uuidv7()
  yield* sql`
    insert into nodes (id, dials, is_runner, tenant_schema, calls_max, seen_at)
    values (${id}, true, true, ${Migrations.newestOfTenant}, ${calls_max}, clock_timestamp() + interval '1 hour')`
  const { platformDatabase, urlOf } = yield* DatabaseServer
  const session = yield* Layer.build(
    pool({ url: urlOf(platformDatabase), name: `parley:node:${id}`, maxConnections: 1 }),
  )
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(Effect.provideContext(session))
  return id
})

const waitUntil = (condition: () => boolean) =>
  Effect.sync(condition).pipe(Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (is) => is }))

/** Numbers of people who answer and stay silent. */
const numbers = (count: number) => Array.from({ length: count }, (_, at) => `+1415${56_000 + at}65`)

const intend = Effect.fnUntraced(function* (calls: Calls["Service"], count: number) {
  const { intentTo } = yield* CallsRoom.equip
  return yield* CallsRoom.intended(numbers(count).map(intentTo)).pipe(Effect.provideService(Calls, calls))
})

/** The calls of a dial pass of this process, which it divides. */
const handOut = (calls: Calls["Service"], count: number) =>
  transaction(Effect.flatMap(intend(calls, count), (intended) => Effect.as(calls.handOut(intended), intended)))

const nodesOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ node_id: string; calls: number }>`
    select node_id, count(*)::int as calls from calls where ended_at is null group by node_id`
  return rows.map(({ calls }) => calls).toSorted()
})

const open = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from call_offers`).length
})
const untilAnswered = open.pipe(Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (left) => left === 0 }))

const layer = CallsRoom.tenancy

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the calls of a pass", (it) => {
  const test = <E>(
    name: string,
    body: (
      account: AccountEntry,
    ) => Effect.Effect<void, E, Layer.Success<typeof layer> | Scope.Scope | SqlClient.SqlClient | CurrentTenant>,
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const sql = yield* PlatformDatabase
        yield* sql`delete from nodes`
        const account = yield* newAccount(`h${uuidv7().slice(-8)}`, CallsRoom.wide)
        yield* Effect.scoped(body(account).pipe(within(account)))
      }),
    )

  const isDialledOnce = (...processes: ReadonlyArray<{ readonly dialled: () => ReadonlyArray<string> }>) => {
    const all = processes.flatMap(({ dialled }) => dialled())
    assert.strictEqual(new Set(all).size, all.length)
    return all.length
  }

  test("are divided by what each process can carry, and each is dialled once", () =>
    Effect.gen(function* () {
      const [a, b, c] = [yield* process(2), yield* process(3), yield* process(4)]
      yield* waitUntil(() => a.room() === 9)
      yield* handOut(a.calls, 9)
      yield* untilAnswered
      yield* waitUntil(() => a.dialled().length + b.dialled().length + c.dialled().length === 9)
      assert.deepStrictEqual(
        [a, b, c].map(({ dialled }) => dialled().length),
        [2, 3, 4],
      )
      assert.strictEqual(isDialledOnce(a, b, c), 9)
      assert.deepStrictEqual(yield* nodesOf, [2, 3, 4])
      yield* waitUntil(() => a.room() === 0 && b.room() === 0 && c.room() === 0)
    }))

  test("are all conducted by a process that is alone, without offers", () =>
    Effect.gen(function* () {
      const a = yield* process(2)
      yield* handOut(a.calls, 3)
      assert.strictEqual(yield* open, 0)
      yield* waitUntil(() => a.dialled().length === 3)
    }))

  test("are refused by a process that has become full, and then dialled by the one that offered them", () =>
    Effect.gen(function* () {
      const [a, b, c] = [yield* process(1), yield* process(4), yield* process(0)]
      yield* waitUntil(() => a.room() === 5 && c.room() === 5)
      // Both count on the same room.
      yield* Effect.all(
        [
          handOut(a.calls, 5),
          within(yield* newAccount(`i${uuidv7().slice(-8)}`, CallsRoom.wide))(
            Effect.andThen(handOut(c.calls, 4), untilAnswered),
          ),
        ],
        { concurrency: "unbounded" },
      )
      yield* untilAnswered
      const dialled = () => [a, b, c].map(({ dialled }) => dialled().length)
      yield* waitUntil(() => dialled().reduce((sum, count) => sum + count, 0) === 9)
      assert.strictEqual(dialled()[1], 4)
    }))

  test("are taken back from a process that does not answer, and dialled once", () =>
    Effect.gen(function* () {
      const a = yield* process(2)
      const silent = yield* idleProcess(100)
      yield* waitUntil(() => a.room() === 102)
      yield* handOut(a.calls, 20)
      assert.isAtLeast(yield* open, 18)
      const active = yield* a.calls.active
      assert.strictEqual(active, 20)
      yield* untilAnswered
      yield* waitUntil(() => a.dialled().length === 20)
      assert.strictEqual(isDialledOnce(a), 20)
      assert.deepStrictEqual(yield* nodesOf, [20])
      // It gets no other offer for a while.
      yield* waitUntil(() => a.room() === 0)
      // When it resumes, it finds nothing.
      assert.deepStrictEqual(yield* OfferRows.accept(silent, 100), [])
    }))

  test("are taken back at once from a process that has died", () =>
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const a = yield* process(2)
      const scope = yield* Scope.make()
      const dying = yield* Scope.provide(idleProcess(100), scope)
      yield* waitUntil(() => a.room() === 102)
      yield* handOut(a.calls, 20)
      const died = Date.now()
      yield* Scope.close(scope, Exit.void)
      yield* sql`update nodes set seen_at = '-infinity' where id = ${dying}`
      yield* waitUntil(() => a.dialled().length === 20)
      assert.isBelow(Date.now() - died, 1_900)
    }))

  /** Calls of a process that died after it had offered them, in the account of the fiber. */
  const leftBehind = Effect.fnUntraced(function* (count: number, secondsAgo: number) {
    const [sql, platform] = [yield* SqlClient.SqlClient, yield* PlatformDatabase]
    const [dead, silent] = [uuidv7(), yield* idleProcess(0)]
    yield* platform`insert into nodes (id, is_runner, seen_at) values (${dead}, true, '-infinity')`
    const { intentTo } = yield* CallsRoom.equip
    const helper = yield* process(0)
    const intended = yield* CallsRoom.intended(numbers(count).map(intentTo)).pipe(
      Effect.provideService(Calls, helper.calls),
    )
    yield* sql`
      update calls set node_id = ${dead}, started_at = started_at - make_interval(secs => ${secondsAgo}::float8)`
    yield* OfferRows.add(
      dead,
      intended.map(({ id }) => ({ call_id: id, to: silent })),
    )
    return intended
  })

  test("that a process offered before it died are dialled by the process that finds them, while they are fresh", () =>
    Effect.gen(function* () {
      const a = yield* process(100)
      yield* leftBehind(3, 1)
      assert.strictEqual(yield* a.calls.recover, 3)
      assert.strictEqual(yield* open, 0)
      yield* waitUntil(() => a.dialled().length === 3)
      assert.strictEqual(isDialledOnce(a), 3)
      assert.deepStrictEqual(yield* nodesOf, [3])
    }))

  test("that a process has on offer when it stops are dialled by another", () =>
    Effect.gen(function* () {
      const [sql, platform] = [yield* SqlClient.SqlClient, yield* PlatformDatabase]
      const silent = yield* idleProcess(100)
      const scope = yield* Scope.make()
      const a = yield* Scope.provide(process(2), scope)
      yield* waitUntil(() => a.room() === 102)
      yield* handOut(a.calls, 6)
      yield* waitUntil(() => a.dialled().length === 2)
      yield* Scope.close(scope, Exit.void)
      // It would own a part of the work, and so perhaps this one.
      yield* platform`delete from nodes where id = ${silent}`
      // They are fresh, however long a busy machine took to stop the process.
      yield* sql`update calls set started_at = clock_timestamp() where ended_at is null`
      const b = yield* process(100)
      yield* waitUntil(() => b.dialled().length === 4)
      assert.strictEqual(isDialledOnce(a, b), 6)
      assert.strictEqual(yield* open, 0)
    }))

  test("are not dialled in an account that was restored meanwhile: their outcome is unknown", (account) =>
    Effect.gen(function* () {
      const a = yield* process(100)
      yield* leftBehind(2, 1)
      const restored = { ...account, account: { ...account.account, status: "restored" as const } }
      assert.strictEqual(yield* Effect.provideService(a.calls.recover, CurrentTenant, restored), 2)
      const outcomes = (yield* CallsRoom.rows).map(({ outcome }) => outcome)
      assert.deepStrictEqual(outcomes, ["unknown", "unknown"])
      assert.deepStrictEqual(a.dialled(), [])
    }))

  test("that have been on offer for too long are not dialled: their outcome is unknown", () =>
    Effect.gen(function* () {
      const a = yield* process(100)
      yield* leftBehind(3, 60)
      assert.strictEqual(yield* a.calls.recover, 3)
      const rows = yield* CallsRoom.rows
      assert.deepStrictEqual(
        rows.map(({ end_reason, outcome }) => [outcome, end_reason]),
        [0, 1, 2].map(() => ["unknown", "interrupted"]),
      )
      assert.strictEqual(yield* open, 0)
      assert.deepStrictEqual(a.dialled(), [])
    }))

  test("belong to one process each, even if one accepts them while another takes them back or recovers them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [from, to, third] = [uuidv7(), uuidv7(), uuidv7()]
      const ids = Array.from({ length: 60 }, () => CallId.make(uuidv7()))
      const { agent_id } = yield* CallsRoom.equip
      yield* sql`
        insert into calls (id, direction, status, agent_id, agent_name, to_number, from_number, node_id, started_at)
        select id, 'outbound', 'queued', ${agent_id}, 'a', '+1415556' || at, '+14155550100', ${from}, clock_timestamp()
        from unnest(${ids}::uuid[]) with ordinality as i(id, at)`
      yield* OfferRows.add(
        from,
        ids.map((call_id) => ({ call_id, to })),
      )
      const accept = transaction(Effect.flatMap(OfferRows.accept(to, 7), (offers) => Ownership.takeOver(to, offers)))
      const back = transaction(Effect.map(OfferRows.takeBack(from, [], 2), (rows) => new Set(rows.map(({ id }) => id))))
      const recover = transaction(
        Effect.gen(function* () {
          const some = ids.filter((_, at) => at % 5 === 0)
          yield* OfferRows.withdraw(some)
          return yield* Ownership.takeOver(
            third,
            some.map((id) => ({ id, node_id: from })),
          )
        }),
      )
      const steps = [...Array.from({ length: 9 }, () => accept), recover, ...Array.from({ length: 9 }, () => accept)]
      const all = yield* Effect.forEach([...steps.slice(0, 10), back, ...steps.slice(10)], (step) => step, {
        concurrency: 4,
      })
      const taken = all.flatMap((set) => [...set])
      assert.strictEqual(new Set(taken).size, taken.length)
      assert.sameMembers(taken, ids)
      assert.strictEqual(yield* open, 0)
    }))
})
