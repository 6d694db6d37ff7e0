/** The end of a process that a bug ended outside of all fibers, and warnings of Node itself, as lines of the log. */
import { Cause, Effect, Logger } from "effect"
import process from "node:process"
import { json } from "./Log.ts"

const write = (line: Effect.Effect<void>): void => Effect.runSync(Effect.provide(line, Logger.layer([json])))

/** Logs the reason and exits with 1, as Node does, which would print it as text. */
const crash = (error: unknown): void => {
  write(Effect.logFatal("Parley has crashed", Cause.die(error)))
  process.exit(1)
}

const warn = ({ message, name }: Error): void =>
  write(Effect.annotateLogs(Effect.logWarning("warning of the Node runtime"), { warning: `${name}: ${message}` }))

/** Until the process ends. An unhandled rejection arrives as an uncaught exception. */
export const logCrashes = Effect.sync(() => {
  process.on("uncaughtException", crash)
  // Node's own listener prints text.
  process.removeAllListeners("warning").on("warning", warn)
})
