/**
 * Runs one dialler for each campaign that this process owns. The index of campaigns with work is swept every second, at
 * any signal, when something becomes due, and when this process owns more than before.
 */
import { Cause, Context, Effect, Fiber, Layer, Queue, Schedule } from "effect"
import { Cluster } from "../../cluster/Cluster.ts"
import { idOf, Placement, placedOf } from "../../cluster/Placement.ts"
import * as Sweeps from "../../telemetry/Sweeps.ts"
import { AccountMigrations } from "../../tenancy/AccountMigrations.ts"
import { CampaignSignals } from "./CampaignSignals.ts"
import { Dialer } from "./Dialer.ts"

/** How often the index is swept: signals may be lost, and a dialler that lost its campaign is started again. */
const sweepEveryMs = 1_000
/** The time limit of one sweep, which may hang. */
const sweepLimit = "10 seconds"
/** How often this process checks whether a process of an earlier release still dials. */
const askEvery = "500 millis"
/**
 * The time limit of `halt`. If the database cannot be reached, other processes take the campaigns when this process has
 * ended.
 */
const haltLimit = "5 seconds"

export class CampaignSupervisor extends Context.Service<
  CampaignSupervisor,
  {
    /**
     * Stops every dialler of this process for good, so that other processes take the campaigns over. Calls in progress
     * are not affected.
     */
    readonly halt: Effect.Effect<void>
  }
>()("campaigns/CampaignSupervisor") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const dialer = yield* Dialer
      const cluster = yield* Cluster
      const placement = yield* Placement
      const signals = yield* CampaignSignals
      const changes = yield* signals.changes
      const gains = yield* cluster.gains

      const diallers = yield* cluster.declare("Campaign", (id) => {
        const { account, campaign } = placedOf(id)
        return Effect.annotateLogs(dialer.run(account, campaign), { account, campaign })
      })

      const sweep = Effect.gen(function* () {
        const { owned, next_ms } = yield* Effect.timeout(placement.sweep, sweepLimit)
        yield* Effect.forEach(owned, (placed) => diallers.wake(idOf(placed)), {
          concurrency: wakesAtOnce,
          discard: true,
        })
        return next_ms ?? sweepEveryMs
      }).pipe(Sweeps.measure("campaigns"), Effect.catchCause(sweepAgain))

      const sweeping = yield* sweep.pipe(
        Effect.flatMap((milliseconds) =>
          Effect.timeoutOption(
            Effect.raceFirst(Queue.take(changes), Queue.take(gains)),
            Math.max(1, Math.min(sweepEveryMs, milliseconds)),
          ),
        ),
        Effect.forever,
        Effect.forkScoped,
      )
      const joining = yield* joinWhenAllowed

      return {
        halt: Effect.gen(function* () {
          yield* Fiber.interruptAll([joining, sweeping])
          yield* cluster.leave
          yield* placement.release
        }).pipe(Effect.timeout(haltLimit), Effect.catchCause(leaveToOthers)),
      }
    }),
  )
}

/** Campaigns that are woken at the same time. A wake waits only for a shard that this process is about to own. */
const wakesAtOnce = 32

/** Goes on also if something that the sweep used was closed. An interruption of this fiber itself does not come here. */
const sweepAgain = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterrupts(cause)
    ? Effect.succeed(sweepEveryMs)
    : Effect.as(Effect.logWarning("looking up this process's campaigns failed", cause), sweepEveryMs)

const leaveToOthers = (cause: Cause.Cause<unknown>) =>
  Effect.logWarning("handing back campaigns failed; other processes will find them", cause)

/**
 * Lets this process own campaigns: now, or as soon as no process of an earlier release serves in its place. Returns the
 * fiber that waits.
 */
const joinWhenAllowed = Effect.gen(function* () {
  const { isHeldBack } = yield* AccountMigrations
  const { join } = yield* Cluster
  const wait = isHeldBack.pipe(
    Effect.repeat({ schedule: Schedule.spaced(askEvery), until: (isHeld) => !isHeld }),
    Effect.andThen(join),
    Effect.sandbox,
    Effect.retry(Schedule.spaced(askEvery)),
    Effect.ignore,
  )
  const isHeld = yield* isHeldBack
  if (!isHeld) yield* join
  return yield* Effect.forkScoped(isHeld ? wait : Effect.void)
})
