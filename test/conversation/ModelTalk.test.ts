import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { modelCall } from "../support/ModelCall.ts"
import { realtimeServer, type RealtimeStandIn } from "../support/RealtimeServer.ts"
import { until } from "../support/Until.ts"

const greeting = "Hello, this is Rosa."
const question = "what are your opening hours"
const asked = "What are your opening hours."
const answer = "We open at nine and close at five."

type Call = Effect.Success<ReturnType<typeof modelCall>>

/** A call, on a server whose faults a test has prepared. */
const test = (
  name: string,
  body: (call: Call, server: RealtimeStandIn) => Effect.Effect<void>,
  prepare: (server: RealtimeStandIn) => void = () => {},
  agent: object = {},
) =>
  it.live(
    name,
    () =>
      Effect.gen(function* () {
        const server = yield* realtimeServer
        server.stage.answer = () => ({ text: answer })
        prepare(server)
        yield* body(yield* modelCall(server, { agent }), server)
      }).pipe(Effect.scoped),
    60_000,
  )

const awaited = <A>(condition: () => A) => Effect.promise(() => until(() => condition()))
const said = ({ record }: Call) => record.transcript.map(({ role, text }) => `${role}: ${text}`)
const untilSaid = (call: Call, line: string) => awaited(() => said(call).includes(line))
const errorsOf = ({ stage }: RealtimeStandIn) => stage.conversations.flatMap(({ errors }) => errors)
const heardOf = ({ path }: Call) => path.sent.filter((frame) => frame !== null).length * 20

describe.concurrent("a caller who interrupts a voice model", () => {
  const long = "There are many things to say about that, and I will say them all one after the other."
  test(
    "is all that it remembers having said to: its sound is cut where the caller heard it end",
    (call, server) =>
      Effect.gen(function* () {
        yield* untilSaid(call, `agent: ${greeting}`)
        const before = heardOf(call)
        call.say(question)
        yield* awaited(() => heardOf(call) > before + 1_500)
        call.say("stop wait please okay")
        yield* awaited(() => said(call).some((line) => line.startsWith("agent: There are")))
        yield* untilSaid(call, "caller: Stop wait please okay.")
        const cut = call.record.turns[1]
        assert.isTrue(cut?.interrupted)
        const [conversation] = server.stage.conversations
        const item = conversation?.items.find(({ text }) => text === long)
        yield* awaited(() => (item?.ms ?? Infinity) < long.length * 60)
        // The model sends 200 ms of silence first, of which the line plays 40.
        const spoken = call.record.transcript.find(({ text }) => text.startsWith("There are"))
        const heard_ms = (spoken?.ended_ms ?? 0) - (spoken?.started_ms ?? 0)
        assert.approximately(item?.ms ?? 0, heard_ms + 160, 60)
        assert.deepStrictEqual(errorsOf(server), [])
      }),
    (server) => void (server.stage.answer = () => ({ text: long })),
  )
})

describe.concurrent("a voice model whose response", () => {
  for (const kind of ["mute", "stall", "cut", "fail", "garbage"] as const) {
    test(`is lost (${kind}) is asked again on another connection, which knows the conversation`, (call, server) =>
      Effect.gen(function* () {
        yield* untilSaid(call, `agent: ${greeting}`)
        server.stage.faults.response.push({ kind })
        call.say(question)
        yield* untilSaid(call, `agent: ${answer}`)
        assert.deepStrictEqual(said(call), [`agent: ${greeting}`, `caller: ${asked}`, `agent: ${answer}`])
        assert.lengthOf(server.stage.conversations, 2)
        assert.deepStrictEqual(server.stage.conversations[1]?.texts, [
          `assistant: ${greeting}`,
          `user: ${asked}`,
          `assistant: ${answer}`,
        ])
        assert.deepStrictEqual(errorsOf(server), [])
      }))
  }

  test("breaks off in the middle apologises, and goes on", (call, server) =>
    Effect.gen(function* () {
      yield* untilSaid(call, `agent: ${greeting}`)
      server.stage.faults.response.push({ kind: "cut", after: 600 })
      call.say(question)
      yield* awaited(() => said(call).length === 4)
      assert.match(said(call).slice(2).join("; "), /^agent: We open.*; agent: I am sorry/)
      call.say(question)
      yield* untilSaid(call, `agent: ${answer}`)
      assert.deepStrictEqual(errorsOf(server), [])
    }))

  test(
    "is a fixed sentence in other words has in its record what was said",
    (call) => untilSaid(call, "agent: Hi, Rosa speaking."),
    (server) => void (server.stage.reads = () => "Hi, Rosa speaking."),
  )
})

describe.concurrent("a voice model", () => {
  test("whose session is over after an hour goes on in a new one", (call, server) =>
    Effect.gen(function* () {
      yield* untilSaid(call, `agent: ${greeting}`)
      call.say(question)
      yield* untilSaid(call, `agent: ${answer}`)
      for (const round of [2, 3]) {
        server.expire()
        yield* awaited(() => server.stage.conversations.length === round)
        call.say("when do you open please")
        yield* awaited(() => said(call).filter((line) => line === `agent: ${answer}`).length === round)
      }
      assert.deepStrictEqual(server.stage.conversations[2]?.texts.slice(0, 3), [
        `assistant: ${greeting}`,
        `user: ${asked}`,
        `assistant: ${answer}`,
      ])
      assert.deepStrictEqual(errorsOf(server), [])
    }))

  test("that writes no words down answers all the same, and the record says so", (call, server) =>
    Effect.gen(function* () {
      yield* untilSaid(call, `agent: ${greeting}`)
      server.stage.isTranscribing = false
      call.say(question)
      yield* untilSaid(call, `agent: ${answer}`)
      yield* untilSaid(call, "caller: [not transcribed]")
    }))

  test("hears a supervisor's instruction with the next turn", (call, server) =>
    Effect.gen(function* () {
      yield* untilSaid(call, `agent: ${greeting}`)
      call.record.whisper?.({ text: "Offer a discount.", by: { kind: "member", subject: "x", name: "Sam" } as never })
      call.say(question)
      yield* untilSaid(call, `agent: ${answer}`)
      assert.match(
        server.stage.conversations[0]?.texts.find((text) => text.startsWith("system")) ?? "",
        /Offer a discount/,
      )
    }))

  for (const fault of ["refused", "bad key"] as const) {
    test(
      `with a key that is wrong (${fault}) ends the call as the agent's error, after one attempt`,
      (call, server) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* call.ended, { outcome: "answered", end_reason: "agent_error" })
          assert.isAtMost(server.stage.conversations.length, 1)
        }),
      (server) => void server.stage.faults.connection.push(fault, fault),
    )
  }

  test(
    "that never becomes ready is tried twice",
    (call, server) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* call.ended, { outcome: "answered", end_reason: "agent_error" })
        assert.lengthOf(server.stage.conversations, 2)
        // Nothing was said, and nothing is in the record.
        assert.deepStrictEqual(said(call), [])
      }),
    (server) => void server.stage.faults.connection.push("silent", "garbage"),
  )
})
