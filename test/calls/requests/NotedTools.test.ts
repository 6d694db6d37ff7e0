/** What is noted of a tool's request before it is sent, and what is kept of its result. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Schema } from "effect"
import * as NotedTools from "../../../src/calls/requests/NotedTools.ts"
import type * as ToolRequestRows from "../../../src/calls/requests/ToolRequestRows.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { notKept, type ToolInvocation } from "../../../src/domain/Call.ts"
import type { LiveRecording } from "../../../src/recording/Recorder.ts"
import * as Invocation from "../../../src/tools/Invocation.ts"
import { ToolRunner } from "../../../src/tools/ToolRunner.ts"
import { kit, outsideCalls, tool } from "../../support/Kit.ts"
import { sessionTo } from "../../support/Sessions.ts"
import { tenantWithoutDatabase } from "../../support/TenantWithoutDatabase.ts"

const paused: LiveRecording = {
  isPaused: true,
  wasPaused: () => true,
  setPaused: () => Effect.void,
  setPrivate: () => Effect.void,
  recordBoth: () => {},
  stop: Effect.void,
}

const server = Layer.succeed(ToolRunner, { run: () => Effect.succeed({ result: { booked: true }, logs: [] }) })

/** Runs a tool with this configuration. Returns what was noted and kept of it, and what the talk gets. */
const run = Effect.fnUntraced(function* (
  config: Schema.JsonObject,
  args: Schema.JsonObject,
  recording: LiveRecording | null = null,
) {
  const noted: Array<ToolRequestRows.NewRequest> = []
  const kept: Array<ToolInvocation> = []
  const book = tool("book", {
    is_default: false,
    implementation_type: "http",
    implementation_config: config,
    config: { digits: ["card"] },
  })
  const own = kit({}, { tools: [book] })
  const { call, tenant } = sessionTo("+14155550000", own)
  const record = new CallRecord()
  record.recording = recording
  record.digits?.set("card", "4929113344556677")
  const environment = Layer.merge(server, tenantWithoutDatabase())
  const tools = NotedTools.make({
    tenant,
    call_id: call.id,
    kit: own,
    record,
    line: { moment: Effect.succeed({ at: 0, playing: null }) },
    requests: {
      run: (_, request, { send, toKept }) =>
        Effect.gen(function* () {
          noted.push(request)
          const done = yield* Effect.provide(send, environment)
          kept.push(yield* toKept(done))
          return done
        }),
    },
  })
  const context = { ...outsideCalls, digits: record.digits }
  const invoking = Invocation.invoke(own, "book", args, context, "id")
  const running = tools.run({ id: "id", name: "book", args }, invoking)
  const given = running === null ? null : yield* running
  return { noted, kept, given, outlives: tools.outlives("book") }
})

const idempotent = { method: "POST", idempotent: true }

describe("a tool's request", () => {
  it.effect("may be sent again only if its server honours the idempotency key", () =>
    Effect.gen(function* () {
      const repeatable = Effect.fnUntraced(function* (config: Schema.JsonObject, args: Schema.JsonObject) {
        return (yield* run(config, args)).noted.map(({ is_repeatable }) => is_repeatable)
      })
      assert.deepStrictEqual(yield* repeatable(idempotent, {}), [true])
      assert.deepStrictEqual(yield* repeatable({ method: "PUT" }, {}), [false])
      assert.deepStrictEqual(yield* repeatable({ ...idempotent, headers: { "Idempotency-Key": "mine" } }, {}), [false])
      // Digits are not kept.
      assert.deepStrictEqual(yield* repeatable(idempotent, { card: "{{digits.card}}" }), [false])
    }),
  )

  it.effect("is stored with references to digits, not with the digits", () =>
    Effect.gen(function* () {
      const { noted } = yield* run(idempotent, { card: "{{digits.card}}" })
      assert.deepStrictEqual(noted[0]?.arguments, { card: "{{digits.card}}" })
    }),
  )

  it.effect("is stored without its content while the recording is paused, and the model gets the result", () =>
    Effect.gen(function* () {
      const { given, kept, noted } = yield* run(idempotent, { name: "Ada" }, paused)
      assert.deepInclude(noted[0], { arguments: notKept, is_repeatable: false })
      assert.deepInclude(kept[0], { arguments: notKept, result: notKept })
      assert.deepInclude(given, { arguments: { name: "Ada" }, result: { booked: true } })
    }),
  )

  it.effect("is not stored if it changes nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run({ method: "GET" }, {}), { noted: [], kept: [], given: null, outlives: false })
    }),
  )
})
