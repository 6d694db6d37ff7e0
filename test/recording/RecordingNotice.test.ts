/** A caller is told of the recording first: Parley as a process, the caller a telephone on real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isSilent, onsetOf, readRecording } from "../support/Recording.ts"
import { answeredNumber, inboundCalls } from "../support/Ringing.ts"
import { openSipRoom } from "../support/SipRoom.ts"
import { telephone } from "../support/Telephone.ts"
import { spoken } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"

const rate = 8_000
const recording_notice = "This call is recorded."

describe("the notice of a recording", () => {
  it.live(
    "comes first and is in the recording; the caller is in it only afterwards",
    () =>
      Effect.gen(function* () {
        const room = yield* openSipRoom
        const { owner, port, server } = yield* Effect.promise(() => room.parley({}))
        const { number } = yield* answeredNumber(owner, {}, { recording: true, recording_notice })
        const phone = yield* telephone(port)
        const answer = yield* phone.ring(number.number)
        phone.say(spoken("hello please", rate))
        const call = () => inboundCalls(owner).then(([call]) => call!)
        const said = async () => (await call()).transcript.filter(({ role }) => role === "agent")
        yield* Effect.promise(() => until(async () => (await said()).length >= 2))
        yield* phone.sayUntil(spoken("what are your opening hours", rate), async () => (await said()).length >= 3)
        yield* phone.hangUp(answer)
        const ended = yield* Effect.promise(() =>
          until(async () => {
            const last = await call()
            return last.ended_at !== null && last
          }),
        )
        const [notice, greeting] = ended.transcript.filter(({ role }) => role === "agent")
        assert.strictEqual(notice?.text, recording_notice)
        assert.include(greeting?.text, "this is Rosa")
        const file = yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${owner.token}`, "x-account-id": owner.account ?? "" }
          const response = await fetch(`${server.url}/api/v1/calls/${ended.id}/recording`, { headers })
          return new Uint8Array(await response.arrayBuffer())
        })
        const { left, right } = readRecording(file)
        const tone = room.speech.spoken.find(({ input }) => input === recording_notice)
        assert.isDefined(onsetOf(tone?.hz ?? 0, right, rate))
        assert.isTrue(isSilent(left, rate, 0, notice?.ended_ms ?? 0))
        assert.isFalse(isSilent(left, rate, notice?.ended_ms ?? 0, (left.length / rate) * 1_000))
      }).pipe(Effect.scoped),
    120_000,
  )
})
