/**
 * The production log: one JSON object a line, for a log store. Personal data is under keys with a `pii` segment, and is
 * left out.
 */
import { Cause, Formatter, Logger, Predicate, References } from "effect"

/** Annotations that a log store indexes. They are placed beside the message; all others are under `annotations`. */
const indexed = ["request_id", "call", "account", "campaign"] as const

const isPersonal = (key: string): boolean => key.split(".").includes("pii")

const isPlain = (part: unknown): part is Record<string, unknown> =>
  Predicate.isObject(part) && !(part instanceof Error) && !Array.isArray(part)

/**
 * The fields of a line. A message may have more parts than its sentence: plain objects join the annotations, and an
 * error becomes the cause.
 */
const fieldsOf = ({ cause, date, fiber, logLevel, message }: Logger.Options<unknown>) => {
  const parts = Array.isArray(message) ? message : [message]
  const annotations: Record<string, unknown> = {}
  const said: Array<string> = []
  const causes = cause.reasons.length > 0 ? [Cause.pretty(cause)] : []
  const annotate = (more: Readonly<Record<string, unknown>>) => {
    for (const [key, value] of Object.entries(more)) if (!isPersonal(key)) annotations[key] = value
  }
  annotate(fiber.getRef(References.CurrentLogAnnotations))
  for (const part of parts) {
    if (part instanceof Error) causes.push(Cause.pretty(Cause.fail(part)))
    else if (isPlain(part)) annotate(part)
    else said.push(typeof part === "string" ? part : Formatter.formatJson(part))
  }
  const named: Record<string, unknown> = {}
  for (const key of indexed) {
    if (!(key in annotations)) continue
    named[key] = annotations[key]
    delete annotations[key]
  }
  const span = fiber.cache.span
  return {
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: said.join(" "),
    ...named,
    ...(span?._tag === "Span" && span.sampled ? { trace_id: span.traceId, span_id: span.spanId } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(causes.length > 0 ? { cause: causes.join("\n") } : {}),
  }
}

export const line = Logger.make((options) => Formatter.formatJson(fieldsOf(options)))

export const json = Logger.withConsoleLog(line)
