import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Invitation } from "../../../src/telephony/sip/Invitation.ts"
import type { Declined } from "../../../src/telephony/sip/Sip.ts"
import { type Agent, answered, eventsOf, offered, openAgent, orderTo, placed, step } from "../../support/SipAgents.ts"

/** Two agents; at the end nothing of either may be left once the longest timer is over. */
const pair = Effect.gen(function* () {
  // Under the name that its certificate bears.
  const ours = yield* openAgent(undefined, "localhost")
  const theirs = yield* openAgent()
  const assertNothingLeft = Effect.gen(function* () {
    yield* TestClock.adjust("70 seconds")
    // A last ACK may cross the socket only now.
    yield* step(() => ours.count().transactions + theirs.count().transactions === 0)
    assert.deepStrictEqual([ours.count(), theirs.count()], [none, none])
  })
  return { ours, theirs, assertNothingLeft }
})
const none = { sessions: 0, transactions: 0 }

const answeredCall = Effect.fnUntraced(function* (
  ours: Agent,
  theirs: Agent,
  transport: "udp" | "tcp" | "tls" = "udp",
) {
  const { call, close, progress } = yield* placed(ours, yield* orderTo(ours, theirs, transport))
  const incoming = yield* Queue.take(theirs.calls)
  assert.strictEqual(incoming.offer, offered)
  incoming.ring()
  assert.deepStrictEqual(yield* progress, [180, null])
  const far = incoming.answer(answered)
  if (far === null) return assert.fail("The call was given up")
  const { answer, session } = yield* Fiber.join(call)
  assert.strictEqual(answer, answered)
  return { near: session, far, close, heard: yield* eventsOf(session), farHeard: yield* eventsOf(far) }
})

describe.each(["udp", "tcp", "tls"] as const)("a call over %s", (transport) => {
  it.effect("rings, is answered and is hung up by the other side", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, ours, theirs } = yield* pair
      const { close, far, heard } = yield* answeredCall(ours, theirs, transport)
      yield* theirs.hangUp(far)
      assert.deepStrictEqual(yield* heard, { _tag: "HungUp", cause: 16 })
      yield* close
      yield* assertNothingLeft
    }),
  )
  it.effect("is hung up when its scope closes", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, ours, theirs } = yield* pair
      const { close, farHeard } = yield* answeredCall(ours, theirs, transport)
      yield* close
      assert.deepStrictEqual(yield* farHeard, { _tag: "HungUp", cause: 16 })
      yield* assertNothingLeft
    }),
  )
  it.effect("is cancelled when its scope closes while it rings", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, ours, theirs } = yield* pair
      const { call, close, progress } = yield* placed(ours, yield* orderTo(ours, theirs, transport))
      const incoming = yield* Queue.take(theirs.calls)
      const givenUp = yield* Deferred.make<void>()
      incoming.cancelled = () => void Deferred.doneUnsafe(givenUp, Effect.void)
      incoming.ring()
      yield* progress
      yield* close
      yield* Deferred.await(givenUp)
      const { detail, status } = yield* Effect.flip(Fiber.join(call))
      assert.deepStrictEqual([status, detail], [487, "487 Request Terminated"])
      assert.isNull(incoming.answer(answered))
      yield* assertNothingLeft
    }),
  )
})

it.effect("a call over TLS is hung up under the trunk's name, which is on its certificate", () =>
  Effect.gen(function* () {
    const [trunk, ours] = [yield* openAgent(), yield* openAgent()]
    const { call } = yield* placed(trunk, yield* orderTo(trunk, ours, "tls"))
    const incoming = yield* Queue.take(ours.calls)
    incoming.recognise("localhost")
    const near = incoming.answer(answered)
    if (near === null) return assert.fail("The call was given up")
    const heard = yield* eventsOf((yield* Fiber.join(call)).session)
    yield* Effect.callback<void>((resume) => near.onConfirmed(() => resume(Effect.void)))
    yield* ours.hangUp(near)
    assert.deepStrictEqual(yield* heard, { _tag: "HungUp", cause: 16 })
  }),
)

describe("an answer that is not acknowledged", () => {
  const unacknowledged = Effect.gen(function* () {
    const { assertNothingLeft, ours, theirs } = yield* pair
    const scope = yield* Scope.make()
    const { acknowledge, settled } = yield* Scope.provide(
      ours.place(yield* orderTo(ours, theirs), () => {}),
      scope,
    )
    const far = (yield* Queue.take(theirs.calls)).answer(answered)
    if (far === null) return yield* Effect.die("The call was given up")
    const { session } = yield* Deferred.await(settled)
    const close = Scope.close(scope, Exit.void)
    return { acknowledge, assertNothingLeft, close, heard: yield* eventsOf(session), farHeard: yield* eventsOf(far) }
  })
  it.effect("is repeated for 32 seconds, and then the peer ends the call", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, close, heard } = yield* unacknowledged
      const ended = yield* Effect.forkChild(heard)
      yield* step(() => ended.pollUnsafe() !== undefined)
      assert.strictEqual((yield* Fiber.join(ended))._tag, "HungUp")
      assert.isAtLeast(yield* Clock.currentTimeMillis, 31_000)
      yield* close
      yield* assertNothingLeft
    }),
  )
  it.effect("is acknowledged before the call is hung up", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, close, farHeard } = yield* unacknowledged
      yield* close
      assert.deepStrictEqual(yield* farHeard, { _tag: "HungUp", cause: 16 })
      yield* assertNothingLeft
    }),
  )
  it.effect("is acknowledged later, and the call goes on", () =>
    Effect.gen(function* () {
      const { acknowledge, assertNothingLeft, close, farHeard } = yield* unacknowledged
      yield* TestClock.adjust("3 seconds")
      yield* acknowledge
      const ended = yield* Effect.forkChild(farHeard)
      let looks = 0
      yield* step(() => ++looks === 40)
      assert.isUndefined(ended.pollUnsafe())
      yield* close
      assert.deepStrictEqual(yield* Fiber.join(ended), { _tag: "HungUp", cause: 16 })
      yield* assertNothingLeft
    }),
  )
})

describe("a call that is not answered", () => {
  it.effect.each([
    [486, 'Q.850;cause=17;text="User busy"', { status: 486, cause: 17 }],
    [603, null, { status: 603, cause: null }],
    [404, "Q.850;cause=1", { status: 404, cause: 1 }],
  ] as const)("is refused with %i and reason %s", ([status, reason, expected]) =>
    Effect.gen(function* () {
      const { assertNothingLeft, ours, theirs } = yield* pair
      const { call, close } = yield* placed(ours, yield* orderTo(ours, theirs))
      const incoming = yield* Queue.take(theirs.calls)
      incoming.refuse(status, reason === null ? [] : [["reason", reason]])
      const declined: Declined = yield* Effect.flip(Fiber.join(call))
      assert.include(declined, expected)
      yield* close
      yield* assertNothingLeft
    }),
  )
  it.effect("times out if there is no answer", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const { call } = yield* placed(ours, yield* orderTo(ours, { localPort: () => 9 }))
      yield* TestClock.adjust("33 seconds")
      assert.include(yield* Effect.flip(Fiber.join(call)), { status: 0, detail: "the trunk did not answer" })
      assert.strictEqual(ours.count().transactions, 0)
    }),
  )
  it.effect("is unreachable when no server listens on a stream", () =>
    Effect.gen(function* () {
      const ours = yield* openAgent()
      const { call } = yield* placed(ours, yield* orderTo(ours, { localPort: () => 1 }, "tcp"))
      assert.include(yield* Effect.flip(Fiber.join(call)), { status: 0, detail: "the trunk could not be reached" })
    }),
  )
})

describe("a session", () => {
  it.effect("is changed by either side", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, ours, theirs } = yield* pair
      const { close, far, farHeard, heard, near } = yield* answeredCall(ours, theirs)
      for (const [changing, event] of [
        [near, farHeard],
        [far, heard],
      ] as const) {
        const changed = yield* Deferred.make<string | null>()
        changing.offer(
          `${offered}a=sendonly\r\n`,
          (answer) => void Deferred.doneUnsafe(changed, Effect.succeed(answer)),
        )
        const offer = yield* event
        if (offer._tag !== "Offered") return assert.fail(offer._tag)
        assert.strictEqual(offer.offer, `${offered}a=sendonly\r\n`)
        offer.answer(`${answered}a=recvonly\r\n`)
        assert.strictEqual(yield* Deferred.await(changed), `${answered}a=recvonly\r\n`)
      }
      yield* close
      yield* assertNothingLeft
    }),
  )
  it.effect("does not change when a change is refused, and the call goes on", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* pair
      const { close, farHeard, near } = yield* answeredCall(ours, theirs)
      const changed = yield* Deferred.make<string | null>()
      near.offer(offered, (answer) => void Deferred.doneUnsafe(changed, Effect.succeed(answer)))
      const offer = yield* farHeard
      if (offer._tag === "Offered") offer.answer(null)
      assert.isNull(yield* Deferred.await(changed))
      assert.isFalse(near.hasEnded)
      yield* close
    }),
  )
  it.effect("repeats offers of both sides that crossed, one after the other (491)", () =>
    Effect.gen(function* () {
      const { assertNothingLeft, ours, theirs } = yield* pair
      const { close, far, farHeard, heard, near } = yield* answeredCall(ours, theirs)
      const answers = yield* Queue.unbounded<string | null>()
      near.offer("near", (answer) => void Queue.offerUnsafe(answers, answer))
      far.offer("far", (answer) => void Queue.offerUnsafe(answers, answer))
      const reply = (event: typeof heard) =>
        Effect.flatMap(event, (offer) =>
          Effect.sync(() => (offer._tag === "Offered" ? offer.answer(`to ${offer.offer}`) : undefined)),
        )
      const replies = yield* Effect.forkChild(Effect.all([reply(heard), reply(farHeard)], { concurrency: 2 }))
      const settled = yield* Effect.forkChild(Effect.all([Queue.take(answers), Queue.take(answers)]))
      // The clock moves on only when the 491 have come.
      while (settled.pollUnsafe() === undefined) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust("100 millis")
      }
      assert.sameMembers([...(yield* Fiber.join(settled))], ["to near", "to far"])
      yield* Fiber.join(replies)
      yield* close
      yield* assertNothingLeft
    }),
  )
  it.effect("hands the call over by REFER only to the peer that we ask", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* pair
      const { close, near } = yield* answeredCall(ours, theirs)
      const accepted = yield* Deferred.make<boolean>()
      near.refer("sip:+14155550123@127.0.0.1", (is) => void Deferred.doneUnsafe(accepted, Effect.succeed(is)))
      // The other agent is ours too, and takes no orders.
      assert.isFalse(yield* Deferred.await(accepted))
      assert.isFalse(near.hasEnded)
      yield* close
    }),
  )
  it.effect("carries digits as text", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* pair
      const { close, farHeard, near } = yield* answeredCall(ours, theirs)
      near.sendDigit("#", 160)
      assert.deepStrictEqual(yield* farHeard, { _tag: "Digit", digit: "#" })
      yield* close
    }),
  )
  it.effect("is refreshed by its caller at half of its interval, and goes on", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* pair
      const { close, far, near } = yield* answeredCall(ours, theirs)
      // The ACK is on its way still; the clock must not overtake it.
      yield* step(() => theirs.count().transactions === 0)
      const sequence = () => far.dialog.remote_sequence ?? 0
      for (const last of [sequence(), sequence() + 1, sequence() + 2]) {
        // Just before half of the 30 minutes that were agreed; then second by second, so that the clock does not
        // overtake what crosses the socket.
        yield* TestClock.adjust("14 minutes")
        yield* step(() => sequence() > last)
        yield* step(() => ours.count().transactions === 0)
      }
      assert.deepStrictEqual([near.hasEnded, far.hasEnded], [false, false])
      yield* close
    }),
  )
  it.effect.each(["udp", "tcp", "tls"] as const)(
    "of another process is hung up from what it stored, over %s",
    (transport) =>
      Effect.gen(function* () {
        const theirs = yield* openAgent()
        const first = yield* Scope.make()
        const ours = yield* Scope.provide(openAgent(), first)
        const { farHeard, near } = yield* answeredCall(ours, theirs, transport)
        const stored = JSON.parse(JSON.stringify(near.dialog))
        yield* Scope.close(first, Exit.void)
        const sibling = yield* openAgent()
        yield* sibling.hangUp(sibling.adopt({ ...stored, local_sequence: stored.local_sequence + 100 }, null))
        assert.deepStrictEqual(yield* farHeard, { _tag: "HungUp", cause: 16 })
      }),
  )
})

describe("a ringing call of another process", () => {
  it.effect.each(["udp", "tcp", "tls"] as const)("is cancelled from what that one stored, over %s", (transport) =>
    Effect.gen(function* () {
      const theirs = yield* openAgent()
      const first = yield* Scope.make()
      const ours = yield* Scope.provide(openAgent(), first)
      const arrived = yield* Queue.unbounded<Invitation>()
      const order = yield* orderTo(ours, theirs, transport)
      // A process that is killed cancels nothing: this scope is not closed.
      const placing = ours.place(
        order,
        () => {},
        (invitation) => void Queue.offerUnsafe(arrived, invitation),
      )
      yield* Scope.provide(placing, yield* Scope.make())
      const incoming = yield* Queue.take(theirs.calls)
      const givenUp = yield* Deferred.make<void>()
      incoming.cancelled = () => void Deferred.doneUnsafe(givenUp, Effect.void)
      incoming.ring()
      const stored = JSON.parse(JSON.stringify(yield* Queue.take(arrived)))
      yield* Scope.close(first, Exit.void)
      const sibling = yield* openAgent()
      const result = yield* sibling.cancel(stored)
      assert.strictEqual(typeof result === "string" ? result : result.status, 200)
      yield* Deferred.await(givenUp)
      const again = yield* sibling.cancel({ ...stored, branch: "z9hG4bKother" })
      assert.strictEqual(typeof again === "string" ? again : again.status, 481)
    }),
  )
})
