/** Ticks of the event loop: how long fibers may hold one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:net"
import { gathering } from "../src/tenancy/GatheredWrites.ts"
import * as TickScheduler from "../src/TickScheduler.ts"

/** Work that blocks the event loop for as long. */
const busyFor = (milliseconds: number) => {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

describe("ticks of the event loop", () => {
  it.live("tasks of the same moment run in the order in which they came", () =>
    Effect.gen(function* () {
      const done: Array<number> = []
      const one = (at: number) => Effect.map(Effect.yieldNow, () => void done.push(at))
      yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, at) => at),
        one,
        { concurrency: "unbounded" },
      )
      assert.deepStrictEqual(
        done,
        done.toSorted((a, b) => a - b),
      )
      assert.lengthOf(done, 1_000)
    }).pipe(Effect.provide(TickScheduler.layer)),
  )

  it.live("a hundred that are long together let what is outside of them by, and are all done", () =>
    Effect.gen(function* () {
      let done = 0
      const one = Effect.map(Effect.yieldNow, () => {
        busyFor(1)
        done++
      })
      const outside: Array<number> = []
      const watch = setInterval(() => outside.push(done), 1)
      yield* Effect.forEach(Array.from({ length: 100 }), () => one, { concurrency: "unbounded", discard: true })
      clearInterval(watch)
      assert.strictEqual(done, 100)
      // Each look found some two more done; what came late itself has fewer.
      for (const [at, seen] of [...outside, done].entries()) assert.isAtMost(seen - (outside[at - 1] ?? 0), 20)
    }).pipe(Effect.provide(TickScheduler.layer)),
  )

  it.live("what is written in the middle of a tick goes out before its end", () =>
    Effect.gen(function* () {
      const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(server, "listening"))
      const address = server.address()
      const socket = gathering("127.0.0.1", typeof address === "object" && address !== null ? address.port : 0)
      yield* Effect.promise(() => once(socket, "connect"))
      const sentInTheTick = Effect.suspend(() => {
        let tickIsOver = false
        let sent = false
        const write = Effect.map(Effect.yieldNow, () => {
          socket.write(Buffer.from("x"))
          setImmediate(() => (tickIsOver = true))
        })
        const work = Effect.map(Effect.yieldNow, () => {
          busyFor(0.3)
          if (!tickIsOver && socket.writableCorked === 0) sent = true
        })
        const turn = Effect.all([write, ...Array.from({ length: 10 }, () => work)], { concurrency: "unbounded" })
        return Effect.map(turn, () => sent)
      })
      // A process that was stopped meanwhile found its turn over: then once more.
      yield* Effect.repeat(sentInTheTick, { until: (sent) => sent })
      socket.destroy()
      server.close()
    }).pipe(Effect.provide(TickScheduler.layer)),
  )

  it.live("who is stopped before its turn has none", () =>
    Effect.gen(function* () {
      let done = false
      const late = Effect.map(Effect.yieldNow, () => void (done = true))
      const fiber = yield* Effect.forkChild(late, { startImmediately: true })
      fiber.interruptUnsafe()
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.isFalse(done)
    }).pipe(Effect.provide(TickScheduler.layer)),
  )
})
