/**
 * Traces over OTLP, if OpenTelemetry's own environment variables name a collector. No span contains what was said, a
 * phone number, a path or a token: names are constants of the code, and only the attributes that are listed here are
 * kept.
 */
import { Cause, Config, Effect, Exit, Layer, Option, Schema, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { randomInt } from "node:crypto"

const kept: ReadonlySet<string> = new Set([
  "http.request.method",
  "http.response.status_code",
  "parley.account",
  "parley.attempt",
  "parley.call",
  "parley.campaign",
  "parley.carrier",
  "parley.direction",
  "parley.end_reason",
  "parley.outcome",
  "parley.request_id",
  "parley.started_by",
])

/** The error of a span: the kind of the failure alone, because messages may quote what a person said. */
class SpanFailed extends Error {
  constructor(name: string) {
    super(name)
    this.name = name
    this.stack = name
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "unknown")

const withoutMessages = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
    ? exit
    : Exit.fail(new SpanFailed(nameOf(Cause.squash(exit.cause))))

/** Keeps personal data out of a span, whichever library made it. */
const confine = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const end = span.end.bind(span)
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (kept.has(key)) attribute(key, value)
    },
    event: () => {},
    end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => end(at, withoutMessages(exit)),
  })
}

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const
type Sampler = (typeof samplers)[number]

/**
 * Returns the function that decides whether to export a span. It goes by the trace's id if there is one, so that a
 * trace is kept as a whole or not at all.
 */
export const samplerOf = (sampler: Sampler, ratio: number) => {
  const range = 2 ** 32
  const isInRatio = (traceId: string | undefined): boolean =>
    (traceId === undefined ? randomInt(range) : Number.parseInt(traceId.slice(-8), 16)) < ratio * range
  const isKept = (traceId: string | undefined): boolean =>
    sampler.endsWith("always_on") || (sampler.endsWith("traceidratio") && isInRatio(traceId))
  return (parent: Tracer.AnySpan | undefined): boolean => {
    if (parent === undefined) return isKept(undefined)
    // Spans of this process follow their parent.
    return parent._tag === "Span" || sampler.startsWith("parentbased") ? parent.sampled : isKept(parent.traceId)
  }
}

/** Samples and confines the spans of `inner`. */
export const guard = (inner: Tracer.Tracer, isSampled: ReturnType<typeof samplerOf>): Tracer.Tracer =>
  Tracer.make({
    ...inner,
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      // Effect follows the sampling flag of a parent in another process; here the sampler decides.
      const sampled = (options.sampled || parent?._tag === "ExternalSpan") && isSampled(parent)
      return confine(inner.span({ ...options, sampled }))
    },
  })

const endpoint = Config.option(
  Config.URL("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").pipe(
    Config.orElse(() =>
      Config.map(
        Config.URL("OTEL_EXPORTER_OTLP_ENDPOINT"),
        (base) => new URL("v1/traces", `${base.href.replace(/\/*$/, "")}/`),
      ),
    ),
  ),
)
const headersIn = (variable: string) => Config.Record(Schema.String, Schema.StringFromUriComponent, variable)
const settings = Config.all({
  endpoint,
  headers: headersIn("OTEL_EXPORTER_OTLP_TRACES_HEADERS").pipe(
    Config.orElse(() => headersIn("OTEL_EXPORTER_OTLP_HEADERS")),
    Config.withDefault({}),
  ),
  isDisabled: Config.withDefault(Config.Boolean("OTEL_SDK_DISABLED"), false),
  exporter: Config.withDefault(Config.Literals(["otlp", "none"], "OTEL_TRACES_EXPORTER"), "otlp" as const),
  protocol: Config.withDefault(
    Config.Literals(["http/protobuf", "http/json"], "OTEL_EXPORTER_OTLP_PROTOCOL"),
    "http/protobuf" as const,
  ),
  sampler: Config.withDefault(Config.Literals(samplers, "OTEL_TRACES_SAMPLER"), "parentbased_always_on" as const),
  ratio: Config.withDefault(
    Config.schema(
      Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
      "OTEL_TRACES_SAMPLER_ARG",
    ),
    1,
  ),
  serviceName: Config.withDefault(Config.String("OTEL_SERVICE_NAME"), "parley"),
  exportMs: Config.withDefault(Config.Int("OTEL_BSP_SCHEDULE_DELAY"), 5_000),
})

/** Supplies the tracer that exports, or nothing if no collector is named. */
export const layer = (serviceVersion: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { endpoint, exporter, exportMs, headers, isDisabled, protocol, ratio, sampler, serviceName } =
        yield* settings
      if (Option.isNone(endpoint) || isDisabled || exporter === "none") return Layer.empty
      const inner = OtlpTracer.layer({
        url: endpoint.value.href,
        headers,
        resource: { serviceName, serviceVersion },
        exportInterval: exportMs,
      })
      const guarded = Layer.effect(
        Tracer.Tracer,
        Effect.map(Tracer.Tracer, (tracer) => guard(tracer, samplerOf(sampler, ratio))),
      )
      const serialization = protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
      return guarded.pipe(Layer.provide(inner), Layer.provide([serialization, FetchHttpClient.layer]))
    }),
  )
