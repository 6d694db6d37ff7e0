/**
 * Runs one dialler for each campaign that is placed with this process. The databases say which campaigns those are. The
 * fibers are aligned with them every second, at any signal, and when something becomes due.
 */
import { Cause, Context, Effect, Fiber, FiberMap, Layer, Queue, Schedule } from "effect"
import { Node } from "../calls/Calls.ts"
import { Placement } from "../cluster/Placement.ts"
import type { Placed } from "../cluster/Share.ts"
import * as Sweeps from "../telemetry/Sweeps.ts"
import { AccountMigrations } from "../tenancy/AccountMigrations.ts"
import { CampaignSignals } from "./CampaignSignals.ts"
import { Dialer } from "./Dialer.ts"

/** How often the fibers are compared with the databases: a killed process sends no signal. */
const lookEveryMs = 1_000
/** The time limit of one comparison, which may hang. */
const lookLimit = "10 seconds"
/** How often this process checks whether a process of an earlier release still dials. */
const askEvery = "500 millis"
/**
 * The time limit of `halt`. If the database cannot be reached, other processes find later what was not given back by
 * then.
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
      const node = yield* Node
      const placement = yield* Placement
      const signals = yield* CampaignSignals
      const news = yield* signals.changes
      const running = yield* FiberMap.make<string, void, never>()
      /** The campaigns that this process is responsible for. */
      let present: ReadonlyMap<string, Placed> = new Map()

      const begin = ({ account, campaign }: Placed) =>
        dialer
          .run(account, campaign)
          .pipe(
            Effect.annotateLogs({ account, campaign }),
            FiberMap.run(running, keyOf({ account, campaign }), { onlyIfMissing: true }),
          )

      /** Gives campaigns back. Their diallers stop first, so that two diallers of one campaign never overlap. */
      const giveBack = Effect.fnUntraced(function* (placed: ReadonlyArray<Placed>) {
        yield* Effect.forEach(placed, (each) => FiberMap.remove(running, keyOf(each)), { discard: true })
        yield* placement.giveBack(placed)
        yield* Effect.forEach(placed, ({ account, campaign }) => signals.announceChange(account, campaign), {
          discard: true,
        })
      })

      const align = Effect.gen(function* () {
        const { mine, next_ms, surplus } = yield* Effect.timeout(placement.share, lookLimit)
        const before = present
        present = new Map([...mine, ...surplus].map((placed) => [keyOf(placed), placed]))
        for (const [key] of before) if (!present.has(key)) yield* FiberMap.remove(running, key)
        yield* Effect.forEach(mine, begin, { discard: true })
        yield* giveBack(surplus)
        return next_ms ?? lookEveryMs
      }).pipe(Sweeps.measure("campaigns"), Effect.catchCause(lookAgain))

      const beginning = yield* beginWhenAllowed
      const aligning = yield* align.pipe(
        Effect.flatMap((milliseconds) =>
          Effect.timeoutOption(Queue.take(news), Math.max(1, Math.min(lookEveryMs, milliseconds))),
        ),
        Effect.forever,
        Effect.forkScoped,
      )

      return {
        halt: Effect.gen(function* () {
          yield* Fiber.interruptAll([beginning, aligning])
          yield* FiberMap.clear(running)
          yield* node.dials(false)
          yield* giveBack([...present.values()])
        }).pipe(Effect.timeout(haltLimit), Effect.catchCause(leaveToOthers)),
      }
    }),
  )
}

const lookAgain = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterrupts(cause)
    ? Effect.interrupt
    : Effect.as(Effect.logWarning("looking up this process's campaigns failed", cause), lookEveryMs)

const leaveToOthers = (cause: Cause.Cause<unknown>) =>
  Effect.logWarning("handing back campaigns failed; other processes will find them", cause)

/**
 * Lets this process dial: now, or as soon as no process of an earlier release serves in its place. Returns the fiber
 * that waits.
 */
const beginWhenAllowed = Effect.gen(function* () {
  const { isHeldBack } = yield* AccountMigrations
  const node = yield* Node
  const begin = node.dials(true)
  const wait = isHeldBack.pipe(
    Effect.repeat({ schedule: Schedule.spaced(askEvery), until: (isHeld) => !isHeld }),
    Effect.andThen(begin),
    Effect.sandbox,
    Effect.retry(Schedule.spaced(askEvery)),
    Effect.ignore,
  )
  const isHeld = yield* isHeldBack
  if (!isHeld) yield* begin
  return yield* Effect.forkScoped(isHeld ? wait : Effect.void)
})

const keyOf = ({ account, campaign }: Placed): string => `${account}/${campaign}`
