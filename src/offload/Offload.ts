/**
 * The rule for everything that a tenant can make slow: it is tried here with a budget of steps, and what does not end
 * within it is begun anew in a thread, where a deadline and a memory limit end it. So cheap inputs, which nearly all
 * are, pay no hop, nothing holds the event loop for longer than the budget, and no account takes another's threads.
 */
import { Clock, Context, Effect, Option } from "effect"
import { availableParallelism } from "node:os"
import { Crowded } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import { Budget, isOutOfSteps } from "./Budget.ts"
import { FairLine, mostWaiting } from "./FairLine.ts"
import type { Job } from "./Job.ts"
import { type Overrun, WorkerThread } from "./WorkerThread.ts"

/** Some 2 ms at most (docs/benchmarks.md); a tool call's arguments take a few hundred. */
export const inlineSteps = 10_000

/** Two at least: an account never has all of them. Each takes some 20 MB once it is used. */
const threadCount = Math.max(2, Math.min(4, availableParallelism()))

/** Begun with the first job that needs one; they are the process's, whatever is built and closed in it. */
const Threads = Context.Reference("offload/Threads", {
  defaultValue: () => ({
    line: new FairLine(threadCount),
    idle: Array.from({ length: threadCount }, () => new WorkerThread()),
  }),
})

/** The result, wherever it was found. Waiting counts as the account's of this fiber. */
export const run = <I, O>(job: Job<I, O>, input: I): Effect.Effect<O, Overrun | Crowded> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(job.work(input, new Budget(inlineSteps)))
    } catch (cause) {
      return isOutOfSteps(cause) ? runInThread(job, input) : Effect.die(cause)
    }
  })

const runInThread = Effect.fn("Offload.runInThread")(function* <I, O>(job: Job<I, O>, input: I) {
  const tenant = yield* Effect.serviceOption(CurrentTenant)
  const account = Option.match(tenant, { onNone: () => "", onSome: ({ id }) => id })
  const { idle, line } = yield* Threads
  const ask = Effect.suspend(() => {
    const thread = idle.pop() ?? new WorkerThread()
    const question = { module: job.module, name: job.work.name, input: JSON.stringify(input) }
    return Effect.ensuring(
      thread.ask(question),
      Effect.sync(() => void idle.push(thread)),
    )
  })
  const release = Effect.sync(() => line.release(account))
  const result = yield* Effect.uninterruptibleMask((restore) =>
    Effect.andThen(takeTurn(line, account, restore), Effect.ensuring(restore(ask), release)),
  )
  return (result === undefined ? undefined : JSON.parse(result)) as O
})

/** Waits until the account may use a thread, and then has to release it. One that is interrupted has none. */
const takeTurn = (
  line: FairLine,
  account: string,
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    let isTaken = false
    let leave = () => {}
    const turn = Effect.callback<void, Crowded>((resume) => {
      const place = line.enter(account, () => {
        isTaken = true
        resume(Effect.void)
      })
      if (place !== undefined) leave = place.leave
      else resume(new Crowded({ limit: mostWaiting, used: mostWaiting, resets_at: new Date(now + 1_000) }))
    })
    return Effect.onInterrupt(restore(turn), () => Effect.sync(() => (isTaken ? line.release(account) : leave())))
  })
