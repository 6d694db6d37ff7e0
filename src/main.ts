/** The process: everything is in App.ts. A completed drain is not a failure, so SIGTERM exits with 0. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Option } from "effect"
import * as App from "./App.ts"

/** A known reason why the process cannot start is printed as one sentence; a bug with its whole stack. */
const explain = (cause: Cause.Cause<Error>) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => (Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Cause.pretty(cause))),
    onSome: (error) => Console.error(`Parley cannot go on. ${error.message}`),
  })

NodeRuntime.runMain(Layer.launch(App.layer).pipe(Effect.tapCause(explain)), {
  disableErrorReporting: true,
  teardown: (exit, done) => done(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0),
})
