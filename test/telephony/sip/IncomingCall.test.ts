/** Calls and other requests that come in, from a far side that is a bare socket. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { connect } from "node:net"
import { fieldOf } from "../../../src/telephony/sip/Message.ts"
import { answered, eventsOf, openAgent, openRaw, openRawAt, step } from "../../support/SipAgents.ts"
import { inviteFrom, optionsFrom, ringingReliably } from "../../support/SipPeer.ts"

describe("requests of a known address", () => {
  it.effect("that are repeated get the same response, and a 482 over another path", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const far = yield* openRaw
      const port = ours.localPort("udp")
      const sendInvite = (branch?: string) => far.send(inviteFrom(far.localPort(), port, branch), port)
      yield* sendInvite()
      const call = yield* Queue.take(ours.calls)
      assert.strictEqual((yield* far.takeResponse).status, 100)
      call.ring()
      const ringing = yield* far.takeResponse
      yield* sendInvite()
      assert.deepStrictEqual(yield* far.takeResponse, ringing)
      yield* sendInvite("z9hG4bKother")
      assert.strictEqual((yield* far.takeResponse).status, 482)
    }),
  )
  it.effect("that are answered get the 2xx repeated until their ACK comes; without an ACK the call ends", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const far = yield* openRaw
      const port = ours.localPort("udp")
      yield* far.send(inviteFrom(far.localPort(), port), port)
      const call = yield* Queue.take(ours.calls)
      const session = call.answer(answered)
      if (session === null) return assert.fail("The call was given up")
      const heard = yield* eventsOf(session)
      let answers = 0
      for (const pause of ["0 seconds", "500 millis", "1 second", "2 seconds", "4 seconds"] as const) {
        yield* TestClock.adjust(pause)
        yield* far.takeResponse.pipe(Effect.repeat({ until: ({ status }) => status === 200 }))
        answers++
      }
      assert.strictEqual(answers, 5)
      yield* step(() => session.hasEnded)
      assert.deepStrictEqual(yield* heard, { _tag: "Lost" })
      yield* far.takeRequest("BYE")
    }),
  )
  it.live("that ask for their response at port 0 get none, and the next one is answered", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const far = yield* openRaw
      const [port, back] = [ours.localPort("udp"), far.localPort()]
      yield* far.send(optionsFrom(back, port, 1).replace(`127.0.0.1:${back};`, "127.0.0.1:0;"), port)
      yield* far.send(optionsFrom(back, port, 2), port)
      assert.strictEqual((yield* far.takeResponse).callId, "c2")
    }),
  )
  it.live("are accepted up to a limit: a flood from one address does not use up the others' share", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent(() => true)
      const [flooder, other] = [yield* openRaw, yield* openRawAt("127.0.0.2")]
      const port = ours.localPort("udp")
      for (let id = 0; id < 6_000; id++) yield* flooder.send(optionsFrom(flooder.localPort(), port, id), port)
      // As over any datagrams, what is lost is sent again.
      const ask = other.send(optionsFrom(other.localPort(), port, 9_999), port)
      const asking = Effect.forever(Effect.delay(ask, "200 millis"))
      assert.strictEqual((yield* Effect.raceFirst(other.takeResponse, asking)).status, 200)
      assert.isAtMost(ours.count().transactions, 4_001)
    }),
  )
})

describe("ringing that the caller requires to be reliable (RFC 3262)", () => {
  it.effect("is repeated until its PRACK comes", () =>
    Effect.gen(function* () {
      const { call, far, ours, port } = yield* ringingReliably
      const ringing = yield* Effect.repeat(far.takeResponse, { until: ({ status }) => status === 180 })
      assert.strictEqual(fieldOf(ringing, "require"), "100rel")
      for (const pause of ["500 millis", "1 second", "2 seconds"] as const) {
        yield* TestClock.adjust(pause)
        assert.deepStrictEqual(yield* far.takeResponse, ringing)
      }
      const prack = (number: number) =>
        Effect.andThen(
          far.send(
            `PRACK sip:parley@127.0.0.1:${port} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${far.localPort()};branch=z9hG4bKp${number}\r\nFrom: ${fieldOf(ringing, "from")}\r\nTo: ${fieldOf(ringing, "to")}\r\nCall-ID: c1\r\nCSeq: 2 PRACK\r\nRAck: ${number} 1 INVITE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n`,
            port,
          ),
          Effect.map(far.takeResponse, ({ status }) => status),
        )
      const number = Number(fieldOf(ringing, "rseq"))
      assert.strictEqual(yield* prack(number + 1), 481)
      assert.strictEqual(yield* prack(number), 200)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* far.left, 0)
      const session = call.answer(answered)
      assert.strictEqual((yield* far.takeResponse).status, 200)
      assert.isFalse(session?.hasEnded)
      assert.strictEqual(ours.count().sessions, 1)
    }),
  )
  it.effect("leaves nothing behind if the call is given up", () =>
    Effect.gen(function* () {
      const { far, ours, port } = yield* ringingReliably
      yield* far.send(inviteFrom(far.localPort(), port).replaceAll("INVITE", "CANCEL"), port)
      yield* Effect.repeat(far.takeResponse, { until: ({ method, status }) => method === "INVITE" && status === 487 })
      assert.strictEqual(ours.count().sessions, 0)
    }),
  )
})

describe("an unknown address", () => {
  it.effect("gets no answer over UDP, and a closed connection over a stream", () =>
    Effect.gen(function* () {
      let isKnown = false
      const ours = yield* openAgent(() => isKnown)
      const far = yield* openRaw
      const port = ours.localPort("udp")
      yield* far.send(optionsFrom(far.localPort(), port, 1), port)
      yield* far.send("\0\0 not a message\r\n\r\n", port)
      for (const transport of ["tcp", "tls"] as const) {
        const socket = connect(ours.localPort(transport), "127.0.0.1")
        socket.on("error", () => {})
        yield* Effect.promise(() => once(socket, "close"))
      }
      // What comes after it is answered, so the earlier ones were not.
      isKnown = true
      yield* far.send(optionsFrom(far.localPort(), port, 2), port)
      const response = yield* far.takeResponse
      assert.strictEqual(response.callId, "c2")
      assert.strictEqual(yield* far.left, 0)
    }),
  )
})
