/** Traces as a collector receives them over a real socket. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { Turn } from "../../src/domain/Call.ts"
import * as CallTrace from "../../src/telemetry/CallTrace.ts"
import { guard, samplerOf } from "../../src/telemetry/Traces.ts"
import { inAccountOfItsOwn, numbersOf } from "../support/Campaigner.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

interface Received {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 2 is a server's. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue?: string } }>
}

/** A collector: every span that it was sent, and every byte. */
const collector = async () => {
  const spans: Array<Received> = []
  const bodies: Array<string> = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(`${request.url} ${request.headers["x-tenant"]} ${body}`)
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    response.end("{}")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  server.unref()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, bodies }
}

const collected = await collector()
const { bodies, spans } = collected

const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collected.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=ops",
  OTEL_SERVICE_NAME: "parley-test",
  OTEL_BSP_SCHEDULE_DELAY: "100",
  PARLEY_ACCESS_LOG: "failures",
}

const valueOf = ({ attributes }: Received, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue

it.layer(TestServer.layerWith(settings), { timeout: "120 seconds", excludeTestServices: true })((it) => {
  it.effect("a call is one trace, from the claim of its contact over each reply to the settlement", () =>
    inAccountOfItsOwn(async (own, owner) => {
      const { id } = await own.running(numbersOf("00", 1))
      await own.ended(id)
      const call = await until(() => spans.find((span) => valueOf(span, "parley.campaign") === id))
      assert.strictEqual(call.name, "call")
      assert.isUndefined(call.parentSpanId)
      assert.strictEqual(valueOf(call, "parley.account"), owner.account)
      assert.strictEqual(valueOf(call, "parley.outcome"), "answered")
      const of = spans.filter(({ traceId }) => traceId === call.traceId)
      const childrenOf = (parent: Received) => of.filter(({ parentSpanId }) => parentSpanId === parent.spanId)
      const parts = childrenOf(call).filter(({ name }) => name.startsWith("call."))
      assert.deepStrictEqual(
        parts.map(({ name }) => name),
        ["call.claim", "call.dial", "call.ring", "call.talk", "call.settle"],
      )
      const times = [call.startTimeUnixNano, ...parts.map(({ endTimeUnixNano }) => endTimeUnixNano)].map(BigInt)
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => (a < b ? -1 : 1)),
      )
      const talk = parts.find(({ name }) => name === "call.talk")
      const replies = talk === undefined ? [] : childrenOf(talk)
      assert.isAbove(replies.length, 1)
      for (const reply of replies) {
        assert.strictEqual(reply.name, "call.reply")
        assert.deepStrictEqual(
          childrenOf(reply).map(({ name }) => name),
          ["reply.brain"],
        )
      }
    }),
  )

  it.effect("a request continues its client's trace, and is named by its route", () =>
    inAccountOfItsOwn(async (_, owner) => {
      const sampled = "4bf92f3577b34da6a3ce929d0e0e4736"
      const not = "4bf92f3577b34da6a3ce929d0e0e4737"
      const parent = "00f067aa0ba902b7"
      const from = (trace: string, flags: string) => ({ headers: { traceparent: `00-${trace}-${parent}-${flags}` } })
      const path = "/api/v1/suppressions/+14155550199"
      await owner.request("DELETE", path, from(not, "00"))
      await owner.request("DELETE", path, from(sampled, "01"))
      await owner.get("/healthz" as "/api/agents")
      const request = await until(() => spans.find(({ kind, traceId }) => kind === 2 && traceId === sampled))
      assert.strictEqual(request.name, "DELETE /api/v1/suppressions/{phone_number}")
      assert.strictEqual(request.parentSpanId, parent)
      assert.strictEqual(valueOf(request, "parley.account"), owner.account)
      assert.match(valueOf(request, "parley.request_id") ?? "", /^[\w-]{36}$/)
      assert.isUndefined(spans.find(({ traceId }) => traceId === not))
      assert.isUndefined(spans.find(({ name }) => name.includes("healthz")))
    }),
  )

  it.effect("no span holds a number, a path or a word, and all come with the service's name and the headers", () =>
    Effect.sync(() => {
      const all = bodies.join("\n")
      assert.match(all, /^\/v1\/traces ops /)
      assert.include(all, '"parley-test"')
      for (const secret of ["14155100000", "14155550199", "Rosa", "Hello", "suppressions/+", "Bearer", "127.0.0.1"])
        assert.notInclude(all, secret)
    }),
  )
})

describe("a span", () => {
  it("keeps known attributes alone, no event, and of an error its name", () => {
    const seen: Array<unknown> = []
    const inner = Tracer.make({
      span: (options) =>
        ({
          ...options,
          _tag: "Span",
          attribute: (key: string, value: unknown) => seen.push([key, value]),
          event: (name: string) => seen.push(name),
          end: (_: bigint, exit: Exit.Exit<unknown, unknown>) => seen.push(exit),
        }) as unknown as Tracer.Span,
    })
    const options = {
      name: "a",
      parent: Option.none(),
      links: [],
      kind: "internal",
      root: true,
      sampled: true,
    } as const
    const span = guard(inner, samplerOf("always_on", 1)).span({ ...options, startTime: 0n } as never)
    span.attribute("url.path", "/api/v1/suppressions/+14155550199")
    span.attribute("parley.call", "c-1")
    span.event("said", 0n, { text: "my name is Ada" })
    span.end(1n, Exit.fail(new RangeError("my name is Ada")))
    assert.deepStrictEqual(seen[0], ["parley.call", "c-1"])
    assert.strictEqual(seen.length, 2)
    assert.notInclude(JSON.stringify(seen), "Ada")
    assert.include(String(Exit.isFailure(seen[1] as never) && (seen[1] as { cause: unknown }).cause), "RangeError")
  })
})

describe("a reply on a line whose sound Parley carries", () => {
  it.effect("has the stages of its answer, one after another", () =>
    Effect.gen(function* () {
      const made: Array<readonly [name: string, from: number, to: number]> = []
      const collecting = Tracer.make({
        span: (options) => {
          const span = Tracer.nativeTracer.span(options)
          const end = span.end.bind(span)
          return Object.assign(span, {
            end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => {
              made.push([span.name, Number(span.status.startTime) / 1e6, Number(at) / 1e6])
              end(at, exit)
            },
          })
        },
      })
      const turn: Turn = {
        turn: 2,
        started_by: "caller",
        caller_ended_ms: 2_000,
        endpoint_ms: 250,
        brain_ms: 300,
        tools_ms: 0,
        first_word_ms: 2_700,
        drained_ms: 4_000,
        response_ms: 700,
        interrupted: false,
        timings: {
          voice_off_ms: 200,
          transcript_ms: 50,
          decision_ms: 10,
          first_token_ms: 300,
          first_words_ms: 40,
          first_audio_ms: 90,
          first_frame_ms: 10,
          voice_to_voice_ms: 700,
          interruption_ms: null,
        },
      }
      yield* TestClock.setTime(20_000)
      const ended = { attributes: {}, answered: 10_000, ended: 19_000, speed: 1, turns: [turn] }
      const collected = yield* CallTrace.begin("acme", "c-2", 1_000).pipe(Effect.withTracer(collecting))
      yield* CallTrace.end(collected!, ended).pipe(Effect.withTracer(collecting))
      assert.deepStrictEqual(made.slice(2, -2), [
        ["call.reply", 12_000, 14_000],
        ["reply.voice_off", 12_000, 12_200],
        ["reply.transcript", 12_200, 12_250],
        ["reply.decision", 12_250, 12_260],
        ["reply.first_token", 12_260, 12_560],
        ["reply.first_words", 12_560, 12_600],
        ["reply.first_audio", 12_600, 12_690],
        ["reply.first_frame", 12_690, 12_700],
      ])
    }),
  )
  it.effect("has no span while traces are off", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* Effect.withTracerEnabled(CallTrace.begin("acme", "c-1", 1_000), false))
    }),
  )
})

describe("the sampler", () => {
  const external = (traceId: string, sampled: boolean) =>
    Tracer.externalSpan({ traceId, spanId: "00f067aa0ba902b7", sampled })
  const low = `${"0".repeat(24)}00000001`
  const high = `${"0".repeat(24)}ffffffff`

  it.each([
    ["always_on", 1, undefined, true],
    ["always_off", 1, undefined, false],
    ["always_on", 1, external(low, false), true],
    ["parentbased_always_on", 1, external(low, false), false],
    ["parentbased_always_off", 1, external(low, true), true],
    ["traceidratio", 0.5, external(low, false), true],
    ["traceidratio", 0.5, external(high, true), false],
    ["parentbased_traceidratio", 0, external(low, true), true],
    ["parentbased_traceidratio", 0, undefined, false],
    ["parentbased_traceidratio", 1, undefined, true],
  ] as const)("%s of %d with the parent %o: %s", (sampler, ratio, parent, expected) => {
    assert.strictEqual(samplerOf(sampler, ratio)(parent), expected)
  })
})
