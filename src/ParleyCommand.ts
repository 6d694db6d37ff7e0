/** The `parley` command as a program. Its commands are in `src/cli/`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Config, Console, Effect, Exit, Layer, Logger, Option, References } from "effect"
import { CliError, Command } from "effect/cli"
import { parley } from "./cli/Commands.ts"
import { version } from "./tenancy/Version.ts"

/** What a command logs goes to the standard error, so that its output can be piped. */
const logs = Layer.unwrap(
  Effect.gen(function* () {
    const level = yield* Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Warn" as const))
    return Layer.mergeAll(
      Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
      Layer.succeed(References.MinimumLogLevel, level),
    )
  }),
)

/** A known reason is printed as one sentence; a bug with its whole stack. The library prints faults of the arguments. */
const explain = (cause: Cause.Cause<unknown>) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => (Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(Cause.pretty(cause))),
    onSome: (error) =>
      CliError.isCliError(error) ? Effect.void : Console.error(error instanceof Error ? error.message : String(error)),
  })

const program = Command.run(parley, { version }).pipe(
  Effect.tapCause(explain),
  Effect.provide(Layer.merge(NodeServices.layer, logs)),
)

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  teardown: (exit, done) => done(Exit.isFailure(exit) ? 1 : 0),
})
