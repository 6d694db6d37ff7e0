/** Callers that break the rules, over a trunk that is known: each gets its status, and harms no one else. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { caller, wide } from "../../support/Callers.ts"
import { made } from "../../support/Fixtures.ts"
import {
  answeredNumber,
  endedCall,
  finalOf,
  inboundCall,
  inboundCalls,
  inviteFrom,
  ring,
  within,
} from "../../support/Ringing.ts"
import { rtpPeer } from "../../support/RtpPeer.ts"
import { answered, offered, openAgent, openRaw, respond } from "../../support/SipAgents.ts"
import type { Process } from "../../support/Process.ts"
import { openSipRoom, ownerOfItsOwn, SipParley, type SipRoom } from "../../support/SipRoom.ts"
import type { SpeechStandIn } from "../../support/SpeechServer.ts"
import { sipNumber } from "../../support/SipTrunk.ts"
import { longestSaid, mostMs } from "../../support/LongestTick.ts"
import { asOnIdleMachine } from "../../support/MachineSpeed.ts"
import type { Client, TestServer } from "../../support/TestServer.ts"
import { until } from "../../support/Until.ts"

interface Stage {
  readonly owner: Client
  readonly port: number
  readonly process: Process
  readonly server: TestServer["Service"]
  readonly speech: SpeechStandIn
}

/** A test in a room of its own. */
const testInRoom = <A, E>(name: string, body: (room: SipRoom) => Effect.Effect<A, E, Scope.Scope>) =>
  it.live(name, () => Effect.flatMap(openSipRoom, body), 300_000)

const parleyOf = (room: SipRoom, settings?: Record<string, string>) => Effect.promise(() => room.parley(settings))

it.layer(SipParley.layer, { excludeTestServices: true })("over one trunk", (it) => {
  type Body = (stage: Stage) => Effect.Effect<unknown, unknown, Scope.Scope | SipParley>
  const declare = (name: string, body: Body, concurrent: boolean) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const { parley, room } = yield* SipParley
          yield* body({ ...parley, speech: room.speech, owner: yield* ownerOfItsOwn(parley) })
        }),
      { timeout: 300_000, concurrent },
    )
  const test = (name: string, body: Body) => declare(name, body, false)
  /** A test that looks at its own sockets alone. It runs beside the one that waits for 32 seconds. */
  const testBeside = (name: string, body: Body) => declare(name, body, true)

  test("an INVITE with an unsupported codec, a short timer or an unknown extension takes no slot", ({ owner, port }) =>
    Effect.gen(function* () {
      const { number } = yield* answeredNumber(owner)
      const secure = yield* answeredNumber(owner, { srtp: true })
      // A socket each: a refusal that is not acknowledged comes again.
      const statusOf = (...parts: Parameters<typeof inviteFrom> extends [unknown, ...infer Rest] ? Rest : never) =>
        Effect.flatMap(openRaw, (raw) =>
          Effect.andThen(
            raw.send(inviteFrom(raw, ...parts), port),
            Effect.map(finalOf(raw.takeResponse), ({ status }) => status),
          ),
        )
      const speex = answered.replace("RTP/AVP 0", "RTP/AVP 97") + "a=rtpmap:97 speex/8000\r\n"
      assert.strictEqual(yield* statusOf(number.number, { body: speex }), 488)
      assert.strictEqual(yield* statusOf(secure.number.number), 488)
      assert.strictEqual(yield* statusOf(number.number, { body: "v=0\r\nnonsense" }), 488)
      assert.strictEqual(yield* statusOf(number.number, { fields: [["session-expires", "30"]] }), 422)
      assert.strictEqual(yield* statusOf(number.number, { fields: [["require", "replaces"]] }), 420)
      assert.strictEqual(yield* statusOf("not-a-number"), 404)
      assert.deepStrictEqual(yield* Effect.promise(() => inboundCalls(owner)), [])
    }))

  test("a repeated INVITE gets the same answer, and 482 if it arrives over a second path", ({ owner, port }) =>
    Effect.gen(function* () {
      const { number } = yield* answeredNumber(owner)
      const raw = yield* openRaw
      const ids = { callId: "twice", fromTag: "one" }
      const invite = inviteFrom(raw, number.number, ids)
      yield* raw.send(invite, port)
      const first = yield* finalOf(raw.takeResponse)
      yield* raw.send(invite, port)
      const again = yield* finalOf(raw.takeResponse)
      assert.deepStrictEqual([again.status, again.to.params.get("tag")], [200, first.to.params.get("tag")])
      yield* raw.send(inviteFrom(raw, number.number, ids), port)
      const merged = yield* Effect.repeat(raw.takeResponse, { until: ({ status }) => status > 200 })
      assert.strictEqual(merged.status, 482)
      yield* raw.send(within(raw, first, "ACK", 1), port)
      yield* raw.send(within(raw, first, "BYE", 2), port)
      yield* endedCall(owner)
      assert.strictEqual((yield* Effect.promise(() => inboundCalls(owner))).length, 1)
    }))

  test("an INVITE without an offer gets our offer, and the talk begins with the answer in its ACK", ({
    owner,
    port,
    speech,
  }) =>
    Effect.gen(function* () {
      const { number } = yield* answeredNumber(owner)
      const raw = yield* openRaw
      const before = speech.spoken.length
      yield* raw.send(inviteFrom(raw, number.number, { body: "" }), port)
      const offer = yield* finalOf(raw.takeResponse)
      assert.include(offer.body.toString(), "m=audio")
      assert.isFalse(speech.spoken.slice(before).some(({ input }) => input.includes("this is Rosa")))
      yield* raw.send(within(raw, offer, "ACK", 1, answered), port)
      yield* inboundCall(owner, ({ transcript }) => transcript.length > 0)
      yield* raw.send(within(raw, offer, "BYE", 2), port)
      const end = yield* endedCall(owner)
      assert.include(end, { outcome: "answered", end_reason: "caller_hung_up" })
    }))

  test("an INVITE with a null character in a name is stored, answered at once, and hears the agent from its ACK on", ({
    owner,
    port,
  }) =>
    Effect.gen(function* () {
      const { number } = yield* answeredNumber(owner)
      const raw = yield* openRaw
      const sound = yield* rtpPeer
      const body = offered.replace("40000", String(sound.port))
      const invite = inviteFrom(raw, number.number, { body }).toString("latin1").replace("From: <", 'From: "a\0b" <')
      yield* raw.send(Buffer.from(invite, "latin1"), port)
      const answer = yield* Effect.timeout(finalOf(raw.takeResponse), "5 seconds")
      assert.strictEqual(answer.status, 200)
      assert.isEmpty(sound.packets)
      yield* raw.send(within(raw, answer, "ACK", 1), port)
      yield* Effect.promise(() => until(() => sound.packets.length > 0))
      yield* raw.send(within(raw, answer, "BYE", 2), port)
      assert.include(yield* endedCall(owner), { end_reason: "caller_hung_up" })
    }))

  test("an INVITE hears the greeting from its first word, however late its ACK is", ({ owner, port, speech }) =>
    Effect.gen(function* () {
      const { number } = yield* answeredNumber(owner)
      const raw = yield* openRaw
      const sound = yield* rtpPeer
      const before = speech.spoken.length
      const hasGreeted = () => speech.spoken.slice(before).some(({ input }) => input.includes("this is Rosa"))
      const body = offered.replace("40000", String(sound.port))
      yield* raw.send(inviteFrom(raw, number.number, { body }), port)
      const answer = yield* finalOf(raw.takeResponse)
      // It comes again after 0.5 and 1.5 s; the agent speaks first after 0.5 s.
      yield* finalOf(raw.takeResponse)
      yield* finalOf(raw.takeResponse)
      assert.isFalse(hasGreeted())
      yield* raw.send(within(raw, answer, "ACK", 1), port)
      yield* Effect.promise(() => until(() => hasGreeted() && sound.packets.length > 0))
      yield* raw.send(within(raw, answer, "BYE", 2), port)
      assert.include(yield* endedCall(owner), { outcome: "answered", end_reason: "caller_hung_up" })
    }))

  testBeside(
    "an INVITE that requires confirmed ringing gets it, and is answered though it confirms nothing",
    ({ owner, port }) =>
      Effect.gen(function* () {
        const { number } = yield* answeredNumber(owner)
        const statusesOf = Effect.fnUntraced(function* (body?: string) {
          const raw = yield* openRaw
          const required = { fields: [["require", "100rel"]] as const }
          yield* raw.send(inviteFrom(raw, number.number, body === undefined ? required : { ...required, body }), port)
          const statuses = new Set<number>()
          const answer = yield* Effect.repeat(
            Effect.tap(raw.takeResponse, ({ status }) => Effect.sync(() => statuses.add(status))),
            { until: ({ status }) => status >= 200 },
          )
          yield* raw.send(within(raw, answer, "PRACK", 2), port)
          const confirmed = yield* Effect.repeat(raw.takeResponse, { until: ({ method }) => method === "PRACK" })
          assert.strictEqual(confirmed.status, 200)
          yield* raw.send(within(raw, answer, "BYE", 3), port)
          return [...statuses]
        })
        assert.deepStrictEqual(yield* statusesOf(), [100, 180, 200])
        // Our offer would have to be in the ringing.
        assert.deepStrictEqual(yield* statusesOf(""), [100, 200])
        yield* endedCall(owner)
      }),
  )

  testBeside(
    "an INVITE whose answer is never acknowledged sends nothing where it names, ends after 32 seconds, and frees its slot",
    ({ owner, port }) =>
      Effect.gen(function* () {
        const { number } = yield* answeredNumber(owner, {}, { silence_timeout_seconds: 60 })
        const raw = yield* openRaw
        const victim = yield* openRaw
        const sound = yield* rtpPeer
        const body = offered.replace("40000", String(sound.port))
        yield* raw.send(inviteFrom({ ...raw, contact: victim.contact }, number.number, { body }), port)
        assert.strictEqual((yield* finalOf(raw.takeResponse)).status, 200)
        yield* raw.send(respond(yield* raw.takeRequest("BYE"), 200), port)
        const end = yield* endedCall(owner)
        assert.include(end, { outcome: "answered", end_reason: "line_lost" })
        assert.deepStrictEqual([sound.packets.length, sound.reported.length, yield* victim.left], [0, 0, 0])
      }),
  )
  testBeside(
    "an incoming call leads to no other call: a REFER of the caller is refused, and nothing is dialled",
    ({ owner, port }) =>
      Effect.gen(function* () {
        const { number } = yield* answeredNumber(owner)
        const raw = yield* openRaw
        yield* raw.send(inviteFrom(raw, number.number), port)
        const answer = yield* finalOf(raw.takeResponse)
        yield* raw.send(within(raw, answer, "ACK", 1), port)
        const refer = within(raw, answer, "REFER", 2)
          .toString("latin1")
          .replace("Max-Forwards", "Refer-To: <sip:+19005550100@127.0.0.1>\r\nMax-Forwards")
        yield* raw.send(refer, port)
        const refusal = yield* Effect.repeat(raw.takeResponse, { until: ({ method }) => method === "REFER" })
        assert.strictEqual(refusal.status, 603)
        yield* raw.send(within(raw, answer, "BYE", 3), port)
        yield* endedCall(owner)
        assert.strictEqual(made(yield* Effect.promise(() => owner.get("/api/v1/calls?direction=outbound"))).total, 0)
      }),
  )

  testBeside(
    "an incoming call goes to the account that listed the number first, even if another lists it later",
    ({ owner, port, process, server }) =>
      Effect.gen(function* () {
        const { number } = yield* answeredNumber(owner)
        const thief = yield* Effect.promise(() => server.ownerOf("thief", wide))
        yield* Effect.promise(async () => {
          const { agent } = await caller(thief)
          const config = { server: "127.0.0.1", addresses: ["127.0.0.1"] }
          const body = { number: number.number, carrier: "sip", carrier_config: config, inbound_agent_id: agent.id }
          made(await thief.post("/api/phone-numbers", body))
        })
        const phone = yield* openAgent()
        const call = yield* ring(phone, port, number.number)
        yield* inboundCall(owner, ({ status }) => status === "in_progress")
        yield* call.close
        yield* endedCall(owner)
        assert.deepStrictEqual(yield* Effect.promise(() => inboundCalls(thief)), [])
        yield* Effect.promise(() => until(() => process.said().includes("another account listed this number")))
      }),
  )

  testBeside(
    "an incoming call of a number that its account has no more is refused, and the directory is repaired",
    ({ owner, port }) =>
      Effect.gen(function* () {
        const kept = yield* answeredNumber(owner)
        const moved = yield* Effect.promise(() => sipNumber(owner, "127.0.0.1"))
        made(
          yield* Effect.promise(() =>
            owner.put(`/api/phone-numbers/${moved.id}`, { carrier_config: { server: "127.0.0.9" } }),
          ),
        )
        made(yield* Effect.promise(() => owner.delete(`/api/phone-numbers/${kept.number.id}`)))
        const raw = yield* openRaw
        for (const { number } of [kept.number, moved]) {
          yield* raw.send(inviteFrom(raw, number), port)
          assert.strictEqual((yield* finalOf(raw.takeResponse)).status, 404)
        }
      }),
  )

  testBeside("an incoming call is hung up by another process when its own is killed", (stage) =>
    Effect.gen(function* () {
      const { room } = yield* SipParley
      const answering = yield* parleyOf(room)
      const { number } = yield* answeredNumber(answering.owner)
      const raw = yield* openRaw
      yield* raw.send(inviteFrom(raw, number.number), answering.port)
      const answer = yield* finalOf(raw.takeResponse)
      yield* raw.send(within(raw, answer, "ACK", 1), answering.port)
      const other = yield* Effect.promise(() => stage.server.ownerOf("calling"))
      yield* inboundCall(other, ({ status }) => status === "in_progress")
      answering.process.child.kill("SIGKILL")
      const bye = yield* raw.takeRequest("BYE")
      assert.strictEqual(bye.callId, answer.callId)
      yield* raw.send(respond(bye, 200), stage.port)
      assert.include(yield* endedCall(other), { outcome: "answered", end_reason: "interrupted" })
    }),
  )
})

testInRoom("a flood of INVITEs over one trunk leaves the calls of another account alone", (room) =>
  Effect.gen(function* () {
    const settings = { NODE_OPTIONS: `--import ${import.meta.dirname}/../../support/LoopWatch.ts` }
    const { owner, port, process, server } = yield* parleyOf(room, settings)
    const flooded = yield* Effect.promise(() => server.ownerOf("flooded", { ...wide, concurrent_max: 3 }))
    const target = yield* answeredNumber(flooded)
    const { number } = yield* answeredNumber(owner)
    const phone = yield* openAgent()
    const talking = yield* ring(phone, port, number.number)
    yield* inboundCall(owner, ({ status }) => status === "in_progress")
    const raw = yield* openRaw
    const before = process.said().length
    const all = Array.from({ length: 10_000 }, (_, at) =>
      inviteFrom(raw, target.number.number, { from: `+1415${6_000_000 + at}` }),
    )
    for (let at = 0; at < all.length; at += 100)
      yield* Effect.forEach(all.slice(at, at + 100), (invite) => raw.send(invite, port), { discard: true })
    yield* Effect.promise(() => until(async () => (await inboundCalls(flooded)).length > 0))
    assert.isAtMost((yield* Effect.promise(() => inboundCalls(flooded))).length, 2)
    // The talk goes on, and ends as its caller wants.
    const [call] = yield* Effect.promise(() => inboundCalls(owner))
    assert.include(call, { status: "in_progress" })
    yield* talking.close
    assert.include(yield* endedCall(owner), { end_reason: "caller_hung_up" })
    // A full account is busy; the trunk is not told that the installation is. Its log has a few lines.
    const statuses = new Set<number>()
    while ((yield* raw.left) > 0) statuses.add((yield* raw.takeResponse).status)
    assert.includeMembers([100, 180, 200, 404, 486, 503], [...statuses])
    assert.include([...statuses], 486)
    assert.isBelow(process.said().slice(before).split("\n").length, 200)
    assert.isBelow(asOnIdleMachine(longestSaid(process.said().slice(before))), mostMs)
  }),
)
