/**
 * The rule for everything that a tenant can make slow: it is tried here with a budget of steps, and what does not end
 * within it is begun anew in a thread, where a deadline and a memory limit end it. So cheap inputs, which nearly all
 * are, pay no hop, nothing holds the event loop for longer than the budget, and no account takes another's threads.
 */
import { Clock, Context, Effect, Option } from "effect"
import { availableParallelism } from "node:os"
import { Crowded } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as FairSemaphore from "../tenancy/FairSemaphore.ts"
import { Budget, isOutOfSteps } from "./Budget.ts"
import type { Job } from "./Job.ts"
import { type Overrun, WorkerThread } from "./WorkerThread.ts"

/** Some 2 ms at most (docs/benchmarks.md); a tool call's arguments take a few hundred. */
export const inlineSteps = 10_000

/** Two at least, so that one account never has all of them. Each takes some 20 MB once it is used. */
const threadCount = Math.max(2, Math.min(4, availableParallelism()))

/** `waiting`: an account's jobs. Each holds its input, a megabyte at most. */
const limits = { what: "costly requests", places: threadCount, waiting: 64 }

/** Started with the first job that needs one; they are the process's, whatever is built and closed in it. */
const Threads = Context.Reference("offload/Threads", {
  defaultValue: () => ({
    shares: Effect.runSync(FairSemaphore.make(limits)),
    idle: Array.from({ length: threadCount }, () => new WorkerThread()),
  }),
})

/** How a fiber waits for a thread; one that lives by a time of its own has that stand still. */
export const Waiting = Context.Reference<<A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>(
  "offload/Waiting",
  { defaultValue: () => (waiting) => waiting },
)

/** The result, wherever it was found. Waiting counts as the account's of this fiber. */
export const run = <I, O>(job: Job<I, O>, input: I): Effect.Effect<O, Overrun | Crowded> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(job.work(input, new Budget(inlineSteps)))
    } catch (cause) {
      return isOutOfSteps(cause) ? Waiting.use((wait) => wait(runInThread(job, input))) : Effect.die(cause)
    }
  })

const runInThread = Effect.fn("Offload.runInThread")(function* <I, O>(job: Job<I, O>, input: I) {
  const tenant = yield* Effect.serviceOption(CurrentTenant)
  const account = Option.match(tenant, { onNone: () => "", onSome: (entry) => entry.account.slug })
  const { idle, shares } = yield* Threads
  const ask = Effect.suspend(() => {
    const thread = idle.pop() ?? new WorkerThread()
    const question = { module: job.module, name: job.work.name, input: JSON.stringify(input) }
    return Effect.ensuring(
      thread.ask(question),
      Effect.sync(() => void idle.push(thread)),
    )
  })
  const result = yield* Effect.catchTag(shares.withPlace(account)(ask), "ShareFull", refuse)
  return (result === undefined ? undefined : JSON.parse(result)) as O
})

const refuse = ({ waiting }: FairSemaphore.ShareFull) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => new Crowded({ limit: waiting, used: waiting, resets_at: new Date(now + 1_000) }),
  )
