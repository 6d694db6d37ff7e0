/** A kind of work as an entity of the engine: one fiber for each id, which runs when it is woken. */
import { type Cause, Clock, Effect, Exit, Queue } from "effect"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Sharding from "effect/cluster/Sharding"
import * as Rpc from "effect/rpc/Rpc"

/** Work that was not woken for this long is forgotten. */
const idleLimit = "2 minutes"
/** How often running work is woken although it needs no wake, so that the engine does not forget it (milliseconds). */
const keepMs = 30_000
/** The time limit of a wake: the shard may have just moved, and the next sweep of another process wakes the work. */
const wakeLimit = "1 second"

/** `group` is the shard group of the cell (`RunnerRows.groupOf`). */
export const make = (name: string, run: (id: string) => Effect.Effect<void>, group: string) => {
  const entity = Entity.make(name, [Rpc.make("Wake")]).annotate(ClusterSchema.ShardGroup, () => group)
  /** The work that runs in this process, and when the engine last heard of it. */
  const running = new Map<string, number>()

  const runOnce = Effect.fnUntraced(function* (id: string) {
    running.set(id, yield* Clock.currentTimeMillis)
    yield* Effect.ensuring(
      run(id),
      Effect.sync(() => running.delete(id)),
    )
  })
  const report = (id: string, cause: Cause.Cause<never>) =>
    Effect.annotateLogs(Effect.logError("work ended with a failure; its next wake starts it again", cause), {
      name,
      id,
    })
  const layer = entity.toLayer(
    Effect.gen(function* () {
      const { entityId } = yield* Entity.CurrentAddress
      const wakes = yield* Queue.sliding<void>(1)
      // A run may die, or interrupt itself when something that it used was closed. This fiber must go on, or no wake
      // would ever start the work again in this process.
      yield* Queue.take(wakes).pipe(
        Effect.andThen(Effect.exit(runOnce(entityId))),
        Effect.tap((exit) => (Exit.isSuccess(exit) ? Effect.void : report(entityId, exit.cause))),
        Effect.forever,
        Effect.forkScoped,
      )
      return entity.of({
        Wake: () => (running.has(entityId) ? Effect.void : Effect.asVoid(Queue.offer(wakes, undefined))),
      })
    }),
    { maxIdleTime: idleLimit, concurrency: "unbounded" },
  )

  const wake = Effect.fnUntraced(function* (id: string, sharding: Sharding.Sharding["Service"]) {
    const now = yield* Clock.currentTimeMillis
    if (now - (running.get(id) ?? Number.NEGATIVE_INFINITY) < keepMs) return
    const clientOf = yield* Effect.provideService(entity.client, Sharding.Sharding, sharding)
    yield* Effect.ignore(Effect.timeout(clientOf(id).Wake(), wakeLimit))
    if (running.has(id)) running.set(id, now)
  })
  return { layer, wake }
}
