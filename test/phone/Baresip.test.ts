/**
 * Calls with baresip, whose SIP, RTP and SRTP were written by others: it calls Parley and is called, over each
 * transport.
 */
import { assert, it, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Transport } from "../../src/telephony/sip/Hop.ts"
import { baresipFault } from "../support/Baresip.ts"
import {
  agentOver,
  type BaresipRoom,
  callOn,
  dial,
  hasClosed,
  hasEnded,
  hasSaid,
  listedCall,
  numberBehind,
  openBaresipRoom,
  type ParleyOverTls,
  say,
  sayUntil,
  transports,
} from "../support/BaresipRoom.ts"
import { made } from "../support/Fixtures.ts"
import { fliteVoice, recognise, sentences, wordsFault } from "../support/Flite.ts"
import { inRealTime } from "../support/RealTime.ts"
import { ownerOfItsOwn } from "../support/SipRoom.ts"
import { fromNowOn } from "../support/SpeechServer.ts"
import type { Client } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

/** To which agents of the tests transfer. */
const transferTarget = "+14155550111"

interface Stage {
  readonly room: BaresipRoom
  readonly parley: ParleyOverTls
  /** The owner of an account of the test's own. */
  readonly owner: Client
  /** What Parley has said since the test began. */
  readonly said: () => string
}

class Stages extends Context.Service<Stages, Pick<Stage, "room" | "parley">>()("test/Stages") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const room = yield* openBaresipRoom
      return { room, parley: yield* Effect.promise(() => room.parley()) }
    }),
  )
}

const tests = (it: Vitest.MethodsNonLive<Stages>) => {
  /** Runs the body for each transport at once. */
  const test = <E>(
    name: string,
    body: (stage: Stage, transport: Transport) => Effect.Effect<void, E, Scope.Scope>,
    fault?: string,
  ) =>
    inRealTime(it.effect.skipIf((fault ?? baresipFault) !== undefined))(
      name,
      120,
      Effect.gen(function* () {
        const { parley, room } = yield* Stages
        const speech = fromNowOn(room.speech)
        const before = parley.process.said().length
        const said = () => parley.process.said().slice(before)
        const run = Effect.fnUntraced(function* (transport: Transport) {
          const owner = yield* ownerOfItsOwn(parley)
          yield* body({ room: { ...room, speech }, parley, owner, said }, transport)
        })
        yield* Effect.forEach(transports, run, { concurrency: transports.length })
      }),
    )

  test("calls an agent, hears it, holds, comes back, and is transferred", (stage, transport) =>
    Effect.gen(function* () {
      const { owner, room } = stage
      const [phone, person] = [yield* room.phone(transport), yield* room.phone(transport, transferTarget)]
      const { number } = yield* Effect.promise(() => numberBehind(owner, person, agentOver(transport)))
      yield* dial(stage.parley, phone, number.number)
      yield* room.hears(phone, `Rosa over ${transport}`)
      const isAnswered = () => room.speech.spoken.some(({ input }) => input.includes(`weeks over ${transport}`))
      yield* sayUntil(phone, "what are your opening hours", isAnswered)
      yield* room.hears(phone, `weeks over ${transport}`)
      phone.command("hold")
      yield* Effect.sleep("500 millis")
      yield* say(phone, "hello please")
      yield* Effect.sleep("1500 millis")
      phone.command("resume")
      yield* Effect.sleep("500 millis")
      // This baresip asks name servers alone, and so cannot find the name on the certificate.
      const isFindable = transport !== "tls"
      const refusal = hasSaid("could not put you through")
      const isTransferred = () => person.told().includes("CALL_ESTABLISHED")
      const isRefused = async () => (await listedCall(owner, number, refusal)) !== false
      yield* sayUntil(phone, "talk human", isFindable ? isTransferred : isRefused)
      if (!isFindable) phone.command("hangup")
      const call = yield* callOn(owner, number, hasEnded)
      const end_reason = isFindable ? "transferred" : "caller_hung_up"
      assert.include(call, { direction: "inbound", outcome: "answered", end_reason })
      const words = call.transcript.filter(({ role }) => role === "caller").map(({ text }) => text)
      assert.include(words, "What are your opening hours.")
      // A busy machine's telephone may stutter.
      assert.match(words.join(" "), /Talk(?: talk)* human/i)
      assert.notInclude(words.join(" ").toLowerCase(), "hello")
      assert.deepInclude(call.sound!, { lost: 0 })
      yield* hasClosed(phone)
      // baresip names an address that may not be called: that is logged once in a call, and not for each change of it.
      const warnings = stage.said().split("sound withheld").length - 1
      assert.isAtMost(warnings, transports.length)
    }))

  test(
    "calls an agent, whose words a recogniser writes down from the telephone's recording",
    ({ owner, parley, room }, transport) =>
      Effect.gen(function* () {
        const sentence = sentences[transports.indexOf(transport)] ?? ""
        const agent = { first_message: sentence, voice: { provider: "openai", id: fliteVoice } }
        const phone = yield* room.phone(transport)
        const { number } = yield* Effect.promise(() => numberBehind(owner, phone, agent))
        yield* dial(parley, phone, number.number)
        yield* Effect.promise(() => until(async () => (await recognise(phone.heard()))[0] === sentence))
        phone.command("hangup")
        yield* callOn(owner, number, hasEnded)
      }),
    wordsFault,
  )

  test("calls an agent, and is hung up by it", (stage, transport) =>
    Effect.gen(function* () {
      const { owner, room } = stage
      const phone = yield* room.phone(transport)
      const { number } = yield* Effect.promise(() => numberBehind(owner, phone, agentOver(transport)))
      yield* dial(stage.parley, phone, number.number)
      yield* room.hears(phone, `Rosa over ${transport}`)
      yield* sayUntil(phone, "goodbye", () => listedCall(owner, number, hasEnded).then((call) => call !== false))
      const { end_reason } = yield* callOn(owner, number, hasEnded)
      assert.strictEqual(end_reason, "agent_hung_up")
      yield* hasClosed(phone)
    }))

  test("is called, interrupts the agent, and opts out", ({ owner, room }, transport) =>
    Effect.gen(function* () {
      const to = `+1415555018${transports.indexOf(transport)}`
      const phone = yield* room.phone(transport, to)
      const { number, place } = yield* Effect.promise(() => numberBehind(owner, phone, agentOver(transport)))
      yield* Effect.promise(() => place(to))
      yield* room.hears(phone, `Rosa over ${transport}`)
      yield* say(phone, "what are your opening hours")
      const isSpoken = () => room.speech.spoken.some(({ input }) => input.includes(`weeks over ${transport}`))
      yield* Effect.promise(() => until(isSpoken))
      yield* Effect.sleep("1 second")
      yield* say(phone, "stop calling me")
      yield* hasClosed(phone)
      const call = yield* callOn(owner, number, hasEnded)
      assert.include(call, { direction: "outbound", outcome: "answered", end_reason: "opted_out" })
      assert.isTrue(call.turns.some(({ interrupted }) => interrupted))
      const { items } = yield* Effect.promise(async () => made(await owner.get("/api/v1/suppressions")))
      assert.deepStrictEqual(
        items.map(({ phone_number }) => phone_number),
        [to],
      )
    }))
}

it.layer(Stages.layer, { timeout: "180 seconds", excludeTestServices: true })(
  "baresip, over UDP, TCP, and TLS with SRTP,",
  tests,
)
