/** Logs, as lines of the JSON log, crashes outside of all fibers and warnings of Node itself. */
import { Cause, Effect, Logger } from "effect"
import process from "node:process"
import { json } from "./Log.ts"

const write = (line: Effect.Effect<void>): void => Effect.runSync(Effect.provide(line, Logger.layer([json])))

/** Logs the reason and exits with 1. Node would also exit with 1, but print the reason as plain text. */
const crash = (error: unknown): void => {
  write(Effect.logFatal("Parley has crashed", Cause.die(error)))
  process.exit(1)
}

const warn = ({ message, name }: Error): void =>
  write(Effect.annotateLogs(Effect.logWarning("warning of the Node runtime"), { warning: `${name}: ${message}` }))

/** Installs the handlers until the process ends. Node reports an unhandled rejection as an uncaught exception. */
export const logCrashes = Effect.sync(() => {
  process.on("uncaughtException", crash)
  // Node's own listener prints plain text.
  process.removeAllListeners("warning").on("warning", warn)
})
