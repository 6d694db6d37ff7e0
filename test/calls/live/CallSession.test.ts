/** Whole calls under the test clock: the lab's line, the scripted brain, no database. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Deferred, Effect, Fiber, Layer, Random, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Brain } from "../../../src/brain/Brain.ts"
import * as Brains from "../../../src/brain/Brains.ts"
import * as CallSession from "../../../src/calls/live/CallSession.ts"
import type { AgentKit } from "../../../src/catalog/AgentKit.ts"
import { CallRecord } from "../../../src/conversation/CallRecord.ts"
import { kit as kitOf } from "../../support/Kit.ts"
import { labAt, sessionTo } from "../../support/Sessions.ts"

const lab = labAt(1)

/** Calls a lab number and gives how it ended, in milliseconds of the test clock. */
const call = (
  to: string,
  kit: AgentKit = kitOf(),
  options: { readonly hangUpAfter?: string; readonly brain?: Layer.Layer<Brain> } = {},
) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const words: Array<string> = []
    const session = sessionTo(to, kit, {
      ringing: Effect.sync(() => void words.push("ringing")),
      answered: () => Effect.sync(() => void words.push("answered")),
    })
    const { hangUp, record } = session
    const running = yield* CallSession.run(session).pipe(
      Random.withSeed("seed"),
      Effect.forkChild({ startImmediately: true }),
    )
    if (options.hangUpAfter !== undefined) {
      yield* TestClock.adjust(options.hangUpAfter as "1 second")
      yield* Deferred.succeed(hangUp, undefined)
    }
    yield* TestClock.adjust("20 minutes")
    const end = yield* Fiber.join(running)
    const rang = (record.answered_at?.getTime() ?? Number.NaN) - began
    return { ...end, record, words, rang }
  }).pipe(Effect.provide(Layer.merge(lab, options.brain ?? Brains.layer)))

const agentSays = (record: CallRecord) =>
  record.transcript.filter(({ role }) => role === "agent").map(({ text }) => text)

describe("a call", () => {
  it.effect("greets with the first message once the other side has said hello, and within two seconds", () =>
    Effect.gen(function* () {
      const { record, words } = yield* call("+14155550101")
      const [hello, greeting] = record.transcript
      assert.include({ ...hello }, { role: "caller", text: "Hello?" })
      assert.include({ ...greeting }, { role: "agent", text: "Hello, this is Rosa." })
      assert.isBelow(greeting?.started_ms ?? Infinity, 2_000)
      assert.deepStrictEqual(words, ["ringing", "answered"])
    }),
  )

  it.effect("on a silent line asks twice, says goodbye, and ends at the silence limit", () =>
    Effect.gen(function* () {
      const { end_reason, record } = yield* call("+14155550165", kitOf({ silence_timeout_seconds: 11 }))
      assert.strictEqual(end_reason, "silence")
      assert.strictEqual(agentSays(record).length, 4)
      const silence = record.transcript
        .slice(1)
        .map((entry, at) => entry.started_ms - (record.transcript[at]?.ended_ms ?? 0))
      assert.deepStrictEqual(silence, [4_000, 4_000, 3_000])
    }),
  )

  it.effect("never lasts longer than max_call_seconds", () =>
    Effect.gen(function* () {
      const brain = Layer.succeed(Brain, {
        reply: () => Stream.succeed({ _tag: "Say" as const, text: "And then? ".repeat(40) }),
      })
      const { end_reason, outcome, record } = yield* call("+14155550115", kitOf({ max_call_seconds: 10 }), { brain })
      assert.strictEqual(end_reason, "max_duration")
      assert.strictEqual(outcome, "answered")
      assert.strictEqual(record.talked_ms, 10_000)
    }),
  )

  it.effect("whose brain hangs says so after ten seconds, and the second time apologises and ends", () =>
    Effect.gen(function* () {
      const brain = Layer.succeed(Brain, { reply: () => Stream.never })
      const { end_reason, record } = yield* call("+14155550101", kitOf(), { brain })
      assert.strictEqual(end_reason, "agent_error")
      const [first, second] = agentSays(record).slice(1)
      assert.include(first, "Could you say that again?")
      assert.include(second, "Goodbye")
      assert.deepStrictEqual(
        record.turns.slice(1).map(({ brain_ms }) => brain_ms),
        [10_000, 10_000],
      )
    }),
  )

  it.effect(
    "that is hung up while it rings counts as not answered; one that is hung up during the talk keeps its words",
    () =>
      Effect.gen(function* () {
        const ringing = yield* call("+14155550175", kitOf(), { hangUpAfter: "10 seconds" })
        assert.include(ringing, { outcome: "no_answer", end_reason: "hung_up" })
        assert.isNull(ringing.record.answered_at)
        const talking = yield* call("+14155550165", kitOf({ silence_timeout_seconds: 60 }), {
          hangUpAfter: "11 seconds",
        })
        assert.include(talking, { outcome: "answered", end_reason: "hung_up" })
        assert.deepStrictEqual(agentSays(talking.record), ["Hello, this is Rosa."])
      }),
  )

  it.effect("by default says nothing to a machine", () =>
    Effect.gen(function* () {
      const { end_reason, outcome, record } = yield* call("+14155550180")
      assert.include({ end_reason, outcome }, { end_reason: "voicemail", outcome: "voicemail" })
      assert.deepStrictEqual(agentSays(record), [])
      assert.isFalse(record.message_left)
    }),
  )

  it.effect("leaves the whole message after the beep", () =>
    Effect.gen(function* () {
      const { outcome, record } = yield* call("+14155550180", kitOf({ voicemail_action: "leave_message" }))
      assert.strictEqual(outcome, "voicemail")
      assert.isTrue(record.message_left)
      const [greeting, message] = record.transcript
      assert.strictEqual(message?.text, "Hello, this is Rosa.")
      assert.isAbove(message?.started_ms ?? 0, greeting?.ended_ms ?? 0)
    }),
  )

  it.effect("of an agent that cannot be interrupted: the agent speaks to the end", () =>
    Effect.gen(function* () {
      const polite = yield* call("+14155550196")
      assert.isTrue(polite.record.transcript.some(({ interrupted }) => interrupted))
      const firm = yield* call("+14155550196", kitOf({ interruptible: false }))
      assert.isFalse(firm.record.transcript.some(({ interrupted }) => interrupted))
    }),
  )

  it.effect("records an opt-out also if the agent has no tool for it", () =>
    Effect.gen(function* () {
      const { end_reason, record } = yield* call("+14155550199")
      assert.strictEqual(end_reason, "opted_out")
      assert.isTrue(record.opted_out)
    }),
  )

  it.effect("with an empty first message the agent waits and answers", () =>
    Effect.gen(function* () {
      const { record } = yield* call("+14155550101", kitOf({ first_message: "" }))
      assert.deepStrictEqual(
        record.transcript.slice(0, 2).map(({ role }) => role),
        ["caller", "agent"],
      )
    }),
  )

  it.effect("rings two to six seconds before it is answered", () =>
    Effect.gen(function* () {
      for (const digits of ["00", "17", "42", "66"]) {
        const { rang } = yield* call(`+141555501${digits}`)
        assert.isAtLeast(rang, 2_000)
        assert.isAtMost(rang, 6_001)
      }
    }),
  )
})

describe("the end of a phone call that is cut", () => {
  it.effect.each([
    ["unknown", null],
    ["answered", "Hello?"],
    ["voicemail", "You have reached the mailbox of Ada, please leave a message."],
  ] as const)("is %s when the called party has said %j", ([outcome, words]) =>
    Effect.gen(function* () {
      const record = new CallRecord()
      record.answered_at = new Date(0)
      const entry = { at: new Date(0), started_ms: 0, ended_ms: 1 }
      record.spoke("agent", { ...entry, text: "Hello, this is Rosa." })
      if (words !== null) record.spoke("caller", { ...entry, text: words })
      const end = yield* CallSession.endOf(Cause.interrupt(), record, "outbound")
      assert.deepStrictEqual(end, { outcome, end_reason: "interrupted" })
      assert.strictEqual((yield* CallSession.endOf(Cause.interrupt(), record, "web")).outcome, "answered")
    }),
  )
})
