/** Calls to a far side that is a bare socket, which does what no agent of ours would. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { connect } from "node:net"
import { type Field, fieldOf, type Request } from "../../../src/telephony/sip/Message.ts"
import type { Order } from "../../../src/telephony/sip/OutgoingCall.ts"
import {
  answered,
  eventsOf,
  offered,
  openAgent,
  openRaw,
  openRawAt,
  orderTo,
  placed,
  respond,
  step,
} from "../../support/SipAgents.ts"

/** A call from an agent to a bare socket that has received the INVITE. */
const invited = Effect.fnUntraced(function* (fields: Partial<Order> = {}) {
  const ours = yield* openAgent()
  const far = yield* openRaw
  const port = ours.localPort("udp")
  const { call, close, progress } = yield* placed(ours, yield* orderTo(ours, far, "udp", fields))
  const invite = yield* far.takeRequest("INVITE")
  const send = (request: Request, status: number, parts?: Parameters<typeof respond>[2]) =>
    far.send(respond(request, status, parts), port)
  const contact: ReadonlyArray<Field> = [far.contact()]
  const answer = (parts: Parameters<typeof respond>[2] = {}) =>
    send(invite, 200, { body: answered, fields: contact, ...parts })
  return { ours, far, invite, send, answer, call, close, progress, port }
})

const credentials = { username: "parley", password: "secret" }
const challenge = (rest = ""): ReadonlyArray<Field> => [
  ["proxy-authenticate", `Digest realm="trunk", nonce="n${rest}", algorithm=SHA-256, qop="auth"${rest}`],
]

describe("a trunk that wants a password", () => {
  it.effect("gets it with a second INVITE, and with the requests after it", () =>
    Effect.gen(function* () {
      const { call, close, far, invite, send } = yield* invited({ credentials })
      assert.isUndefined(fieldOf(invite, "proxy-authorization"))
      yield* send(invite, 407, { fields: challenge() })
      const ack = yield* far.takeRequest("ACK")
      assert.strictEqual(ack.cseq, invite.cseq)
      const again = yield* far.takeRequest("INVITE")
      assert.include(fieldOf(again, "proxy-authorization"), 'username="parley"')
      assert.deepStrictEqual([again.callId, again.cseq], [invite.callId, invite.cseq + 1])
      yield* send(again, 200, { body: answered, fields: [far.contact()] })
      yield* Fiber.join(call)
      const closing = yield* Effect.forkChild(close)
      const bye = yield* far.takeRequest("BYE")
      assert.include(fieldOf(bye, "proxy-authorization"), "nc=00000002")
      yield* send(bye, 200)
      yield* Fiber.join(closing)
    }),
  )
  it.effect("and whose nonce was too old gets it once more", () =>
    Effect.gen(function* () {
      const { call, far, invite, send } = yield* invited({ credentials })
      yield* send(invite, 407, { fields: challenge() })
      const second = yield* far.takeRequest("INVITE")
      yield* send(second, 407, { fields: challenge(", stale=true") })
      const third = yield* far.takeRequest("INVITE")
      assert.notStrictEqual(fieldOf(third, "proxy-authorization"), fieldOf(second, "proxy-authorization"))
      yield* send(third, 486)
      assert.include(yield* Effect.flip(Fiber.join(call)), { status: 486 })
    }),
  )
  it.effect("and rejects it gets no third INVITE", () =>
    Effect.gen(function* () {
      const { call, far, invite, send } = yield* invited({ credentials })
      yield* send(invite, 407, { fields: challenge() })
      yield* send(yield* far.takeRequest("INVITE"), 407, { fields: challenge() })
      assert.include(yield* Effect.flip(Fiber.join(call)), { status: 407 })
    }),
  )
})

/** The BYE of the phone that answered an INVITE with this tag. */
const byeOf = (invite: Request, tag: string, port: number) =>
  `BYE sip:parley@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKbye\r\nFrom: ${fieldOf(invite, "to")};tag=${tag}\r\nTo: ${fieldOf(invite, "from")}\r\nCall-ID: ${invite.callId}\r\nCSeq: 1 BYE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n`

describe("an answer", () => {
  it.effect("that crosses the CANCEL is acknowledged and hung up", () =>
    Effect.gen(function* () {
      const { answer, call, close, far, invite, progress, send } = yield* invited()
      yield* send(invite, 180)
      yield* progress
      const closing = yield* Effect.forkChild(close)
      const cancel = yield* far.takeRequest("CANCEL")
      yield* answer()
      yield* send(cancel, 200)
      assert.strictEqual((yield* far.takeRequest("ACK")).cseq, invite.cseq)
      yield* send(yield* far.takeRequest("BYE"), 200)
      yield* Fiber.join(closing)
      assert.include(yield* Effect.flip(Fiber.join(call)), { detail: "answered while cancelled" })
    }),
  )
  it.effect("of a second phone is acknowledged and hung up, and the first one keeps the call", () =>
    Effect.gen(function* () {
      const { answer, call, far, invite, port } = yield* invited()
      yield* answer({ tag: "first" })
      const { session } = yield* Fiber.join(call)
      const heard = yield* eventsOf(session)
      yield* answer({ tag: "second" })
      const acknowledged = [yield* far.takeRequest("ACK"), yield* far.takeRequest("ACK")]
      const tags = acknowledged.map(({ to }) => to.params.get("tag"))
      assert.deepStrictEqual(tags, ["first", "second"])
      assert.strictEqual((yield* far.takeRequest("BYE")).to.params.get("tag"), "second")
      assert.isFalse(session.hasEnded)
      yield* far.send(byeOf(invite, "first", far.localPort()), port)
      assert.deepStrictEqual(yield* heard, { _tag: "HungUp", cause: null })
    }),
  )
  it.effect("without a session description keeps the one of a confirmed response before it (RFC 3262)", () =>
    Effect.gen(function* () {
      const { answer, call, far, invite, send } = yield* invited()
      const reliable: ReadonlyArray<Field> = [["require", "100rel"], ["rseq", "7"], far.contact()]
      yield* send(invite, 183, { body: answered, fields: reliable })
      const prack = yield* far.takeRequest("PRACK")
      assert.strictEqual(fieldOf(prack, "rack"), `7 ${invite.cseq} INVITE`)
      yield* send(prack, 200)
      yield* answer({ body: "" })
      assert.strictEqual((yield* Fiber.join(call)).answer, answered)
    }),
  )
  it.effect("that comes again is acknowledged again", () =>
    Effect.gen(function* () {
      const { answer, call, far } = yield* invited()
      yield* answer()
      yield* Fiber.join(call)
      yield* answer()
      const acknowledged = [yield* far.takeRequest("ACK"), yield* far.takeRequest("ACK")]
      assert.strictEqual(acknowledged[0]?.cseq, acknowledged[1]?.cseq)
    }),
  )
})

describe("an address that the operator has not allowed", () => {
  it.effect.each(["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "0.0.0.0"])("%s is not called", (host) =>
    Effect.gen(function* () {
      const ours = yield* openAgent(() => false)
      const { message } = yield* Effect.flip(ours.find({ host, port: 5_060, transport: "udp" }))
      assert.strictEqual(
        message,
        `The address of ${host} is not public. If the trunk is your own, add its network to PARLEY_SIP_NETWORKS.`,
      )
    }),
  )
  it.effect("gets nothing when a peer names it as its own: requests go to where the peer's messages come from", () =>
    Effect.gen(function* () {
      const { answer, call, close, far, send } = yield* invited()
      yield* answer({ fields: [["contact", "<sip:10.0.0.1:5070>"]] })
      yield* Fiber.join(call)
      yield* far.takeRequest("ACK")
      const closing = yield* Effect.forkChild(close)
      const bye = yield* far.takeRequest("BYE")
      assert.strictEqual(bye.uri, "sip:10.0.0.1:5070")
      yield* send(bye, 200)
      yield* Fiber.join(closing)
    }),
  )
})

describe("a call whose trunk", () => {
  it.effect("says BYE twice ends once", () =>
    Effect.gen(function* () {
      const { answer, call, far, invite, port } = yield* invited()
      yield* answer()
      const { session } = yield* Fiber.join(call)
      const ends: Array<string> = []
      session.listen(({ _tag }) => ends.push(_tag))
      const bye = byeOf(invite, "far", far.localPort())
      const statuses: Array<number> = []
      for (const text of [bye, bye, bye.replace("z9hG4bKbye", "z9hG4bKbye2").replace("CSeq: 1", "CSeq: 2")]) {
        yield* far.send(text, port)
        statuses.push((yield* far.takeResponse).status)
      }
      assert.deepStrictEqual([statuses, ends], [[200, 200, 481], ["HungUp"]])
    }),
  )
  it.effect("vanishes without refreshing the session is hung up before its time is over, and lost", () =>
    Effect.gen(function* () {
      const { answer, call, far } = yield* invited()
      yield* answer({ fields: [far.contact(), ["session-expires", "90;refresher=uas"]] })
      const { session } = yield* Fiber.join(call)
      const heard = yield* eventsOf(session)
      yield* TestClock.adjust("50 seconds")
      assert.isFalse(session.hasEnded)
      yield* step(() => session.hasEnded)
      assert.isBelow(yield* Clock.currentTimeMillis, 90_000)
      assert.deepStrictEqual(yield* heard, { _tag: "Lost" })
      yield* far.takeRequest("BYE")
    }),
  )
  it.effect("vanishes and no longer answers our refreshing is lost 32 seconds later", () =>
    Effect.gen(function* () {
      const { answer, call, far } = yield* invited()
      yield* answer({ fields: [far.contact(), ["session-expires", "90;refresher=uac"]] })
      const { session } = yield* Fiber.join(call)
      const heard = yield* eventsOf(session)
      yield* TestClock.adjust("45 seconds")
      yield* far.takeRequest("UPDATE")
      yield* step(() => session.hasEnded)
      assert.deepStrictEqual(yield* heard, { _tag: "Lost" })
    }),
  )
})

describe("a call that the trunk has forgotten", () => {
  it.effect("is lost when the trunk says so", () =>
    Effect.gen(function* () {
      const { answer, call, far, send } = yield* invited()
      yield* answer()
      const { session } = yield* Fiber.join(call)
      const heard = yield* eventsOf(session)
      session.offer("v=0", () => {})
      yield* far.takeRequest("ACK")
      yield* send(yield* far.takeRequest("INVITE"), 481)
      assert.deepStrictEqual(yield* heard, { _tag: "Lost" })
    }),
  )
})

describe("a transfer", () => {
  it.effect("is asked for by REFER, and its progress is told", () =>
    Effect.gen(function* () {
      const { answer, call, far, port, send } = yield* invited()
      yield* answer()
      const { session } = yield* Fiber.join(call)
      const heard = yield* eventsOf(session)
      const accepted = yield* Queue.unbounded<boolean>()
      session.refer("sip:+14155550123@127.0.0.1", (is) => void Queue.offerUnsafe(accepted, is))
      const refer = yield* far.takeRequest("REFER")
      assert.strictEqual(fieldOf(refer, "refer-to"), "<sip:+14155550123@127.0.0.1>")
      yield* send(refer, 202)
      assert.isTrue(yield* Queue.take(accepted))
      const notify = `NOTIFY sip:parley@127.0.0.1:${port} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${far.localPort()};branch=z9hG4bKn1\r\nFrom: ${fieldOf(refer, "to")}\r\nTo: ${fieldOf(refer, "from")}\r\nCall-ID: ${refer.callId}\r\nCSeq: 1 NOTIFY\r\nMax-Forwards: 70\r\nEvent: refer\r\nSubscription-State: terminated\r\nContent-Type: message/sipfrag\r\nContent-Length: 14\r\n\r\nSIP/2.0 200 OK`
      yield* far.send(notify, port)
      assert.deepStrictEqual(yield* heard, { _tag: "TransferProgress", status: 200 })
      assert.strictEqual((yield* far.takeResponse).status, 200)
    }),
  )
})

const inviteFrom = (port: number, to: number, branch = "z9hG4bK1") =>
  `INVITE sip:parley@127.0.0.1:${to} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${port};branch=${branch}\r\nFrom: <sip:a@b>;tag=far\r\nTo: <sip:parley@127.0.0.1>\r\nCall-ID: c1\r\nCSeq: 1 INVITE\r\nMax-Forwards: 70\r\nContact: <sip:a@127.0.0.1:${port}>\r\nContent-Length: 0\r\n\r\n`
const optionsFrom = (port: number, to: number, id: number) =>
  inviteFrom(port, to, `z9hG4bKo${id}`).replaceAll("INVITE", "OPTIONS").replace("c1", `c${id}`)

describe("requests of a known address", () => {
  it.effect("that come again get the same response, and over another way a 482", () =>
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
  it.effect("that require it have their ringing repeated until its PRACK comes (RFC 3262)", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const far = yield* openRaw
      const port = ours.localPort("udp")
      const invite = inviteFrom(far.localPort(), port)
        .replace("Max-Forwards", "Require: 100rel\r\nContent-Type: application/sdp\r\nMax-Forwards")
        .replace("Content-Length: 0\r\n\r\n", `Content-Length: ${offered.length}\r\n\r\n${offered}`)
      yield* far.send(invite, port)
      const call = yield* Queue.take(ours.calls)
      call.ring()
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
  it.effect("that require it and are given up leave nothing behind", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const far = yield* openRaw
      const port = ours.localPort("udp")
      const invite = inviteFrom(far.localPort(), port)
        .replace("Max-Forwards", "Require: 100rel\r\nContent-Type: application/sdp\r\nMax-Forwards")
        .replace("Content-Length: 0\r\n\r\n", `Content-Length: ${offered.length}\r\n\r\n${offered}`)
      yield* far.send(invite, port)
      const call = yield* Queue.take(ours.calls)
      call.ring()
      yield* far.send(inviteFrom(far.localPort(), port).replaceAll("INVITE", "CANCEL"), port)
      yield* Effect.repeat(far.takeResponse, { until: ({ method, status }) => method === "INVITE" && status === 487 })
      assert.strictEqual(ours.count().sessions, 0)
    }),
  )
  it.effect("are answered with a 2xx until its ACK comes; without one the call ends", () =>
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
  it.live("are taken up to a bound: a flood of one address leaves the others theirs", () =>
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

describe("a change of the session by the peer", () => {
  it.effect("is answered once: its ACK ends the repetition, and the call goes on", () =>
    Effect.gen(function* () {
      const { answer, call, far, invite, ours, port } = yield* invited()
      yield* answer()
      const { session } = yield* Fiber.join(call)
      const heard = yield* eventsOf(session)
      const via = `Via: SIP/2.0/UDP 127.0.0.1:${far.localPort()};branch=z9hG4bK`
      const dialog = `From: <sip:+14155550100@127.0.0.1>;tag=far\r\nTo: ${fieldOf(invite, "from")}\r\nCall-ID: ${invite.callId}\r\nCSeq: 1`
      const send = (method: string, branch: string, body: string) =>
        far.send(
          `${method} sip:parley@127.0.0.1:${port} SIP/2.0\r\n${via}${branch}\r\n${dialog} ${method}\r\nMax-Forwards: 70\r\nContact: <sip:127.0.0.1:${far.localPort()}>\r\nContent-Type: application/sdp\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          port,
        )
      yield* send("INVITE", "hold", answered)
      const offer = yield* heard
      if (offer._tag !== "Offered") return assert.fail(offer._tag)
      offer.answer(answered)
      const { status } = yield* far.takeResponse
      assert.strictEqual(status, 200)
      yield* send("ACK", "ack", "")
      yield* step(() => ours.count().transactions === 0)
      assert.isFalse(session.hasEnded)
    }),
  )
})

describe("an unknown address", () => {
  it.effect("gets silence over UDP and a closed connection over a stream", () =>
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
