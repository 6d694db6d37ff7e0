/** Calls to a trunk that is a bare socket, until they are answered or refused. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Field, fieldOf } from "../../../src/telephony/sip/Message.ts"
import { answered, eventsOf, openAgent } from "../../support/SipAgents.ts"
import { byeOf, invited } from "../../support/SipPeer.ts"

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
  it.effect("gets it once more if the nonce was too old", () =>
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
  it.effect("gets no third INVITE if it rejects the password", () =>
    Effect.gen(function* () {
      const { call, far, invite, send } = yield* invited({ credentials })
      yield* send(invite, 407, { fields: challenge() })
      yield* send(yield* far.takeRequest("INVITE"), 407, { fields: challenge() })
      assert.include(yield* Effect.flip(Fiber.join(call)), { status: 407 })
    }),
  )
})

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
  it.effect("of more phones than a call can ring is hung up for as many as it can ring", () =>
    Effect.gen(function* () {
      const { answer, call, far, invite, ours, port } = yield* invited()
      yield* answer({ tag: "first" })
      const heard = yield* eventsOf((yield* Fiber.join(call)).session)
      for (let at = 0; at < 60; at++) yield* answer({ tag: `other${at}` })
      // The last one that is read.
      yield* far.send(byeOf(invite, "first", far.localPort()), port)
      yield* heard
      assert.isAtMost(ours.count().transactions, 20)
    }),
  )
  it.effect("is preceded by at most as many PRACKs as phones can ring", () =>
    Effect.gen(function* () {
      const { answer, call, far, invite, ours, send } = yield* invited()
      for (let at = 1; at <= 150; at++) {
        const reliable: ReadonlyArray<Field> = [["require", "100rel"], ["rseq", `${at}`], far.contact()]
        yield* send(invite, 183, { fields: reliable })
      }
      yield* answer()
      yield* Fiber.join(call)
      assert.isAtMost(ours.count().transactions, 66)
    }),
  )
  it.effect("that is repeated is acknowledged again", () =>
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
