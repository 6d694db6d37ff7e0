/** Senders begin their requests in turn, whatever one of them sends. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Turns } from "../../../src/http/edge/Turns.ts"

const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets these senders ask for their turns, one after the other; returns the list of those that have begun. */
const asking = Effect.fnUntraced(function* (senders: ReadonlyArray<string>) {
  const { take } = yield* Turns
  const begun: Array<string> = []
  const fibers = yield* Effect.forEach(senders, (sender) =>
    Effect.forkChild(
      Effect.andThen(
        take(sender),
        Effect.sync(() => begun.push(sender)),
      ),
      { startImmediately: true },
    ),
  )
  return { begun, fibers }
})

const many = (sender: string, count: number) => Array.from({ length: count }, () => sender)

const test = (name: string, body: () => Effect.Effect<void, never, Turns>) =>
  it.live(name, () => Effect.provide(body(), Turns.layer))

test("a request begins at once if there are few", () =>
  Effect.gen(function* () {
    const { begun } = yield* asking(["a", "b"])
    assert.deepStrictEqual(begun, ["a", "b"])
  }))

test("a sender with many requests delays another's by one turn", () =>
  Effect.gen(function* () {
    const flood = yield* asking(many("flood", 1_000))
    const other = yield* asking(["other"])
    while (other.begun.length === 0) yield* nextTurn
    assert.isAtMost(flood.begun.length, 8)
    yield* Effect.all(flood.fibers.map(Fiber.join))
    assert.strictEqual(flood.begun.length, 1_000)
  }))

test("senders take turns", () =>
  Effect.gen(function* () {
    const { begun, fibers } = yield* asking([...many("a", 20), ...many("b", 20), ...many("c", 20)])
    yield* Effect.all(fibers.map(Fiber.join))
    const middle = begun.slice(6, 48)
    for (const sender of ["a", "b", "c"]) {
      assert.isAtLeast(middle.filter((other) => other === sender).length, 12)
    }
  }))

test("while connections arrive, requests begin in every ninth tick of the event loop", () =>
  Effect.gen(function* () {
    const { noteConnection } = yield* Turns
    noteConnection()
    const { begun } = yield* asking(many("a", 20))
    const counts: Array<number> = []
    for (let turn = 0; turn < 27; turn++) {
      yield* nextTurn
      noteConnection()
      counts.push(begun.length)
    }
    assert.deepStrictEqual([...new Set(counts)], [0, 4, 8, 12])
    assert.strictEqual(counts.indexOf(4), 8)
    assert.strictEqual(counts.indexOf(8), 17)
  }))

test("a client that leaves gives up its turn", () =>
  Effect.gen(function* () {
    const flood = yield* asking(many("a", 40))
    yield* Effect.all(flood.fibers.slice(10).map(Fiber.interrupt))
    const { begun } = yield* asking(["b"])
    while (begun.length === 0) yield* nextTurn
    yield* Effect.all(flood.fibers.slice(0, 10).map(Fiber.join))
    assert.strictEqual(flood.begun.length, 10)
  }))
