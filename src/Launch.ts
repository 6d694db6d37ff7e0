/** The server as a program: everything is in App.ts. A completed drain is not a failure, so SIGTERM exits with 0. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Logger, Option } from "effect"
import { SqlError } from "effect/sql"
import * as App from "./App.ts"
import { logCrashes } from "./telemetry/Crash.ts"
import * as Log from "./telemetry/Log.ts"
import { serverWord } from "./tenancy/DatabaseServer.ts"
import { Environment } from "./tenancy/Environment.ts"

/** Development, if the setting cannot be read: the reason is then printed for people. */
const isProduction = Effect.orElseSucceed(
  Effect.map(Environment, (environment) => environment === "production"),
  () => false,
)

/** Reports why the process cannot go on: a known reason as one sentence, a bug with its whole stack. */
const explain = (cause: Cause.Cause<Error>) => {
  const known = Option.map(Cause.findErrorOption(cause), (error) => `Parley cannot go on. ${sentenceOf(error)}`)
  if (Option.isNone(known) && Cause.hasInterruptsOnly(cause)) return Effect.void
  return Effect.flatMap(isProduction, (isProduction) =>
    isProduction
      ? inProduction(
          Option.isSome(known) ? Effect.logFatal(known.value) : Effect.logFatal("Parley cannot go on: a bug", cause),
        )
      : Console.error(Option.getOrElse(known, () => Cause.pretty(cause))),
  )
}

/** The message of a failed statement names only the library: PostgreSQL's own words say why. */
const sentenceOf = (error: Error) =>
  SqlError.isSqlError(error) ? `A statement failed in PostgreSQL: ${serverWord(error)}.` : error.message

/** Logs as JSON before the App has started and after it has ended. The App's own log has the same form. */
const inProduction = Effect.provide(Logger.layer([Log.json]))

const logStop = Effect.when(inProduction(Effect.logInfo("Parley has stopped")), isProduction)

const program = Effect.when(logCrashes, isProduction).pipe(
  Effect.andThen(Layer.launch(App.layer)),
  Effect.tapCause(explain),
  Effect.ensuring(logStop),
)

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  teardown: (exit, done) => done(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0),
})
