import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, type Schema } from "effect"
import { TestClock } from "effect/testing"
import * as CallControls from "../../src/tools/CallControls.ts"
import * as Invocation from "../../src/tools/Invocation.ts"
import { isObject } from "../../src/domain/JsonValue.ts"
import { ToolFailed, ToolRunner } from "../../src/tools/ToolRunner.ts"
import { kit, outsideCalls, tool } from "../support/Kit.ts"
import { tenantWithoutDatabase } from "../support/TenantWithoutDatabase.ts"

const runnerOf = (run: ToolRunner["Service"]["run"]) => Layer.succeed(ToolRunner, { run })

const context: Invocation.InvocationContext = { ...outsideCalls, phone_number: "+14155550101" }

const mine = tool("mine", {
  is_default: false,
  schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
})
const builtIns = ["end_call", "transfer_call", "send_dtmf", "record_outcome", "schedule_callback", "get_current_time"]
const equipped = kit({}, { tools: [mine, ...builtIns.map((name) => tool(name))] })

const invoke = (
  name: string,
  args: Schema.JsonObject,
  change: Partial<Invocation.InvocationContext> = {},
  runner = ToolRunner.layerUnavailable,
) =>
  Invocation.invoke(equipped, name, args, { ...context, ...change }).pipe(
    Effect.provide([runner, tenantWithoutDatabase()]),
  )

describe("a tool's invocation", () => {
  it.effect("is a record with its arguments, its result and its time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const runner = runnerOf((_, { n }) => Effect.succeed({ result: { twice: Number(n) * 2 }, logs: [] }))
      const { id, ...record } = yield* invoke("mine", { n: 21 }, {}, runner)
      assert.deepStrictEqual(record, {
        tool_name: "mine",
        arguments: { n: 21 },
        result: { twice: 42 },
        started_at: new Date(1_000),
        duration_ms: 0,
      })
      assert.match(id, /^[0-9a-f-]{36}$/)
    }),
  )

  it.effect("that gives no result within ten seconds is a failure of the tool, and the call goes on", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const runner = runnerOf(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const running = yield* Effect.forkChild(invoke("mine", { n: 1 }, {}, runner), { startImmediately: true })
      yield* Deferred.await(begun)
      yield* TestClock.adjust("10 seconds")
      const record = yield* Fiber.join(running)
      assert.strictEqual(record.error?.code, "tool_timeout")
      assert.strictEqual(record.duration_ms, 10_000)
    }),
  )

  it.effect.each([
    ["a tool that the agent has not", "other", {}, ToolRunner.layerUnavailable, "tool_not_enabled"],
    ["arguments that do not fit", "mine", { n: "x" }, ToolRunner.layerUnavailable, "invalid_arguments"],
    ["a runner that is not there", "mine", { n: 1 }, ToolRunner.layerUnavailable, "runner_unavailable"],
    [
      "the tool's own failure",
      "mine",
      { n: 1 },
      runnerOf(() => new ToolFailed({ code: "nope", reason: "No." })),
      "nope",
    ],
    ["a defect of the tool", "mine", { n: 1 }, runnerOf(() => Effect.die("broken")), "tool_failed"],
    [
      "a tool that throws",
      "mine",
      { n: 1 },
      runnerOf(() => {
        throw new Error("broken")
      }),
      "tool_failed",
    ],
    [
      "a result beyond measure",
      "mine",
      { n: 1 },
      runnerOf(() => Effect.succeed({ result: "x".repeat(100_000), logs: [] })),
      "result_too_large",
    ],
  ] as const)("%s is a record with an error", ([, name, args, runner, code]) =>
    Effect.gen(function* () {
      const record = yield* invoke(name, args, {}, runner)
      assert.strictEqual(record.error?.code, code)
      assert.notProperty(record, "result")
    }),
  )

  it.effect("keeps of a result what PostgreSQL can keep", () =>
    Effect.gen(function* () {
      const runner = runnerOf(() => Effect.succeed({ result: { "a\0": ["b\0c", "\ud800", Number.NaN] }, logs: [] }))
      const record = yield* invoke("mine", { n: 1 }, {}, runner)
      assert.deepStrictEqual(record.result, { a: ["bc", "\ufffd", null] })
    }),
  )
})

describe("built-in tools", () => {
  it.effect("record_outcome takes what fits the agent's outcome_schema, and nothing else", () =>
    Effect.gen(function* () {
      const noted: Array<Schema.JsonObject> = []
      const controls = {
        ...CallControls.none,
        recordOutcome: (fields: Schema.JsonObject) => Effect.sync(() => void noted.push(fields)),
      }
      const outcome_schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
      const good = yield* invoke("record_outcome", { outcome: { ok: true } }, { controls, outcome_schema })
      assert.deepStrictEqual(good.result, { status: "recorded", outcome: { ok: true } })
      const bad = yield* invoke("record_outcome", { outcome: { ok: "yes" } }, { controls, outcome_schema })
      assert.strictEqual(bad.error?.code, "invalid_outcome")
      assert.deepStrictEqual(noted, [{ ok: true }])
    }),
  )

  it.effect("schedule_callback takes a time to come; without an offset it is the caller's local time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      const at = (text: string, change: Partial<Invocation.InvocationContext> = {}) =>
        Effect.map(invoke("schedule_callback", { at: text }, change), ({ error, result }) =>
          error === undefined && isObject(result) && isObject(result["callback"])
            ? [result["status"], result["callback"]["at"]]
            : error?.code,
        )
      const berlin = { variables: { time_zone: "Europe/Berlin" } }
      assert.deepStrictEqual(yield* at("2026-11-22T15:00:00+09:00"), ["noted", "2026-11-22T06:00:00.000Z"])
      assert.deepStrictEqual(yield* at("2026-11-22T15:00:00"), ["noted", "2026-11-22T23:00:00.000Z"])
      assert.deepStrictEqual(yield* at("2026-11-22T15:00", berlin), ["noted", "2026-11-22T14:00:00.000Z"])
      assert.deepStrictEqual(yield* at("2026-11-22T15:00", { phone_number: null, time_zone: "Asia/Tokyo" }), [
        "noted",
        "2026-11-22T06:00:00.000Z",
      ])
      // The clock jumps from 2:00 to 3:00, and later from 3:00 back to 2:00.
      assert.deepStrictEqual(yield* at("2027-03-28T02:30", berlin), ["noted", "2027-03-28T01:30:00.000Z"])
      assert.deepStrictEqual(yield* at("2027-10-31T02:30", berlin), ["noted", "2027-10-31T00:30:00.000Z"])
      assert.strictEqual(yield* at("2026-11-21T09:59:00Z"), "in_the_past")
      for (const text of [
        "soon",
        "5 pm",
        "2026-11-22",
        "2026-13-40T10:00",
        "2027-02-30T10:00",
        "2026-11-22T15:00 or later",
      ]) {
        assert.strictEqual(yield* at(text), "invalid_time", text)
      }
    }),
  )

  it.effect("schedule_callback only notes the wish for a colleague's call, and says so", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      // The call's id is not looked up: there is no database.
      const call_id = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"
      const args = { at: "2026-11-22T15:00Z", by: "colleague", note: "the invoice" }
      const { result } = yield* invoke("schedule_callback", args, { call_id })
      const callback = { at: "2026-11-22T15:00:00.000Z", by: "colleague", note: "the invoice" }
      assert.deepInclude(result, { status: "noted", callback })
    }),
  )

  it.effect("schedule_callback asks for the zone if the caller's number may be in several", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      const tollFree = { phone_number: "+18005550101" }
      const { error } = yield* invoke("schedule_callback", { at: "2026-11-22T15:00" }, tollFree)
      assert.strictEqual(error?.code, "ambiguous_time_zone")
      assert.match(error?.message ?? "", /time zones: \w+\/.*Ask which one is meant/)
      const stated = yield* invoke("schedule_callback", { at: "2026-11-22T15:00-05:00" }, tollFree)
      assert.notProperty(stated, "error")
    }),
  )

  it.effect("transfer_call says what to configure where its settings name no number", () =>
    Effect.gen(function* () {
      const { error } = yield* invoke("transfer_call", { to: "+14155550111" })
      assert.deepStrictEqual(error, {
        code: "transfer_not_configured",
        message:
          "This agent may not transfer calls yet: its transfer_call has no number. Set `to`, or a list `allowed`, in the tool's config for this agent",
      })
    }),
  )

  it.effect("get_current_time tells the account's time, or another zone's", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      const { result } = yield* invoke("get_current_time", {})
      assert.deepStrictEqual(result, {
        now: "2026-11-21T10:00:00.000Z",
        time_zone: "Europe/Berlin",
        local: "2026-11-21T11:00:00.000+01:00",
        spoken: "Saturday, November 21 at 11:00 AM",
      })
      const unknown = yield* invoke("get_current_time", { time_zone: "Mars/Base" })
      assert.strictEqual(unknown.error?.code, "unknown_time_zone")
    }),
  )

  it.effect("send_dtmf takes keys of a telephone", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* invoke("send_dtmf", { digits: "12*#w9" })).result, {
        status: "sent",
        digits: "12*#w9",
      })
      assert.strictEqual((yield* invoke("send_dtmf", { digits: "call" })).error?.code, "invalid_digits")
    }),
  )
})
