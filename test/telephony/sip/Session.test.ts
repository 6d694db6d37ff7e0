/** Answered calls with a trunk that is a bare socket: how they change, are transferred and end. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { fieldOf } from "../../../src/telephony/sip/Message.ts"
import { answered, eventsOf, step } from "../../support/SipAgents.ts"
import { byeOf, invited } from "../../support/SipPeer.ts"

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
  it.effect("disappears without refreshing the session is hung up before the session expires, and lost", () =>
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
  it.effect("disappears and does not answer our refresh is lost 32 seconds later", () =>
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
  it.effect("is requested by REFER, and its progress is reported", () =>
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

describe("a change of the session by the peer", () => {
  it.effect("is answered once: its ACK ends the repetitions, and the call goes on", () =>
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
