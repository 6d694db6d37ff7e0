/** Which process owns which work, and which processes count: some are real, and others are rows. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Cluster } from "../../src/cluster/Cluster.ts"
import { Node } from "../../src/cluster/Node.ts"
import { Placement } from "../../src/cluster/Placement.ts"
import { DatabaseServer, pool } from "../../src/tenancy/DatabaseServer.ts"
import * as Migrations from "../../src/tenancy/Migrations.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const parts = Placement.layer.pipe(Layer.provideMerge(Cluster.layer), Layer.provideMerge(Node.layer))

const works = Array.from({ length: 60 }, (_, at) => `work-${at}`)

/** A process that owns work. `running` has the ids of the work that runs in it now. */
const process = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(parts))
  const cluster = Context.get(context, Cluster)
  const running = new Set<string>()
  const kind = yield* cluster.declare("Work", (id) =>
    Effect.ensuring(
      Effect.andThen(
        Effect.sync(() => running.add(id)),
        Effect.never,
      ),
      Effect.sync(() => running.delete(id)),
    ),
  )
  const wakeAll = Effect.forEach(works, kind.wake, { concurrency: "unbounded", discard: true })
  yield* Effect.forkScoped(Effect.repeat(wakeAll, Schedule.spaced("20 millis")))
  yield* cluster.join
  return { cluster, node: Context.get(context, Node), placement: Context.get(context, Placement), running }
})

const waitUntil = (condition: () => boolean) =>
  Effect.sync(condition).pipe(Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (is) => is }))

/** Another process, whose last heartbeat was this many seconds ago. */
const other = Effect.fnUntraced(function* (
  secondsAgo = -3_600,
  { is_runner = true, tenant_schema = Migrations.newestOfTenant } = {},
) {
  const sql = yield* PlatformDatabase
  const id = uuidv7()
  yield* sql`
    insert into nodes (id, dials, is_runner, tenant_schema, seen_at)
    values (${id}, true, ${is_runner}, ${tenant_schema},
      clock_timestamp() - make_interval(secs => ${secondsAgo}::float8))`
  return id
})

/** As long as it stays open, it looks like a process that lives. */
const sessionOf = Effect.fnUntraced(function* (node: string) {
  const { platformDatabase, urlOf } = yield* DatabaseServer
  const session = yield* Layer.build(
    pool({ url: urlOf(platformDatabase), name: `parley:node:${node}`, maxConnections: 1 }),
  )
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(Effect.provideContext(session))
})

/** A server that has just started has cut off all processes, so none is declared dead yet. */
const waitForOldServer = Effect.gen(function* () {
  const sql = yield* PlatformDatabase
  const isOld = sql`
    select from pg_postmaster_start_time() as started where started < clock_timestamp() - interval '17 seconds'`
  yield* isOld.pipe(Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (rows) => rows.length > 0 }))
})

const inScope = Effect.fnUntraced(function* <A, E, R>(body: Effect.Effect<A, E, R>) {
  const scope = yield* Scope.make()
  return [yield* Scope.provide(body, scope), Scope.close(scope, Exit.void)] as const
})

const layer = CallsRoom.tenancy

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the shards", (it) => {
  const test = <E>(name: string, body: Effect.Effect<void, E, Layer.Success<typeof layer> | Scope.Scope>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const sql = yield* PlatformDatabase
        yield* sql`delete from nodes`
        yield* sql`delete from dialling`
        yield* Effect.scoped(body)
      }),
    )

  const placed = Effect.fnUntraced(function* (placement: Placement["Service"], count: number, at: Date | null = null) {
    const entry = yield* newAccount(`p${crypto.randomUUID().slice(0, 8)}`)
    const ids = Array.from({ length: count }, () => uuidv7())
    for (const id of ids) yield* placement.add(id, at).pipe(within(entry))
    return { entry, ids }
  })

  test(
    "work runs in one process: a process that joins takes a share, and each piece runs in exactly one of them soon after",
    Effect.gen(function* () {
      const a = yield* process
      yield* waitUntil(() => a.running.size === works.length)
      const b = yield* process
      let both = 0
      yield* waitUntil(() => {
        both += works.filter((id) => a.running.has(id) && b.running.has(id)).length
        return b.running.size > 0 && a.running.size + b.running.size === works.length
      })
      assert.strictEqual(both, 0)
      assert.isAtLeast(Math.min(a.running.size, b.running.size), 10)
      for (const id of works) assert.strictEqual(a.cluster.owns(id), !b.cluster.owns(id))
    }),
  )

  test(
    "work that died, or interrupted itself, runs again at its next wake",
    Effect.gen(function* () {
      const cluster = Context.get(yield* Layer.build(Layer.fresh(parts)), Cluster)
      const ends = [Effect.die("a defect"), Effect.interrupt]
      let runs = 0
      const kind = yield* cluster.declare("Work", () => Effect.suspend(() => ends[runs++] ?? Effect.never))
      yield* cluster.join
      yield* Effect.forkScoped(Effect.repeat(kind.wake("work-0"), Schedule.spaced("20 millis")))
      yield* waitUntil(() => runs === 3)
    }),
  )

  test(
    "a process that leaves releases its work at once, and acquires none again",
    Effect.gen(function* () {
      const a = yield* process
      const b = yield* process
      yield* waitUntil(() => a.running.size > 0 && b.running.size > 0 && a.running.size + b.running.size === 60)
      yield* a.cluster.leave
      assert.strictEqual(a.running.size, 0)
      yield* waitUntil(() => b.running.size === works.length)
      yield* a.cluster.join
      assert.isFalse(works.some(a.cluster.owns))
    }),
  )

  test(
    "a process without a session loses its work at once; one that keeps its session loses it after 4 s without a heartbeat",
    Effect.gen(function* () {
      yield* waitForOldServer
      const sql = yield* PlatformDatabase
      const [dying, hanging] = [yield* other(0), yield* other()]
      const [, die] = yield* inScope(sessionOf(dying))
      yield* sessionOf(hanging)
      yield* sql`
        insert into shards (id, node_id)
        select 'default:' || at, case when at % 2 = 0 then ${dying}::uuid else ${hanging}::uuid end
        from generate_series(1, 300) at`
      const a = yield* process
      const owned = Effect.map(sql<{ node_id: string }>`select distinct node_id from shards`, (rows) =>
        rows.map(({ node_id }) => node_id),
      )
      yield* Effect.sleep("400 millis")
      assert.sameMembers([...(yield* owned)], [dying, hanging])
      yield* die
      const died = Date.now()
      yield* owned.pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (ids) => ids.includes(a.node.id) }),
      )
      assert.isBelow(Date.now() - died, 3_000)
      assert.isBelow(a.running.size, works.length)
      yield* sql`update nodes set seen_at = clock_timestamp() - interval '5 seconds' where id = ${hanging}`
      yield* waitUntil(() => a.running.size === works.length)
    }),
  )

  test(
    "a process whose row was deleted by others registers again",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const a = yield* process
      yield* waitUntil(() => a.running.size === works.length)
      yield* sql`delete from nodes where id = ${a.node.id}`
      yield* sql`select from shards where node_id = ${a.node.id} limit 1`.pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (rows) => rows.length > 0 }),
      )
      yield* waitUntil(() => a.running.size === works.length)
    }),
  )

  test(
    "a campaign that a process of an earlier release dials stays with that process while it lives",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const a = yield* process
      const { entry, ids } = yield* placed(a.placement, 3)
      const [id = ""] = ids
      yield* waitUntil(() => a.running.size === works.length)
      const earlier = yield* other(0, { is_runner: false })
      const [, die] = yield* inScope(sessionOf(earlier))
      yield* sql`update dialling set node_id = ${earlier} where campaign_id = ${id}`
      const mine = Effect.map(a.placement.sweep, ({ owned }) => owned.map(({ campaign }) => campaign))
      assert.sameMembers(yield* mine, ids.slice(1))
      assert.isFalse(yield* a.placement.claim(id).pipe(within(entry)))
      assert.isTrue(yield* a.placement.claim(ids[1] ?? "").pipe(within(entry)))
      yield* die
      yield* sql`update nodes set seen_at = clock_timestamp() - interval '3 seconds' where id = ${earlier}`
      yield* waitForOldServer
      assert.sameMembers(yield* mine, ids)
      assert.isTrue(yield* a.placement.claim(id).pipe(within(entry)))
      yield* a.placement.release
      assert.deepStrictEqual(yield* sql`select from dialling where node_id is not null`, [])
    }),
  )

  test(
    "a process owns no work while another process can open an account that it cannot open",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const a = yield* process
      yield* waitUntil(() => a.running.size === works.length)
      const later = Migrations.newestOfTenant + 1
      const { entry } = yield* placed(a.placement, 1)
      yield* sql`update accounts set serves_from = ${later} where id = ${entry.id}`
      yield* Effect.sleep("500 millis")
      assert.strictEqual(a.running.size, works.length)
      const able = yield* other(-3_600, { tenant_schema: later })
      yield* sessionOf(able)
      yield* waitUntil(() => a.running.size === 0)
      yield* sql`delete from nodes where id = ${able}`
      yield* waitUntil(() => a.running.size === works.length)
    }),
  )

  test(
    "a scheduled campaign is not due before its time, and the sweep says when it is; a new time releases it",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const { placement, running } = yield* process
      yield* waitUntil(() => running.size === works.length)
      const soon = new Date(Date.now() + 60_000)
      const { entry, ids } = yield* placed(placement, 1, soon)
      const [id = ""] = ids
      const sweep = yield* placement.sweep
      assert.deepStrictEqual(sweep.owned, [])
      assert.isAtMost(sweep.next_ms ?? Infinity, 60_000)
      assert.isFalse(yield* placement.claim(id).pipe(within(entry)))
      yield* placement.add(id, new Date(Date.now() - 1_000)).pipe(within(entry))
      assert.strictEqual((yield* placement.sweep).owned.length, 1)
      assert.isTrue(yield* placement.claim(id).pipe(within(entry)))
      yield* placement.add(id, soon).pipe(within(entry))
      assert.deepStrictEqual(yield* sql`select from dialling where node_id is not null`, [])
      yield* placement.remove(id).pipe(within(entry))
      assert.isNull((yield* placement.sweep).next_ms)
    }),
  )

  test(
    "the calls of a process without a session are settled after 3 s, those of one that keeps it after 15 s",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const { node } = yield* process
      yield* waitForOldServer
      const [dead, silent] = [yield* other(3.5), yield* other(3.5)]
      yield* sessionOf(silent)
      /** What `look` says while the last heartbeat of `silent` is between these numbers of seconds ago. */
      const between = <A>(least: number, most: number, look: Effect.Effect<A>) =>
        Effect.gen(function* () {
          yield* sql`update nodes set seen_at = clock_timestamp() - make_interval(secs => ${least}) where id = ${silent}`
          const seen = yield* look
          const inTime = yield* sql`
            select from nodes where id = ${silent} and seen_at > clock_timestamp() - make_interval(secs => ${most})`
          return inTime.length > 0 ? Option.some(seen) : Option.none()
        }).pipe(Effect.repeat({ until: Option.isSome }), Effect.map(Option.getOrThrow))
      const gone = Effect.map(node.findGone([dead, silent]), (ids) => [...ids])
      assert.deepStrictEqual(yield* between(3.5, 15, gone), [dead])
      assert.deepStrictEqual(yield* between(3.5, 15, node.findDeparted), [dead])
      assert.sameMembers(yield* between(16, 3_600, gone), [dead, silent])
    }),
  )

  test(
    "the accounts that a dead process had noted are inherited by another process, which notes them itself",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const [one, two, three] = [yield* process, yield* process, yield* process]
      const [called, quiet] = [yield* newAccount(`c${uuidv7().slice(-8)}`), yield* newAccount(`q${uuidv7().slice(-8)}`)]
      assert.strictEqual(yield* one.node.enter.pipe(within(called)), one.node.id)
      assert.deepStrictEqual(yield* two.node.inherit([one.node.id]), [called.id])
      // The second process dies before it has searched the account.
      yield* sql`delete from nodes where id = ${one.node.id}`
      assert.deepStrictEqual(yield* three.node.inherit([one.node.id]), [])
      assert.deepStrictEqual(yield* three.node.inherit([two.node.id]), [called.id])
      yield* sql`update node_accounts set noted_at = clock_timestamp() - interval '1 hour'`
      yield* three.node.leaveAccounts(new Set())
      assert.lengthOf(yield* sql`select from node_accounts where node_id = ${three.node.id}`, 1)
      const earlier = yield* other(60, { is_runner: false })
      assert.includeMembers([...(yield* three.node.inherit([earlier]))], [called.id, quiet.id])
    }),
  )

  test(
    "a process that was counted as dead notes its accounts again before its next call",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const { node } = yield* process
      const entry = yield* newAccount(`s${uuidv7().slice(-8)}`)
      yield* node.enter.pipe(within(entry))
      // As if it had stood still: its heartbeats wait for the lock, and others have forgotten it.
      const noted = sql`select from node_accounts where node_id = ${node.id} and account_id = ${entry.id}`
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`delete from nodes where id = ${node.id}`
          yield* Effect.sleep("3 seconds")
        }),
      )
      assert.lengthOf(yield* noted, 0)
      yield* node.enter.pipe(within(entry))
      assert.lengthOf(yield* noted, 1)
    }),
  )
})
