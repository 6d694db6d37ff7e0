/** Logs a repeated warning once a minute with its count, so that a fault does not flood the log. */
import { Clock, Effect, Logger, Metric, References, Schedule } from "effect"

type Options = Logger.Options<unknown>

interface Seen {
  /** When its present minute began, in milliseconds. */
  readonly since: number
  repeats: number
  /**
   * The last repetition, whose cause the summary shows. Its annotations are kept beside it, because its fiber may have
   * others by then.
   */
  last: Options
  annotations: Readonly<Record<string, unknown>>
}

const lines = Metric.counter("parley_log_lines_total", {
  description: "Warnings and worse that were logged or held back, by level.",
  incremental: true,
})
const counted = {
  Warn: Metric.withAttributes(lines, { level: "warn" }),
  Error: Metric.withAttributes(lines, { level: "error" }),
  Fatal: Metric.withAttributes(lines, { level: "fatal" }),
} as const

const windowMs = 60_000
const checkEvery = "5 seconds"
/** The most different warnings that are counted at the same time. Further ones are logged as they come. */
const mostSeen = 1_000

const partsOf = ({ message }: Options): ReadonlyArray<unknown> => (Array.isArray(message) ? message : [message])

/** Annotations that tell warnings with the same sentence apart: a new reason is worth a line of its own. */
const distinguishing = ["account", "why", "reason", "status"]
const longestValue = 200

/** Warnings with the same sentence and the same reason about the same account are the same. */
const keyOf = (options: Options, annotations: Seen["annotations"]): string => {
  const values = distinguishing.map((name) => String(annotations[name] ?? "").slice(0, longestValue))
  return JSON.stringify([String(partsOf(options)[0]), ...values])
}

/**
 * Passes everything to `log`, except a warning that was already logged within the last minute. When the minute is over,
 * or the scope closes, the last repetition is logged with `repeated`: how many were held back. Errors are never held
 * back, since each may have another cause.
 */
export const count = Effect.fnUntraced(function* (log: Logger.Logger<unknown, void>) {
  const seen = new Map<string, Seen>()
  const fiber = yield* Effect.withFiber((fiber) => Effect.succeed(fiber))

  const summarise = ({ annotations, last, repeats }: Seen) => {
    const parts = [...partsOf(last), { ...annotations, repeated: repeats }]
    if (repeats > 0) log.log({ ...last, fiber, message: parts })
  }
  const closeWindows = (before: number) => {
    for (const [key, window] of seen) {
      if (window.since > before) continue
      summarise(window)
      // A warning that goes on is summarised again in a minute; one that has stopped is forgotten.
      if (window.repeats > 0) seen.set(key, { ...window, since: window.since + windowMs, repeats: 0 })
      else seen.delete(key)
    }
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => closeWindows(Infinity)))
  yield* Clock.currentTimeMillis.pipe(
    Effect.map((now) => closeWindows(now - windowMs)),
    Effect.schedule(Schedule.spaced(checkEvery)),
    Effect.forkScoped,
  )

  const context = yield* Effect.context()
  // Set from the start, so that a scraper sees the first warning as an increase.
  for (const level of Object.values(counted)) level.updateUnsafe(0, context)

  return Logger.make<unknown, void>((options) => {
    const { logLevel } = options
    if (logLevel === "Warn" || logLevel === "Error" || logLevel === "Fatal") counted[logLevel].updateUnsafe(1, context)
    if (options.logLevel !== "Warn") return log.log(options)
    const annotations = options.fiber.getRef(References.CurrentLogAnnotations)
    const key = keyOf(options, annotations)
    const window = seen.get(key)
    if (window !== undefined) {
      window.repeats++
      window.last = options
      window.annotations = annotations
      return
    }
    if (seen.size < mostSeen) seen.set(key, { since: options.date.getTime(), repeats: 0, last: options, annotations })
    log.log(options)
  })
})
