/** Calls to sipp, an independent implementation of SIP: each side has to say that each call went as it was written. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope } from "effect"
import { outcomeOfSip } from "../../../src/domain/SipOutcome.ts"
import { newId } from "../../../src/telephony/sip/Ids.ts"
import { freePort } from "../../support/FreePorts.ts"
import { dose } from "../../support/Dose.ts"
import { type Agent, offered, openAgent } from "../../support/SipAgents.ts"
import { sipp, sippFault, steps } from "../../support/Sipp.ts"

const { answer, answerRemembered, confirm, progress, receive, refuse, remember, ring } = steps
const challenge = 'Proxy-Authenticate: Digest realm="trunk", nonce="abc", qop="auth", algorithm=SHA-256\n'
const hangUp = [receive("BYE"), confirm]
const talked = [receive("ACK"), ...hangUp]
const refused = (status: string, fields = "") => [receive("INVITE"), refuse(status, fields), receive("ACK")]

const scenarios = {
  "rings and answers": { steps: [receive("INVITE"), ring, answer(), ...talked], outcome: "answered" },
  "answers at once": { steps: [receive("INVITE"), answer(), ...talked], outcome: "answered" },
  "wants a password": {
    steps: [...refused("407 Proxy Authentication Required", challenge), receive("INVITE"), ring, answer(), ...talked],
    outcome: "answered",
  },
  "is busy": { steps: refused("486 Busy Here"), outcome: "busy" },
  "is not there": { steps: refused("480 Temporarily Unavailable"), outcome: "no_answer" },
  declines: { steps: [receive("INVITE"), ring, refuse("603 Decline"), receive("ACK")], outcome: "rejected" },
  "has no such number": { steps: refused("404 Not Found"), outcome: "invalid_number" },
  "is full": { steps: refused("503 Service Unavailable"), outcome: "carrier_error" },
  "wants its progress confirmed, and describes its sound in it alone": {
    steps: [remember, progress, receive("PRACK"), confirm, answerRemembered, ...talked],
    outcome: "answered",
  },
  "wants a longer session": {
    steps: [...refused("422 Session Interval Too Small", "Min-SE: 3600\n"), receive("INVITE"), answer(), ...talked],
    outcome: "answered",
  },
  "is cancelled": {
    steps: [
      ...[receive("INVITE"), ring, receive("CANCEL"), confirm],
      ...[refuse("487 Request Terminated", "", "CSeq: 1 INVITE"), receive("ACK")],
    ],
    outcome: "no_answer",
  },
  "answers while it is cancelled": {
    steps: [receive("INVITE"), ring, receive("CANCEL"), confirm, answer("CSeq: 1 INVITE"), ...talked],
    outcome: "no_answer",
  },
} as const

/** Places a call, gives it up where it only rings, and returns its outcome. */
const placeCall = Effect.fnUntraced(function* (agent: Agent, port: number, isGivenUp: boolean) {
  const hops = yield* Effect.orDie(agent.find({ host: "127.0.0.1", port, transport: "udp" }))
  const order = {
    to: `sip:+14155550100@127.0.0.1:${port}`,
    from: "<sip:+14155550199@127.0.0.1>",
    credentials: { username: "parley", password: "secret" },
    offer: offered,
    hops,
    callId: newId(),
    expires: 60,
  }
  const scope = yield* Scope.make()
  const rings = yield* Deferred.make<void>()
  const placed = agent.place(order, () => void Deferred.doneUnsafe(rings, Effect.void))
  const { settled } = yield* Scope.provide(placed, scope)
  if (isGivenUp) yield* Deferred.await(rings)
  else yield* Effect.exit(Deferred.await(settled))
  yield* Scope.close(scope, Exit.void)
  return yield* Effect.match(Deferred.await(settled), {
    onFailure: ({ cause, status }) => outcomeOfSip(status, cause),
    onSuccess: () => "answered" as const,
  })
})

/** 500 in all in the full dose. */
const callsEach = dose(5, 50)

describe.skipIf(sippFault !== undefined)("calls to sipp, which", () => {
  it.live.each(Object.entries(scenarios))("%s", ([name, { outcome, steps }]) =>
    Effect.gen(function* () {
      const agent = yield* openAgent()
      const port = yield* Effect.promise(freePort)
      const { ended } = yield* Effect.acquireRelease(
        Effect.sync(() => sipp(port, callsEach, steps)),
        ({ child }) => Effect.sync(() => child.kill("SIGKILL")),
      )
      const calls = Array.from({ length: callsEach }, () => placeCall(agent, port, name.includes("cancelled")))
      const outcomes = yield* Effect.all(calls, { concurrency: 10 })
      assert.deepStrictEqual(new Set(outcomes), new Set([outcome]))
      assert.isTrue(yield* Effect.promise(() => ended), "sipp counts a call that did not go as written")
      assert.strictEqual(agent.count().sessions, 0)
    }),
  )
})
