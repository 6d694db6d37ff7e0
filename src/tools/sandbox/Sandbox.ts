/**
 * The Python sandbox: one port, two implementations. bubblewrap is the stronger one and is used if it is installed.
 * WebAssembly needs nothing except npm; in production an administrator has to choose it by name.
 */
import { Config, Context, Effect, Exit, Fiber, Layer } from "effect"
import { join } from "node:path"
import { DataFolder } from "../../tenancy/DataFolder.ts"
import { Environment } from "../../tenancy/Environment.ts"
import { ToolFailed } from "../ToolRunner.ts"
import * as Bubblewrap from "./Bubblewrap.ts"
import * as WebAssembly from "./WebAssembly.ts"
import * as Worker from "./Worker.ts"
import * as WorkerPool from "./WorkerPool.ts"

/**
 * How long a probe's result is kept. A probe starts a process: 25 ms of processor time with bubblewrap, half a second
 * with WebAssembly.
 */
const probeHolds = { succeeded: "5 minutes", failed: "30 seconds" } as const
const longestProbe = "30 seconds"
/** Below the time limits of usual health checks. */
const longestWaitForProbe = "2 seconds"
/** Shorter than a tool's own limit, so that the very first run reports why it failed. */
const longestWaitForPreparation = "8 seconds"

const isPreparing = "Python is being prepared for its first use, which takes some seconds"

export class Sandbox extends Context.Service<
  Sandbox,
  {
    readonly kind: Effect.Effect<WorkerPool.Isolation["name"] | "none">
    /** Why Python tools cannot run here; undefined when they can. */
    readonly fault: Effect.Effect<string | undefined>
    readonly run: (job: Worker.Job) => Effect.Effect<Worker.Finished, ToolFailed>
  }
>()("tools/sandbox/Sandbox") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const chosen = yield* (yield* choose).pipe(
        Effect.tap(({ name }) => Effect.logInfo("python tools run in a sandbox", { sandbox: name })),
        Effect.tapError((failed) => warn(failed)),
        Effect.bindTo("isolation"),
        Effect.bind("pool", ({ isolation }) => WorkerPool.make(isolation)),
        Effect.forkScoped,
      )
      const probe = yield* Effect.cachedWithTTL(
        Fiber.join(chosen).pipe(
          Effect.tap(({ isolation }) => isolation.prepare),
          Effect.flatMap(({ pool }) =>
            Effect.timeoutOrElse(pool.probe, {
              duration: longestProbe,
              orElse: () => new Worker.WorkerFailed({ why: `a process did not start within ${longestProbe}` }),
            }),
          ),
          Effect.tapError(warn),
          Effect.match({ onFailure: ({ why }) => why, onSuccess: () => undefined }),
        ),
        (exit) => (Exit.isSuccess(exit) && exit.value === undefined ? probeHolds.succeeded : probeHolds.failed),
      )
      return {
        kind: Fiber.join(chosen).pipe(
          Effect.match({ onFailure: () => "none" as const, onSuccess: ({ isolation }) => isolation.name }),
        ),
        // A probe continues when the health check that started it has been interrupted.
        fault: Effect.forkIn(probe, scope).pipe(
          Effect.flatMap(Fiber.join),
          Effect.timeoutOrElse({ duration: longestWaitForProbe, orElse: () => Effect.succeed(isPreparing) }),
        ),
        run: (job) =>
          Effect.gen(function* () {
            const { isolation, pool } = yield* Fiber.join(chosen)
            yield* isolation.prepare.pipe(
              Effect.timeoutOrElse({
                duration: longestWaitForPreparation,
                orElse: () => new ToolFailed({ code: "sandbox_unavailable", reason: `${isPreparing}. Try again.` }),
              }),
            )
            return yield* pool.run(job)
          }).pipe(Effect.catchTag("WorkerFailed", (failed) => Effect.andThen(warn(failed), unavailable(failed.why)))),
      }
    }),
  )

  static readonly layerAbsent = Layer.succeed(this, {
    kind: Effect.succeed("none" as const),
    fault: Effect.succeed("there is none"),
    run: () => unavailable("there is none"),
  })
}

const choose = Effect.gen(function* () {
  const setting = yield* Config.Literals(["auto", "bubblewrap", "webassembly"], "PARLEY_PYTHON_SANDBOX").pipe(
    Config.withDefault("auto"),
  )
  const path = yield* Config.String("PATH").pipe(Config.withDefault("/usr/bin:/bin"))
  const python = yield* Config.String("PARLEY_PYTHON").pipe(Config.withDefault("/usr/bin/python3"))
  const bubblewrap = Bubblewrap.isolation(path, python)
  const webAssembly = WebAssembly.isolation(path, join(yield* DataFolder, "python"))
  if (setting === "webassembly") return webAssembly
  if (setting === "bubblewrap") return bubblewrap
  if ((yield* Environment) === "production") return Effect.mapError(bubblewrap, withAdvice)
  // That bubblewrap is installed is not enough: many machines forbid the namespaces that it needs.
  return bubblewrap.pipe(
    Effect.tap(({ start }) =>
      Effect.acquireUseRelease(
        start,
        () => Effect.void,
        (worker) => Effect.sync(worker.kill),
      ),
    ),
    Effect.catchTag("WorkerFailed", () => webAssembly),
  )
})

const withAdvice = ({ why }: Worker.WorkerFailed) =>
  new Worker.WorkerFailed({ why: `${why}; PARLEY_PYTHON_SANDBOX=webassembly allows the weaker sandbox` })

const warn = ({ why }: Worker.WorkerFailed) => Effect.logWarning("python tools cannot run", { why })

/** Python without a sandbox would reach everything; it is refused instead. */
const unavailable = (why: string) =>
  new ToolFailed({
    code: "sandbox_unavailable",
    reason: `Python tools cannot run on this installation: ${why}. See docs/python-tools.md.`,
  })
