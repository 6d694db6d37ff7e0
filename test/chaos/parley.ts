/**
 * The server from its sources, which kills itself when the span in `CHAOS_CRASH` begins or ends for the n-th time.
 * `DialTransaction.runPass end 3`: the third pass of a dialler has committed, and nothing after it happens.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer, Tracer } from "effect"
import * as App from "../../src/App.ts"

const [point = "", moment = "", nth = "1"] = (process.env["CHAOS_CRASH"] ?? "").split(" ")
let left = Number(nth)

const pass = (name: string, at: string) => {
  if (name !== point || at !== moment || --left > 0) return
  // Nothing runs in this process after it: no finalizer, no flush, no orderly close of the database.
  process.kill(process.pid, "SIGKILL")
}

const mortal = Tracer.make({
  span(options) {
    pass(options.name, "begin")
    const span = new Tracer.NativeSpan(options)
    const end = span.end.bind(span)
    return Object.assign(span, {
      end(time: bigint, exit: Exit.Exit<unknown, unknown>) {
        pass(options.name, "end")
        end(time, exit)
      },
    })
  },
})

NodeRuntime.runMain(
  Layer.launch(App.layer.pipe(Layer.provideMerge(Layer.succeed(Tracer.Tracer, mortal)))).pipe(
    Effect.tapCause((cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) process.stderr.write(`Parley cannot go on. ${Cause.pretty(cause)}\n`)
      }),
    ),
  ),
  {
    disableErrorReporting: true,
    teardown: (exit, done) => done(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0),
  },
)
