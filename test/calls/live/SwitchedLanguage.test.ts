/** A caller who speaks German: Parley as a process, the caller a telephone on real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { made } from "../../support/Fixtures.ts"
import { modelServer } from "../../support/ModelServer.ts"
import { answeredNumber, inboundCalls } from "../../support/Ringing.ts"
import { openSipRoom } from "../../support/SipRoom.ts"
import { telephone } from "../../support/Telephone.ts"
import { spoken } from "../../support/ToneCode.ts"
import { until } from "../../support/Until.ts"

const rate = 8_000

describe("a switch of the language", () => {
  it.live(
    "changes what is heard, the voice, and the fixed sentences",
    () =>
      Effect.gen(function* () {
        const room = yield* openSipRoom
        const models = yield* modelServer([])
        const settings = { OPENAI_COMPATIBLE_BASE_URL: `${models.url}/v1` }
        const { owner, port } = yield* Effect.promise(() => room.parley(settings))
        const model = { provider: "openai-compatible", id: "m" }
        const { agent, number } = yield* answeredNumber(
          owner,
          {},
          {
            model,
            silence_timeout_seconds: 6,
            voice: { provider: "openai", id: "alloy" },
          },
        )
        const voices = { de: { id: "helga" } }
        yield* Effect.promise(async () => {
          const config = { languages: ["en", "de"], voices }
          made(await owner.post(`/api/agents/${agent.id}/tools`, { tool_name: "switch_language", config }))
        })
        models.begin([
          { calls: [{ name: "switch_language", args: { language: "de" } }] },
          { says: "Gern auf Deutsch." },
          { says: "Bitte." },
        ])
        const phone = yield* telephone(port)
        const answer = yield* phone.ring(number.number)
        const call = () => inboundCalls(owner).then(([call]) => call!)
        const saidOf = (text: string) =>
          Effect.promise(() => until(() => room.speech.spoken.find(({ input }) => input === text)))
        const greeting = yield* Effect.promise(() =>
          until(() => room.speech.spoken.find(({ input }) => /Rosa/.test(input))),
        )
        yield* Effect.promise(() => until(async () => (await call()).transcript.length > 0))
        yield* phone.sayUntil(spoken("hello please", rate), () => models.asked.length > 0)
        const german = yield* saidOf("Gern auf Deutsch.")
        assert.deepStrictEqual([greeting.voice, german.voice], ["alloy", "helga"])
        yield* saidOf("Sind Sie noch da?")
        const isAnswered = () => room.speech.spoken.some(({ input }) => input === "Bitte.")
        yield* phone.sayUntil(spoken("what are your opening hours", rate), isAnswered)
        yield* phone.hangUp(answer)
        assert.deepStrictEqual([...new Set(room.speech.understood.map(({ language }) => language))], ["en", "de"])
      }).pipe(Effect.scoped),
    240_000,
  )
})
