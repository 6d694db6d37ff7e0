/** Calls whose trunk sends sound before the answer: the network announces something, or the phone only rings. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { callOn, hasEnded } from "../support/BaresipRoom.ts"
import { caller } from "../support/Callers.ts"
import { made } from "../support/Fixtures.ts"
import { inRealTime } from "../support/RealTime.ts"
import { SipRoomOfFile, stageInRoom } from "../support/SipRoom.ts"
import { sipNumber } from "../support/SipTrunk.ts"
import { telephone } from "../support/Telephone.ts"
import { joined, silence, sine, spoken } from "../support/ToneCode.ts"

const rate = 8_000
const to = "+14155550160"
const sitTones = joined(...[950, 1_400, 1_800].map((hz) => sine(hz, 330, rate)))
const unknownNumber = joined(sitTones, silence(300, rate), spoken("the number is not in service", rate))

/** A call to a telephone that is being rung. */
const stage = Effect.gen(function* () {
  const room = yield* stageInRoom
  const { owner, port } = yield* Effect.promise(room.parley)
  const phone = yield* telephone(port)
  const number = yield* Effect.promise(async () => {
    const { agent } = await caller(owner)
    const number = await sipNumber(owner, `127.0.0.1:${phone.port()}`)
    made(await owner.post("/api/v1/calls", { agent_id: agent.id, phone_number_id: number.id, to }))
    return number
  })
  const invite = yield* phone.rung
  return { phone, invite, owner, call: callOn(owner, number, hasEnded), speech: room.speech }
})

type Stage = Effect.Success<typeof stage>

it.layer(SipRoomOfFile.layer, { timeout: "180 seconds", excludeTestServices: true })(
  "sound before the answer",
  (it) => {
    const test = <E>(name: string, body: (stage: Stage) => Effect.Effect<void, E, Scope.Scope>) =>
      inRealTime(it.effect)(name, 120, Effect.flatMap(stage, body))

    test("ends the call at once if it says that the number does not exist", ({ call, invite, phone }) =>
      Effect.gen(function* () {
        yield* phone.progress(invite)
        phone.say(unknownNumber)
        yield* phone.ended("CANCEL")
        yield* phone.refuse(invite, 487)
        const { answered_by, ...ended } = yield* call
        assert.deepInclude(ended, {
          outcome: "invalid_number",
          end_reason: "not_answered",
          transcript: [],
          answered_at: null,
        })
        assert.strictEqual(answered_by?.verdict, "announcement")
        const [tones, words] = answered_by?.evidence ?? []
        assert.include(tones, { kind: "announcement", said: null })
        assert.include(words?.kind === "announcement" ? words.said : null, "The number is not in service.")
      }))

    test("decides how a call was refused, if the words had begun before", ({ call, invite, phone }) =>
      Effect.gen(function* () {
        yield* phone.progress(invite)
        phone.say(unknownNumber)
        yield* Effect.sleep("2700 millis")
        yield* phone.refuse(invite, 480)
        const { answered_by, outcome } = yield* call
        assert.deepStrictEqual([outcome, answered_by?.verdict], ["invalid_number", "announcement"])
      }))

    test("is not part of the talk after the answer", ({ call, invite, phone, speech }) =>
      Effect.gen(function* () {
        yield* phone.progress(invite)
        phone.say(joined(sine(440, 1_000, rate), spoken("please wait", rate)))
        yield* Effect.sleep("2 seconds")
        yield* phone.pickUp(invite)
        phone.say(spoken("hello please", rate))
        yield* Effect.sleep("3 seconds")
        yield* phone.hangUpOn(invite)
        const { answered_by, outcome, transcript } = yield* call
        assert.strictEqual(outcome, "answered")
        const heard = transcript.filter(({ role }) => role === "caller").map(({ text }) => text)
        assert.deepStrictEqual(heard, ["Hello please."])
        assert.strictEqual(answered_by?.verdict, "person")
        assert.isTrue(speech.spoken.some(({ input }) => input.includes("this is Rosa")))
      }))

    test("leaves the outcome to the trunk if it is a ringing tone alone", ({ call, invite, phone }) =>
      Effect.gen(function* () {
        yield* phone.progress(invite)
        phone.say(sine(425, 1_000, rate))
        yield* Effect.sleep("1500 millis")
        yield* phone.refuse(invite, 486)
        const { answered_by, outcome } = yield* call
        assert.deepStrictEqual([outcome, answered_by], ["busy", null])
      }))
  },
)
