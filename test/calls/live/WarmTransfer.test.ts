/** Warm transfers: Parley as a process, the caller and the person as telephones on real sockets. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Call } from "../../../src/domain/Call.ts"
import { levelOf } from "../../../src/speech/Audio.ts"
import { caller as callerOf } from "../../support/Callers.ts"
import { made } from "../../support/Fixtures.ts"
import type { Answer } from "../../support/ModelServer.ts"
import { refused } from "../../support/Problems.ts"
import { readRecording } from "../../support/Recording.ts"
import { inboundCalls } from "../../support/Ringing.ts"
import { type OpenSipParley, ownerOfItsOwn, SipParley } from "../../support/SipRoom.ts"
import { sipNumber } from "../../support/SipTrunk.ts"
import { supervise } from "../../support/SupervisorPage.ts"
import { telephone } from "../../support/Telephone.ts"
import { heard, spoken } from "../../support/ToneCode.ts"
import type { Client } from "../../support/TestServer.ts"
import { againUntil, until } from "../../support/Until.ts"

const rate = 8_000
const to = "+14155550111"
const reason = "Ada asks about her booking"
const words = "what are your opening hours"

type Encoded = typeof Call.Encoded

const script: ReadonlyArray<Answer> = [
  { says: "I will connect you.", calls: [{ name: "transfer_call", args: { reason } }] },
  { says: "May I take a message?" },
  { says: "Thank you." },
]

/** A caller whom the agent wants to hand over, and the person's telephone, which is about to ring. */
const stage = Effect.fnUntraced(function* ({ models, parley, room }: OpenSipParley, owner: Client) {
  const { port, server } = parley
  const account = owner.account ?? ""
  const [caller, person] = [yield* telephone(port), yield* telephone(port)]
  const number = yield* Effect.promise(async () => {
    const model = { provider: "openai-compatible", id: "m" }
    const { agent } = await callerOf(owner, { model, recording: true, first_message: "Hello, this is Rosa." })
    const config = { to, mode: "warm" }
    made(await owner.post(`/api/agents/${agent.id}/tools`, { tool_name: "transfer_call", config }))
    const number = await sipNumber(owner, `127.0.0.1:${person.port()}`)
    made(await owner.put(`/api/phone-numbers/${number.id}`, { inbound_agent_id: agent.id }))
    return number
  })
  models.begin(script)
  const call = (client = owner): Promise<Encoded> => inboundCalls(client).then(([call]) => call!)
  const legs = async (client = owner): Promise<ReadonlyArray<Encoded>> => {
    const { transfers } = await call(client)
    return Promise.all(transfers.map(async ({ call_id }) => made(await client.get(`/api/v1/calls/${call_id}`))))
  }
  /** Both calls as they ended. */
  const ended = (client = owner, parleyOf = server) =>
    Effect.promise(async () => {
      const both = await until(async () => {
        const others = await legs(client)
        const all = [await call(client), ...others]
        return all.every(({ ended_at }) => ended_at !== null) && all
      })
      // With one slot, one call may begin, and only one: both slots were given back once.
      const admin = await parleyOf.admin()
      made(await admin.put(`/api/admin/accounts/${account}`, { concurrent_max: 1 }))
      const order = { agent_id: both[0]!.agent_id, phone_number_id: number.id }
      made(await client.post("/api/v1/calls", { ...order, to: "+14155550122" }))
      refused(await client.post("/api/v1/calls", { ...order, to: "+14155550123" }), 429, "concurrent_cap")
      return both
    })
  const hasSaid = (text: string) =>
    Effect.promise(() => until(async () => (await call()).transcript.some((entry) => entry.text.includes(text))))
  /** The transcript has the words of this role. */
  const hasWords = (role: string) => async () =>
    (await call()).transcript.some((entry) => entry.role === role && entry.text.toLowerCase().includes(words))
  /** The caller has asked, and the agent dials. */
  const begin = Effect.gen(function* () {
    const answer = yield* caller.ring(number.number)
    assert.strictEqual(answer.status, 200)
    yield* Effect.promise(() => until(async () => (await call()).transcript.length > 0))
    yield* caller.sayUntil(spoken("hello please", rate), () => models.asked.length > 0)
    return answer
  })
  return {
    room,
    parley,
    models,
    owner,
    account,
    caller,
    person,
    number,
    url: server.url,
    call,
    legs,
    ended,
    hasSaid,
    hasWords,
    begin,
  }
})

type Stage = Effect.Success<ReturnType<typeof stage>>

/** One telephone speaks until the other one hears these words, and this holds. */
const hears = (listener: Stage["caller"], speaker: Stage["caller"], holds = async () => true) =>
  Effect.suspend(() => {
    const from = listener.heard().length
    const isHeard = () => heard(listener.heard().subarray(from), rate).includes(words)
    return speaker.sayUntil(spoken(words, rate), async () => isHeard() && (await holds()))
  })

it.layer(SipParley.layer, { excludeTestServices: true })("a warm transfer", (it) => {
  const test = <A, E>(name: string, body: (stage: Stage) => Effect.Effect<A, E, Scope.Scope>) =>
    it.effect(
      name,
      () =>
        Effect.gen(function* () {
          const shared = yield* SipParley
          yield* body(yield* stage(shared, yield* ownerOfItsOwn(shared.parley)))
        }),
      240_000,
    )

  test("announces the caller to the person, connects the two when the person presses 1, and ends when one hangs up", (stage) =>
    Effect.gen(function* () {
      const { begin, call, caller, ended, hasWords, owner, person, room, url } = stage
      yield* begin
      const invite = yield* person.rung
      assert.include(invite.uri, to)
      const spokenTo = caller.heard().length
      // While the person's telephone rings, the caller hears music.
      yield* Effect.promise(() => until(() => levelOf(caller.heard().subarray(spokenTo).slice(-rate)) > -45))
      yield* person.pickUp(invite)
      const told = `${reason}. The call is recorded. Press 1`
      yield* Effect.promise(() => until(() => room.speech.spoken.some(({ input }) => input.includes(told))))
      yield* person.press("1")
      yield* Effect.sleep("500 millis")
      // The transcript has both.
      yield* hears(person, caller, hasWords("caller"))
      yield* hears(caller, person, hasWords("person"))
      assert.strictEqual((yield* Effect.promise(() => call())).status, "in_progress")
      yield* person.hangUpOn(invite)
      yield* caller.ended("BYE")
      const [original, leg] = yield* ended()
      assert.include(original, { outcome: "answered", end_reason: "transferred" })
      assert.include(leg, { outcome: "answered", end_reason: "transferred", transfer_of: original!.id, to })
      assert.deepInclude(original!.transfers[0], { to, call_id: leg!.id, end_reason: "transferred" })
      // The recording goes on with the person's voice on the agent's side.
      const file = yield* Effect.promise(async () => {
        const headers = { authorization: `Bearer ${owner.token}`, "x-account-id": owner.account ?? "" }
        const response = await fetch(`${url}/api/v1/calls/${original!.id}/recording`, { headers })
        return new Uint8Array(await response.arrayBuffer())
      })
      const { left, right } = readRecording(file)
      assert.include(heard(left, rate), words)
      assert.include(heard(right, rate), words)
    }))

  test("can be taken over by a supervisor, who hands the call back", (stage) =>
    Effect.gen(function* () {
      const { call, caller, hasSaid, hasWords, number, owner, url } = stage
      const answer = yield* caller.ring(number.number)
      yield* Effect.promise(() => until(async () => (await call()).transcript.length > 0))
      const { id } = yield* Effect.promise(() => call())
      const supervisor = yield* Effect.promise(() => supervise(url, owner, id))
      yield* Effect.promise(() => supervisor.next("connected"))
      const from = caller.heard().length
      yield* Effect.promise(() =>
        againUntil(
          () => supervisor.say(words),
          async () => heard(caller.heard().subarray(from), rate).includes(words) && (await hasWords("person")()),
        ),
      )
      // The agent would stop its sentence for words that the caller has not ended.
      yield* caller.sayUntil(spoken(words, rate), async () => supervisor.hears(words) && (await hasWords("caller")()))
      supervisor.send({ type: "hand_back" })
      yield* hasSaid("I am back with you")
      yield* caller.hangUp(answer)
      yield* Effect.promise(() => until(async () => (await call()).ended_at !== null))
      assert.strictEqual((yield* Effect.promise(() => call())).end_reason, "caller_hung_up")
    }))

  test("ends for the person when the caller hangs up", ({ begin, caller, ended, person }) =>
    Effect.gen(function* () {
      const answer = yield* begin
      const invite = yield* person.rung
      yield* person.pickUp(invite)
      yield* person.press("1")
      yield* Effect.sleep("1 second")
      yield* hears(person, caller)
      yield* caller.hangUp(answer)
      yield* person.ended("BYE")
      const [original, leg] = yield* ended()
      assert.include(original, { end_reason: "transferred" })
      assert.include(leg, { end_reason: "transferred" })
    }))

  const failures: ReadonlyArray<
    readonly [name: string, body: (stage: Stage) => Effect.Effect<unknown, unknown, Scope.Scope>, leg: object]
  > = [
    [
      "is busy",
      ({ person }) => Effect.flatMap(person.rung, (invite) => person.refuse(invite, 486)),
      { outcome: "busy", end_reason: "not_answered" },
    ],
    [
      "presses another key",
      ({ person }) =>
        person.rung.pipe(
          Effect.tap(person.pickUp),
          Effect.andThen(person.press("2")),
          Effect.andThen(person.ended("BYE")),
        ),
      { outcome: "answered", end_reason: "not_taken" },
    ],
    [
      "hangs up in the announcement",
      ({ person }) =>
        person.rung.pipe(
          Effect.tap(person.pickUp),
          Effect.tap(Effect.sleep("500 millis")),
          Effect.flatMap(person.hangUpOn),
        ),
      { outcome: "answered", end_reason: "not_taken" },
    ],
    [
      "presses no key",
      ({ person }) => person.rung.pipe(Effect.tap(person.pickUp), Effect.andThen(person.ended("BYE"))),
      { outcome: "answered", end_reason: "not_taken" },
    ],
  ]
  for (const [name, body, outcome] of failures) {
    test(`goes back to the agent, whose model is told, when the person ${name}`, (stage) =>
      Effect.gen(function* () {
        const { begin, caller, ended, hasSaid, legs, models } = stage
        const answer = yield* begin
        yield* body(stage)
        yield* hasSaid("could not put you through")
        yield* caller.sayUntil(spoken("hello", rate), () => models.asked.length > 1)
        yield* hasSaid("take a message")
        assert.include(JSON.stringify(models.asked.at(-1)?.body.messages), "not_transferred")
        yield* Effect.promise(() => until(async () => (await legs())[0]?.ended_at !== null))
        yield* caller.hangUp(answer)
        const [original, leg] = yield* ended()
        assert.include(original, { outcome: "answered", end_reason: "caller_hung_up" })
        assert.include(leg, outcome)
      }))
  }

  test("stops ringing when the caller hangs up", ({ begin, caller, ended, person }) =>
    Effect.gen(function* () {
      const answer = yield* begin
      const invite = yield* person.rung
      yield* caller.hangUp(answer)
      yield* person.ended("CANCEL")
      yield* person.refuse(invite, 487)
      const [original, leg] = yield* ended()
      assert.include(original, { outcome: "answered", end_reason: "caller_hung_up" })
      assert.include(leg, { outcome: "no_answer", end_reason: "not_taken" })
    }))

  test("hangs up on the person when the caller hangs up in the announcement", ({ begin, caller, ended, person }) =>
    Effect.gen(function* () {
      const answer = yield* begin
      yield* Effect.flatMap(person.rung, person.pickUp)
      yield* caller.hangUp(answer)
      yield* person.ended("BYE")
      const [, leg] = yield* ended()
      assert.include(leg, { outcome: "answered", end_reason: "not_taken" })
    }))

  const whenKilled = Effect.gen(function* () {
    const shared = yield* SipParley
    const parley = yield* Effect.promise(shared.another)
    const { begin, caller, ended, number, person } = yield* stage({ ...shared, parley }, parley.owner)
    yield* begin
    const invite = yield* person.rung
    yield* person.pickUp(invite)
    yield* person.press("1")
    yield* Effect.sleep("1 second")
    yield* hears(person, caller)
    const { server } = shared.parley
    const other = yield* Effect.promise(() => server.ownerOf("calling"))
    parley.process.child.kill("SIGKILL")
    yield* Effect.all([caller.ended("BYE"), person.ended("BYE")], { concurrency: 2 })
    const [original, leg] = yield* ended(other, server)
    assert.include(original, { outcome: "answered", phone_number_id: number.id })
    assert.include(leg, { outcome: "answered", transfer_of: original!.id })
  })
  it.effect("is hung up on both sides by another process when its own is killed", () => whenKilled, 240_000)

  test("is not made while no slot is free", ({ account, begin, caller, hasSaid, legs, parley }) =>
    Effect.gen(function* () {
      const answer = yield* begin
      yield* Effect.promise(async () => {
        const admin = await parley.server.admin()
        made(await admin.put(`/api/admin/accounts/${account}`, { concurrent_max: 1 }))
      })
      yield* hasSaid("could not put you through")
      assert.deepStrictEqual(yield* Effect.promise(() => legs()), [])
      yield* caller.hangUp(answer)
    }))

  test("is not made to a number on the do-not-call list", ({ begin, caller, hasSaid, legs, owner }) =>
    Effect.gen(function* () {
      yield* Effect.promise(async () => made(await owner.post("/api/v1/suppressions", { phone_number: to })))
      const answer = yield* begin
      yield* hasSaid("could not put you through")
      assert.deepStrictEqual(yield* Effect.promise(() => legs()), [])
      yield* caller.hangUp(answer)
    }))
})
