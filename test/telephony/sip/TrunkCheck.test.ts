/** What an operator is told about a trunk before the first call, from what a bare socket answers to the question. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { SipTrunk } from "../../../src/domain/SipConfig.ts"
import { type Field, fieldOf } from "../../../src/telephony/sip/Message.ts"
import { check } from "../../../src/telephony/sip/TrunkCheck.ts"
import { openAgent, openRaw, respond } from "../../support/SipAgents.ts"

const credentials = { username: "parley", password: "secret" }
const challenged = (nonce: string): ReadonlyArray<Field> => [
  ["www-authenticate", `Digest realm="trunk", nonce="${nonce}", algorithm=SHA-256, qop="auth"`],
]

/** A check under way, and the first question that the trunk was asked. */
const asked = Effect.fnUntraced(function* (own: Partial<SipTrunk> = {}) {
  const ours = yield* openAgent()
  const far = yield* openRaw
  const trunk: SipTrunk = {
    host: "127.0.0.1",
    port: far.localPort(),
    transport: "udp",
    credentials: null,
    from_domain: null,
    srtp: false,
    register: false,
    addresses: [],
    ...own,
  }
  const found = yield* Effect.forkChild(check(ours, trunk, "+14155550100"))
  const question = yield* far.takeRequest("OPTIONS")
  const answer = (request: typeof question, status: number, fields: ReadonlyArray<Field> = []) =>
    far.send(respond(request, status, { fields }), ours.localPort("udp"))
  return { answer, far, found: Fiber.join(found), question }
})

describe("the check of a trunk", () => {
  it.effect.each([
    [200, true, "The trunk answers (200 OK). Only a call shows whether it lets this number dial."],
    [404, true, "The trunk answers (404 Not Found). Only a call shows whether it lets this number dial."],
    [401, false, "The trunk asks for credentials (401 Refused). Enter username and password."],
    [403, false, "The trunk answers, but refuses this server (403 Refused). Allow its address at the provider."],
    [503, false, "The trunk answers that it has a fault (503 Service Unavailable)."],
  ] as const)("reads %i", ([status, ok, detail]) =>
    Effect.gen(function* () {
      const { answer, found, question } = yield* asked()
      assert.include(fieldOf(question, "from"), "sip:+14155550100@127.0.0.1")
      yield* answer(question, status)
      assert.deepStrictEqual(yield* found, { ok, detail })
    }),
  )
  it.effect("sends the credentials when it is asked for them", () =>
    Effect.gen(function* () {
      const { answer, far, found, question } = yield* asked({ credentials })
      yield* answer(question, 401, challenged("n"))
      const again = yield* far.takeRequest("OPTIONS")
      assert.include(fieldOf(again, "authorization"), 'username="parley"')
      yield* answer(again, 200)
      assert.isTrue((yield* found).ok)
    }),
  )
  it.effect("reports refused credentials", () =>
    Effect.gen(function* () {
      const { answer, far, found, question } = yield* asked({ credentials })
      yield* answer(question, 401, challenged("n"))
      yield* answer(yield* far.takeRequest("OPTIONS"), 401, challenged("n"))
      const detail = "The trunk refuses the credentials (401 Refused). Check username and password."
      assert.deepStrictEqual(yield* found, { ok: false, detail })
    }),
  )
  it.effect("gives up after five seconds of silence", () =>
    Effect.gen(function* () {
      const { found } = yield* asked()
      yield* TestClock.adjust("5 seconds")
      const { detail, ok } = yield* found
      assert.isFalse(ok)
      assert.match(detail, /^The trunk did not answer within 5 s\./u)
    }),
  )
})
