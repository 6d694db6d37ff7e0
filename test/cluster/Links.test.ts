/** Links between processes over a real PostgreSQL: what arrives, what is dropped, and how a link ends. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import type { Link } from "../../src/cluster/Link.ts"
import { Links } from "../../src/cluster/Links.ts"
import { Node } from "../../src/cluster/Node.ts"
import { Notices } from "../../src/tenancy/Notices.ts"
import { PlatformDatabase } from "../../src/tenancy/PlatformDatabase.ts"
import * as CallsRoom from "../support/CallsRoom.ts"

const process = Effect.gen(function* () {
  const parts = Links.layer.pipe(Layer.provideMerge([Node.layer, Notices.layer]))
  const context = yield* Layer.build(Layer.fresh(parts))
  return { links: Context.get(context, Links), node: Context.get(context, Node).id }
})

/** Opens a link between two processes, and returns both its sides. */
const connected = Effect.gen(function* () {
  const [one, other] = [yield* process, yield* process]
  const served = yield* Queue.unbounded<Link>()
  yield* other.links.serve("test", (opening, link) =>
    Effect.gen(function* () {
      link.say(opening)
      yield* Queue.offer(served, link)
      yield* link.next
      yield* Effect.never
    }),
  )
  // The other process may not hear yet.
  const mine = yield* one.links.open(other.node, "test", "hello there").pipe(
    Effect.tap(({ next }) => Effect.timeout(next, "500 millis")),
    Effect.retry(Schedule.spaced("10 millis")),
  )
  // An earlier attempt may have been served too late.
  const theirs = yield* Effect.repeat(Queue.take(served), { until: ({ id }) => id === mine.id })
  return { one, other, mine, theirs }
})

const waitUntil = (condition: () => boolean) =>
  Effect.sync(condition).pipe(Effect.repeat({ schedule: Schedule.spaced("5 millis"), until: (is) => is }))
const endOf = (link: Link) => Effect.flip(Effect.timeout(Effect.andThen(link.next, Effect.never), "10 seconds"))

it.layer(CallsRoom.tenancy, { excludeTestServices: true })("a link between two processes", (it) => {
  it.effect("delivers texts and bytes in order, in both directions", () =>
    Effect.gen(function* () {
      const { mine, theirs } = yield* connected
      const heard: Array<number> = []
      theirs.hear((bytes) => void heard.push(...bytes))
      // Longer than one letter.
      const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 251)
      assert.isTrue(mine.pass(bytes))
      theirs.say("a/b é")
      theirs.say("a/b é")
      assert.deepStrictEqual([yield* mine.next, yield* mine.next], ["a/b é", "a/b é"])
      yield* waitUntil(() => heard.length === bytes.length)
      assert.deepStrictEqual(heard, [...bytes])
    }),
  )

  it.effect("ends at both sides when one closes it, after all earlier texts were delivered", () =>
    Effect.gen(function* () {
      const { mine, theirs } = yield* connected
      theirs.say("goodbye")
      theirs.close()
      assert.strictEqual(yield* mine.next, "goodbye")
      const end = yield* endOf(mine)
      assert.deepInclude(end, { _tag: "LinkEnded", isLost: false })
      assert.isFalse(mine.pass(new Uint8Array(1)))
    }),
  )

  it.effect("drops sound that it cannot send in time, and breaks if texts are not taken", () =>
    Effect.gen(function* () {
      const { mine, theirs } = yield* connected
      const taken = Array.from({ length: 100 }, () => mine.pass(new Uint8Array(640)))
      // One may have been sent at once.
      assert.isAtMost(taken.filter((isTaken) => isTaken).length, 11)
      for (let said = 0; said < 200; said++) theirs.say(String(said))
      yield* waitUntil(() => mine.end !== null)
      assert.isTrue(mine.end?.isLost)
      yield* waitUntil(() => theirs.end !== null)
      assert.isTrue(theirs.end?.isLost)
    }),
  )

  it.effect("breaks at both sides when a text is too long for a letter; other links are not affected", () =>
    Effect.gen(function* () {
      const { mine, one, other, theirs } = yield* connected
      const second = yield* one.links.open(other.node, "test", "second")
      mine.say("x".repeat(8_000))
      assert.isTrue(mine.end?.isLost)
      yield* waitUntil(() => theirs.end !== null)
      assert.isTrue(theirs.end?.isLost)
      assert.strictEqual(yield* second.next, "second")
      assert.isNull(second.end)
    }),
  )

  it.effect("breaks when a process loses its connection, and can be opened again", () =>
    Effect.gen(function* () {
      const { mine, one, other, theirs } = yield* connected
      const sql = yield* PlatformDatabase
      yield* sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'parley:letters' and datname = current_database()`
      yield* waitUntil(() => mine.end !== null && theirs.end !== null)
      assert.isTrue(mine.end?.isLost)
      const again = yield* one.links.open(other.node, "test", "again").pipe(
        Effect.tap(({ next }) => Effect.timeout(next, "500 millis")),
        Effect.retry(Schedule.spaced("10 millis")),
      )
      assert.isNull(again.end)
    }),
  )

  it.effect("is lost when the other process does not answer, or does not serve this kind of link", () =>
    Effect.gen(function* () {
      const { one, other } = yield* connected
      const none = yield* one.links.open(crypto.randomUUID(), "test", "")
      assert.deepInclude(yield* endOf(none), { isLost: true })
      const odd = yield* one.links.open(other.node, "of a later release", "")
      assert.deepInclude(yield* endOf(odd), { isLost: false })
    }),
  )
})
