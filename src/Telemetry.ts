/** The log and the traces. Personal data is under keys with a `pii.` segment, which production drops. */
import { Config, Effect, Layer, Logger, References, Tracer } from "effect"
import * as Log from "./telemetry/Log.ts"
import * as Repeats from "./telemetry/Repeats.ts"
import * as Traces from "./telemetry/Traces.ts"
import { Environment } from "./tenancy/Environment.ts"
import { version } from "./tenancy/Version.ts"

/** Lines for people in development, JSON in production; never a called number, nor anything that was said. */
const logs = Layer.unwrap(
  Effect.gen(function* () {
    const level = yield* Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info" as const))
    const logger = (yield* Environment) === "production" ? Log.json : Logger.consolePretty()
    return Layer.mergeAll(
      Logger.layer([Repeats.count(logger)]),
      Layer.succeed(References.MinimumLogLevel, level),
      // Spans are made only if they are collected: those of two statements would cost 3 µs of a read.
      Layer.succeed(References.TracerEnabled, (yield* Tracer.Tracer) !== Tracer.nativeTracer),
    )
  }),
)

export const layer = logs.pipe(Layer.provideMerge(Traces.layer(version)))
