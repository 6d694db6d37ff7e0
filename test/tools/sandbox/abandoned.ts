/** A process with a sandbox (its name is the argument) in which one tool computes and one sleeps without end. */
import { Effect, Fiber } from "effect"
import { Sandbox } from "../../../src/tools/sandbox/Sandbox.ts"
import { sandboxLayer } from "../../support/PythonSandbox.ts"

const kind = process.argv[2] === "bubblewrap" ? "bubblewrap" : "webassembly"
const job = (body: string) => ({
  code: `import time\ndef tool(arguments, context):\n  ${body}\n`,
  arguments: {},
  context: {},
})

await Effect.runPromise(
  Effect.gen(function* () {
    const { run } = yield* Sandbox
    const endless = yield* Effect.forkChild(run(job("while True: pass")), { startImmediately: true })
    const asleep = yield* Effect.forkChild(run(job("time.sleep(10**6)")), { startImmediately: true })
    // The pool gives them out in this order, so both have theirs when this one has ended.
    yield* run(job("return 1"))
    console.log("both run")
    yield* Fiber.joinAll([endless, asleep])
  }).pipe(Effect.scoped, Effect.provide(sandboxLayer(kind))),
)
