/**
 * The rule for everything that a tenant can make slow: work that counts its steps is tried here with a budget of them,
 * and begun anew in a worker, which is a process, when they are used up; work that counts none always runs in a worker. A
 * deadline and a memory limit end it there. So nothing holds the event loop for longer than the budget, and no account
 * takes another's workers.
 */
import { Clock, Context, Effect, Option } from "effect"
import { availableParallelism } from "node:os"
import { Crowded } from "../domain/Refusals.ts"
import { CurrentTenant } from "../tenancy/CurrentTenant.ts"
import * as FairSemaphore from "../tenancy/FairSemaphore.ts"
import { keepOpen } from "../tenancy/OpenTransaction.ts"
import { Budget, isOutOfSteps } from "./Budget.ts"
import type { Job, WorkerJob } from "./Job.ts"
import { type Overrun, WorkerProcess } from "./WorkerProcess.ts"

/** Some 2 ms at most (docs/benchmarks.md). */
export const inlineSteps = 10_000

/** Two at least, so that one account never has all of them. Each takes some 70 MB once it is used. */
const workerCount = Math.max(2, Math.min(4, availableParallelism()))

/** `waiting`: an account's jobs, a thousand calls that use a tool at one moment among them. A job waits by its input alone. */
const limits = { what: "costly requests", places: workerCount, waiting: 1_000 }

/** Started with the first job that needs one; they are the process's, whatever is built and closed in it. */
const Workers = Context.Reference("offload/Workers", {
  defaultValue: () => ({
    shares: Effect.runSync(FairSemaphore.make(limits)),
    idle: Array.from({ length: workerCount }, () => new WorkerProcess()),
  }),
})

/** How a fiber waits for a worker; one that lives by a time of its own has that stand still. */
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
      return isOutOfSteps(cause) ? inWorker({ module: job.module, name: job.work.name }, input) : Effect.die(cause)
    }
  })

/** The result of work that counts no steps, and so always runs in a worker. */
export const inWorker = <O>(job: WorkerJob<O>, input: unknown): Effect.Effect<O, Overrun | Crowded> =>
  Waiting.use((wait) => wait(askWorker(job, input)))

const askWorker = Effect.fn("Offload.askWorker")(function* <O>(job: WorkerJob<O>, input: unknown) {
  const tenant = yield* Effect.serviceOption(CurrentTenant)
  const account = Option.match(tenant, { onNone: () => "", onSome: (entry) => entry.account.slug })
  const { idle, shares } = yield* Workers
  const ask = Effect.suspend(() => {
    const worker = idle.pop() ?? new WorkerProcess()
    const question = { ...job, input: JSON.stringify(input) }
    return Effect.ensuring(
      worker.ask(question),
      Effect.sync(() => void idle.push(worker)),
    )
  })
  const result = yield* Effect.catchTag(keepOpen(shares.withPlace(account)(ask)), "ShareFull", refuse)
  return (result === undefined ? undefined : JSON.parse(result)) as O
})

const refuse = ({ waiting }: FairSemaphore.ShareFull) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => new Crowded({ limit: waiting, used: waiting, resets_at: new Date(now + 1_000) }),
  )
