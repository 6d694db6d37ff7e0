/** Whole calls under the test clock: the lab's line, the scripted brain, no database. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, ConfigProvider, Deferred, Effect, Fiber, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { Brain } from "../../src/calls/brain/Brain.ts"
import * as Brains from "../../src/calls/brain/Brains.ts"
import { CallRecord } from "../../src/calls/CallRecord.ts"
import * as CallSession from "../../src/calls/CallSession.ts"
import * as Carriers from "../../src/calls/telephony/Carriers.ts"
import { Twilio } from "../../src/calls/telephony/twilio/Twilio.ts"
import type { AgentKit } from "../../src/catalog/AgentKit.ts"
import { AccountSlug, accountDefaults } from "../../src/domain/Account.ts"
import { AgentId } from "../../src/domain/Agent.ts"
import { CallId } from "../../src/domain/Call.ts"
import { E164 } from "../../src/domain/E164.ts"
import { PhoneNumberId } from "../../src/domain/PhoneNumber.ts"
import { kit as kitOf } from "../support/Kit.ts"

const id = "019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"
const moment = new Date(0)

/** Nothing here goes over a carrier outside. */
const noTwilio = Layer.succeed(Twilio, {
  obstacle: "not here",
  dial: () => Effect.die("not here"),
  close: () => Effect.die("not here"),
})
const lab = Carriers.telephony.pipe(
  Layer.provide(noTwilio),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ LAB_SPEED: "1" }))),
)

/** Calls a lab number and gives how it ended, in milliseconds of the test clock. */
const call = (
  to: string,
  kit: AgentKit = kitOf(),
  options: { readonly hangUpAfter?: string; readonly brain?: Layer.Layer<Brain> } = {},
) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const record = new CallRecord()
    const hangUp = yield* Deferred.make<void>()
    const words: Array<string> = []
    const session: CallSession.Session = {
      tenant: {
        id,
        account: { ...accountDefaults, slug: AccountSlug.make("acme"), name: "Acme", created_at: moment },
        revision: 1,
        database: "",
        login: { role: "", password: "" },
        dataKey: new Uint8Array(),
        schemaVersion: 0,
      },
      call: {
        id: CallId.make(id),
        agent_id: AgentId.make(id),
        agent_name: "Rosa",
        phone_number_id: PhoneNumberId.make(id),
        to_number: to,
        from_number: "+14155550100",
        variables: {},
        campaign_id: null,
        contact_id: null,
        attempt_number: null,
        decision: null,
        started_at: moment,
      },
      kit,
      number: {
        id: PhoneNumberId.make(id),
        number: E164.make("+14155550100"),
        label: "",
        carrier: "lab",
        carrier_config: {},
        inbound_agent_id: null,
        created_at: moment,
        updated_at: moment,
        revision: 1,
      },
      record,
      hangUp,
      ringing: Effect.sync(() => void words.push("ringing")),
      answered: () => Effect.sync(() => void words.push("answered")),
      dialling: Effect.void,
      mine: Effect.void,
      inTenant: () => Effect.die("no database here"),
    }
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
      const { end_reason, record } = yield* call("+14155550165", kitOf({ silence_timeout_seconds: 9 }))
      assert.strictEqual(end_reason, "silence")
      assert.strictEqual(agentSays(record).length, 4)
      const silence = record.transcript
        .slice(1)
        .map((entry, at) => entry.started_ms - (record.transcript[at]?.ended_ms ?? 0))
      assert.deepStrictEqual(silence, [3_000, 3_000, 3_000])
    }),
  )

  it.effect("never lasts longer than max_call_seconds", () =>
    Effect.gen(function* () {
      const brain = Layer.succeed(Brain, {
        reply: () => Effect.succeed({ text: "And then? ".repeat(40), ends: false }),
      })
      const { end_reason, outcome, record } = yield* call("+14155550115", kitOf({ max_call_seconds: 10 }), { brain })
      assert.strictEqual(end_reason, "max_duration")
      assert.strictEqual(outcome, "answered")
      assert.strictEqual(record.talked_ms, 10_000)
    }),
  )

  it.effect("whose brain hangs apologises after twenty seconds, and ends", () =>
    Effect.gen(function* () {
      const brain = Layer.succeed(Brain, { reply: () => Effect.never })
      const { end_reason, record } = yield* call("+14155550101", kitOf(), { brain })
      assert.strictEqual(end_reason, "agent_error")
      assert.include(agentSays(record).at(-1), "sorry")
      assert.strictEqual(record.turns.at(-1)?.brain_ms, 20_000)
    }),
  )

  it.effect("hung up while it rings was not answered; hung up while they talk keeps what was said", () =>
    Effect.gen(function* () {
      const ringing = yield* call("+14155550175", kitOf(), { hangUpAfter: "10 seconds" })
      assert.include(ringing, { outcome: "no_answer", end_reason: "hung_up" })
      assert.isNull(ringing.record.answered_at)
      const talking = yield* call("+14155550165", kitOf(), { hangUpAfter: "11 seconds" })
      assert.include(talking, { outcome: "answered", end_reason: "hung_up" })
      assert.deepStrictEqual(agentSays(talking.record), ["Hello, this is Rosa."])
    }),
  )

  it.effect("a machine is no person: by default nothing is said to it", () =>
    Effect.gen(function* () {
      const { end_reason, outcome, record } = yield* call("+14155550180")
      assert.include({ end_reason, outcome }, { end_reason: "voicemail", outcome: "voicemail" })
      assert.deepStrictEqual(agentSays(record), [])
      assert.isFalse(record.message_left)
    }),
  )

  it.effect("a message is left after the beep, whole", () =>
    Effect.gen(function* () {
      const { outcome, record } = yield* call("+14155550180", kitOf({ voicemail_action: "leave_message" }))
      assert.strictEqual(outcome, "voicemail")
      assert.isTrue(record.message_left)
      const [greeting, message] = record.transcript
      assert.strictEqual(message?.text, "Hello, this is Rosa.")
      assert.isAbove(message?.started_ms ?? 0, greeting?.ended_ms ?? 0)
    }),
  )

  it.effect("who may not be interrupted speaks to the end", () =>
    Effect.gen(function* () {
      const polite = yield* call("+14155550196")
      assert.isTrue(polite.record.transcript.some(({ interrupted }) => interrupted))
      const firm = yield* call("+14155550196", kitOf({ interruptible: false }))
      assert.isFalse(firm.record.transcript.some(({ interrupted }) => interrupted))
    }),
  )

  it.effect("an opt-out is honoured by an agent without a tool for it", () =>
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
