/** The talk on a SIP call, over real sockets for its messages and its sound. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Result, Stream } from "effect"
import { AccountSlug } from "../../../src/domain/Account.ts"
import { CallId } from "../../../src/domain/Call.ts"
import type { SpeechRecogniser } from "../../../src/speech/SpeechToText.ts"
import type { SpeechSynthesiser } from "../../../src/speech/TextToSpeech.ts"
import { byLevel } from "../../../src/speech/detection/VoiceDetection.ts"
import { MediaClock } from "../../../src/telephony/MediaClock.ts"
import { RtpSessions } from "../../../src/telephony/rtp/RtpSession.ts"
import { CallSound } from "../../../src/telephony/sip/CallSound.ts"
import { fieldOf } from "../../../src/telephony/sip/Message.ts"
import * as SipTalk from "../../../src/telephony/sip/SipTalk.ts"
import type { DialRequest, LineEvent } from "../../../src/telephony/Telephony.ts"
import { loopback, rtpPeer, rtpSessions } from "../../support/RtpPeer.ts"
import { type Agent, openAgent, openRaw, orderTo, placed, respond } from "../../support/SipAgents.ts"
import { until } from "../../support/Until.ts"

const sessions = rtpSessions()

const sdpAt = (port: number, { direction = "sendrecv", formats = "0 101" } = {}) =>
  `v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP ${formats}\r\na=rtpmap:101 telephone-event/8000\r\na=${direction}\r\n`

const request: DialRequest = {
  account: AccountSlug.make("acme"),
  call_id: CallId.make("019aa3f2-7c1e-7a42-9d3b-5f0c1e2d3a4b"),
  to: "+14155550100",
  from: "+14155550199",
  carrier: "sip",
  carrier_config: {},
  language: "en",
  voice: { provider: "lab", id: "default", speed: 1 },
  max_call_seconds: 600,
  wants_beep: false,
  confirmForDialling: Effect.void,
  confirmOwnership: Effect.void,
  mayHangUp: Effect.succeed(true),
}

const recogniser: SpeechRecogniser = {
  rates: [8_000],
  open: () => Effect.succeed({ push: () => {}, finalise: () => {}, discard: () => {}, results: Stream.never }),
}
/** A second of a tone for every text. */
const synthesiser: SpeechSynthesiser = {
  rates: [8_000],
  speak: () => Stream.make(Int16Array.from({ length: 8_000 }, (_, at) => 5_000 * (-1) ** at)),
}

/** Our side of a call to an agent or a bare socket, which `answer` answers with a session description. */
const talking = Effect.fnUntraced(function* <A>(
  ours: Agent,
  far: { readonly localPort: Agent["localPort"] },
  answer: Effect.Effect<A>,
) {
  const rtp = yield* (yield* RtpSessions).open({ localAddress: loopback, isOwnNetwork: (one) => one === loopback })
  const sound = new CallSound(rtp, false)
  const { call, close } = yield* placed(ours, { ...(yield* orderTo(ours, far)), offer: sound.offer() })
  const answered = yield* answer
  const { answer: sdp, session } = yield* Fiber.join(call)
  yield* rtp.agree(Result.getOrThrow(sound.accept(sdp)))
  let isOver = false
  const line = yield* SipTalk.make({
    request,
    session,
    sound,
    moved: Effect.void,
    first_word_ms: 1_200,
    meetsMachines: true,
    equipment: { recogniser, synthesiser, clock: yield* MediaClock, detection: byLevel },
    uriOf: (number) => `sip:${number}@127.0.0.1`,
    ended: () => void (isOver = true),
  })
  const events = yield* Queue.unbounded<LineEvent>()
  yield* line.attach((event) => void Queue.offerUnsafe(events, event))
  /** The next event of a kind. */
  const told = (tag: LineEvent["_tag"]) =>
    Queue.take(events).pipe(Effect.repeat({ until: (event) => event._tag === tag }))
  return { line, told, answered, close, isOver: () => isOver }
})

const withAgent = Effect.gen(function* () {
  const [ours, theirs, peer] = [yield* openAgent(), yield* openAgent(), yield* rtpPeer]
  const accept = (sdp: string) =>
    Effect.flatMap(Queue.take(theirs.calls), (call) => Effect.fromNullishOr(call.answer(sdp)).pipe(Effect.orDie))
  return { ours, theirs, peer, accept }
})

/** Offers another session from the far side, and returns the answer. */
const offer = (far: Effect.Success<ReturnType<Effect.Success<typeof withAgent>["accept"]>>, sdp: string) =>
  Effect.callback<string | null>((resume) => far.offer(sdp, (answer) => resume(Effect.succeed(answer))))

const test = (name: string, body: Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof talking>>>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(sessions)))

describe("a talk on a SIP call", () => {
  test(
    "sends sound to the address that the peer names, also after a change, and none while on hold",
    Effect.gen(function* () {
      const { accept, ours, peer, theirs } = yield* withAgent
      const other = yield* rtpPeer
      const { answered: far, line, told } = yield* talking(ours, theirs, accept(sdpAt(peer.port)))
      yield* line.play({ id: 1, text: "Hello", interruptible: true })
      yield* Effect.promise(() => until(() => peer.packets.some(({ payload }) => payload[80] !== 0xff)))
      const moved = yield* offer(far, sdpAt(other.port, { formats: "8 101" }))
      assert.include(moved, "RTP/AVP 8 101")
      yield* Effect.promise(() => until(() => other.packets.some(({ payloadType }) => payloadType === 8)))
      const held = yield* offer(far, sdpAt(other.port, { direction: "sendonly" }))
      assert.include(held, "a=recvonly")
      yield* told("PeerHeld")
      yield* offer(far, sdpAt(other.port))
      yield* told("PeerBack")
    }),
  )
  test(
    "sends no sound while on hold, in each form of hold, and goes on afterwards",
    Effect.gen(function* () {
      const { accept, ours, peer, theirs } = yield* withAgent
      const back = sdpAt(peer.port)
      const { answered: far, told } = yield* talking(ours, theirs, accept(back))
      const holds = [
        [sdpAt(peer.port, { direction: "sendonly" }), "a=recvonly"],
        [sdpAt(peer.port, { direction: "inactive" }), "a=inactive"],
        [back.replace("c=IN IP4 127.0.0.1", "c=IN IP4 0.0.0.0"), "a=recvonly"],
      ] as const
      for (const [hold, answer] of holds) {
        yield* Effect.promise(() => until(() => peer.packets.length > 5))
        assert.include(yield* offer(far, hold), answer)
        yield* told("PeerHeld")
        // A packet may be on its way.
        yield* Effect.sleep("50 millis")
        peer.packets.length = 0
        yield* Effect.sleep("300 millis")
        assert.strictEqual(peer.packets.length, 0, hold)
        yield* offer(far, back)
        yield* told("PeerBack")
      }
    }),
  )
  test(
    "reads keys in an INFO, and sends them that way to a peer that takes no key events",
    Effect.gen(function* () {
      const { accept, ours, peer, theirs } = yield* withAgent
      const { answered: far, line, told } = yield* talking(ours, theirs, accept(sdpAt(peer.port, { formats: "0" })))
      far.sendDigit("7", 160)
      assert.deepStrictEqual(yield* told("Key"), { _tag: "Key", digit: "7" })
      const digits = yield* Queue.unbounded<string>()
      far.listen((event) => void (event._tag === "Digit" && Queue.offerUnsafe(digits, event.digit)))
      yield* line.sendDigits("1w#")
      assert.deepStrictEqual([yield* Queue.take(digits), yield* Queue.take(digits)], ["1", "#"])
    }),
  )
  test(
    "ends when the peer hangs up",
    Effect.gen(function* () {
      const { accept, ours, peer, theirs } = yield* withAgent
      const { answered: far, isOver, told } = yield* talking(ours, theirs, accept(sdpAt(peer.port)))
      yield* theirs.hangUp(far)
      assert.deepStrictEqual(yield* told("Gone"), { _tag: "Gone", how: "hung_up" })
      assert.isTrue(isOver())
    }),
  )
})

describe("a transfer", () => {
  for (const [name, status, fragment, expected] of [
    ["succeeds when the peer reports that the target answered", 202, "SIP/2.0 200 OK", true],
    ["fails when the peer reports that the target is busy, and the call goes on", 202, "SIP/2.0 486 Busy Here", false],
    ["fails when the peer does not transfer", 403, null, false],
    ["succeeds when the peer hangs up before it reports", 202, "BYE", true],
  ] as const) {
    test(
      name,
      Effect.gen(function* () {
        const ours = yield* openAgent()
        const [far, peer] = [yield* openRaw, yield* rtpPeer]
        const port = ours.localPort("udp")
        const answer = Effect.gen(function* () {
          const invite = yield* far.takeRequest("INVITE")
          yield* far.send(respond(invite, 200, { body: sdpAt(peer.port), fields: [far.contact()] }), port)
        })
        const { line } = yield* talking(ours, far, answer)
        const done = yield* Deferred.make<boolean>()
        const transfer = line.transfer("+14155550123").pipe(Effect.flatMap((is) => Deferred.succeed(done, is)))
        yield* Effect.forkChild(transfer)
        const refer = yield* far.takeRequest("REFER")
        assert.strictEqual(fieldOf(refer, "refer-to"), "<sip:+14155550123@127.0.0.1>")
        yield* far.send(respond(refer, status), port)
        const send = (method: string, body: string) =>
          far.send(
            `${method} sip:parley@127.0.0.1:${port} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${far.localPort()};branch=z9hG4bKr\r\nFrom: ${fieldOf(refer, "to")}\r\nTo: ${fieldOf(refer, "from")}\r\nCall-ID: ${refer.callId}\r\nCSeq: 1 ${method}\r\nMax-Forwards: 70\r\nEvent: refer\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
            port,
          )
        if (fragment !== null) yield* fragment === "BYE" ? send("BYE", "") : send("NOTIFY", fragment)
        assert.strictEqual(yield* Deferred.await(done), expected)
      }),
    )
  }
})
