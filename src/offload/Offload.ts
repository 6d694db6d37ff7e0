/**
 * The rule for all work that a tenant can make slow. Work that counts its steps runs here with a budget, and starts
 * again in a worker process when the budget is used up; work that cannot count steps always runs in a worker. There a
 * deadline and a memory limit end it. So no job holds the event loop for longer than the budget, and no account takes
 * another's workers.
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

/** At least two, so that one account never holds all of them. Each takes some 70 MB once it is used. */
const workerCount = Math.max(2, Math.min(4, availableParallelism()))

/**
 * `waiting` is an account's queued jobs: a thousand calls may use a tool at the same moment. A queued job holds only
 * its input.
 */
const limits = { what: "costly requests", places: workerCount, waiting: 1_000 }

/**
 * The worker processes; each starts with the first job that needs it. They belong to the whole process, not to a layer.
 */
const Workers = Context.Reference("offload/Workers", {
  defaultValue: () => ({
    shares: Effect.runSync(FairSemaphore.make(limits)),
    idle: Array.from({ length: workerCount }, () => new WorkerProcess()),
  }),
})

/** How a fiber waits for a worker; a call in the lab stops its own clock meanwhile. */
export const Waiting = Context.Reference<<A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>>(
  "offload/Waiting",
  { defaultValue: () => (waiting) => waiting },
)

/**
 * Runs the job within the budget in this process, or else in a worker. A queued job counts for the account of this
 * fiber.
 */
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
