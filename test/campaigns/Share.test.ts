/** Which process takes which campaigns, and which processes count: one real node, and others that are rows. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { v7 as uuidv7 } from "uuid"
import { Node } from "../../src/calls/Calls.ts"
import { Node as NodeOfProcess } from "../../src/cluster/Node.ts"
import { Placement } from "../../src/cluster/Placement.ts"
import { DatabaseServer, pool } from "../../src/tenancy/DatabaseServer.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../support/CallsRoom.ts"
import { newAccount, within } from "../support/TestTenancy.ts"

const layer = Placement.layer.pipe(Layer.provideMerge(NodeOfProcess.layer), Layer.provideMerge(CallsRoom.tenancy))

/** Another process, whose last heartbeat was this many seconds ago. */
const other = Effect.fnUntraced(function* (secondsAgo = -3_600) {
  const sql = yield* PlatformDatabase
  const id = uuidv7()
  yield* sql`
    insert into nodes (id, dials, seen_at)
    values (${id}, true, clock_timestamp() - make_interval(secs => ${secondsAgo}::float8))`
  return id
})

/** As long as it stays open, it looks like a process that hangs. */
const sessionOf = Effect.fnUntraced(function* (node: string) {
  const { platformDatabase, urlOf } = yield* DatabaseServer
  const session = yield* Layer.build(
    pool({ url: urlOf(platformDatabase), name: `parley:node:${node}`, maxConnections: 1 }),
  )
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(Effect.provideContext(session))
})

it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })("the placement", (it) => {
  const test = <E>(name: string, body: Effect.Effect<void, E, Layer.Success<typeof layer>>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const sql = yield* PlatformDatabase
        const node = yield* Node
        yield* sql`delete from nodes where id <> ${node.id}`
        yield* sql`delete from dialling`
        yield* node.dials(true)
        yield* body
      }),
    )

  const placed = Effect.fnUntraced(function* (count: number, at: Date | null = null) {
    const placement = yield* Placement
    const entry = yield* newAccount(`p${crypto.randomUUID().slice(0, 8)}`)
    const ids = Array.from({ length: count }, () => uuidv7())
    for (const id of ids) yield* placement.ask(id, at).pipe(within(entry))
    return { entry, ids }
  })

  test(
    "a process takes its share of the campaigns without an owner, and leaves the rest to the other live processes",
    Effect.gen(function* () {
      const placement = yield* Placement
      yield* placed(5)
      yield* other()
      assert.strictEqual((yield* placement.share).mine.length, 3)
      assert.strictEqual((yield* placement.share).mine.length, 3)
    }),
  )

  test(
    "what a process that is gone had is taken; what a living one has is not",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const placement = yield* Placement
      const { ids } = yield* placed(3)
      const [living, gone] = [yield* other(), yield* other(60)]
      yield* sql`update dialling set node_id = ${gone} where campaign_id = ${ids[0] ?? ""}`
      yield* sql`update dialling set node_id = ${living} where campaign_id = ${ids[1] ?? ""}`
      const { mine } = yield* placement.share
      assert.deepStrictEqual(mine.map(({ campaign }) => campaign).toSorted(), [ids[0], ids[2]].toSorted())
    }),
  )

  test(
    "what is beyond its share it gives back when another joins",
    Effect.gen(function* () {
      const placement = yield* Placement
      const { entry } = yield* placed(4)
      assert.strictEqual((yield* placement.share).mine.length, 4)
      yield* other()
      const { mine, surplus } = yield* placement.share
      assert.deepStrictEqual([mine.length, surplus.length], [2, 2])
      yield* placement.giveBack(surplus)
      assert.strictEqual((yield* placement.share).mine.length, 2)
      const [first] = mine
      assert.strictEqual(first?.account, entry.account.slug)
      assert.isTrue(yield* placement.holds(first?.campaign ?? "").pipe(within(entry)))
      assert.isFalse(yield* placement.holds(surplus[0]?.campaign ?? "").pipe(within(entry)))
    }),
  )

  test(
    "a scheduled campaign has no owner before its time, and says when that is; one that is moved is released",
    Effect.gen(function* () {
      const placement = yield* Placement
      const soon = new Date(Date.now() + 60_000)
      const { entry, ids } = yield* placed(1, soon)
      const [id = ""] = ids
      const share = yield* placement.share
      assert.deepStrictEqual(share.mine, [])
      assert.isAtMost(share.next_ms ?? Infinity, 60_000)
      yield* placement.ask(id, new Date(Date.now() - 1_000)).pipe(within(entry))
      assert.strictEqual((yield* placement.share).mine.length, 1)
      yield* placement.ask(id, soon).pipe(within(entry))
      assert.isFalse(yield* placement.holds(id).pipe(within(entry)))
      yield* placement.strike(id).pipe(within(entry))
      assert.isNull((yield* placement.share).next_ms)
    }),
  )

  test(
    "a start whose share is another's, which may just have died, is taken all the same after a moment",
    Effect.gen(function* () {
      const placement = yield* Placement
      yield* other()
      yield* placed(4, new Date(Date.now() - 1_000))
      assert.strictEqual((yield* placement.share).mine.length, 4)
      assert.deepStrictEqual((yield* placement.share).surplus, [])
    }),
  )

  test(
    "a process that others have forgotten takes nothing until it has spoken again",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const node = yield* Node
      const placement = yield* Placement
      yield* placed(2)
      yield* node.dials(false)
      assert.deepStrictEqual((yield* placement.share).mine, [])
      yield* sql`delete from nodes where id = ${node.id}`
      yield* node.dials(true)
      assert.strictEqual((yield* placement.share).mine.length, 2)
    }),
  )

  test(
    "one without a session is dead after 3 s, one that keeps it has 15 s; its campaigns go after 2 s and 4 s",
    Effect.gen(function* () {
      const sql = yield* PlatformDatabase
      const node = yield* Node
      // A server that has just started has cut off all processes, so none is declared dead yet.
      const isOld = sql`select from pg_postmaster_start_time() as started where started < clock_timestamp() - interval '17 seconds'`
      yield* isOld.pipe(Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (rows) => rows.length > 0 }))
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
      assert.deepStrictEqual(yield* between(3.5, 15, node.takeDeparted), [dead])
      assert.sameMembers([...(yield* between(2.5, 4, node.diallers))], [node.id, silent])
      assert.deepStrictEqual(yield* between(5, 3_600, node.diallers), [node.id])
      assert.deepStrictEqual(yield* between(5, 15, gone), [dead])
      assert.sameMembers(yield* between(16, 3_600, gone), [dead, silent])
    }).pipe(Effect.scoped),
  )
})
