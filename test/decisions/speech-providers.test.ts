import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { made } from "../support/Fixtures.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { deepgramServer, type DeepgramStandIn } from "../support/DeepgramServer.ts"
import { elevenLabsServer, type ElevenLabsStandIn, toneHz } from "../support/ElevenLabsServer.ts"
import { speechServer, type SpeechStandIn } from "../support/SpeechServer.ts"
import { speak, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { call } from "../support/VoicePage.ts"
import { keyOf, sessionOf } from "../support/WidgetPage.ts"

let ears: DeepgramStandIn
let voices: ElevenLabsStandIn
let speech: SpeechStandIn

const server = Layer.unwrap(
  Effect.gen(function* () {
    ears = yield* deepgramServer
    voices = yield* elevenLabsServer
    speech = yield* speechServer
    return TestServer.layerWith({
      DEEPGRAM_API_KEY: "dg-test",
      DEEPGRAM_BASE_URL: ears.url,
      ELEVENLABS_API_KEY: "xi-test",
      ELEVENLABS_BASE_URL: voices.url,
      SPEECH_BASE_URL: speech.url,
      DRAIN_SECONDS: "1",
    })
  }),
)

it.layer(server, { timeout: "120 seconds", excludeTestServices: true })("speech of several providers", (it) => {
  it.effect("hears a visitor with Deepgram, speaks with ElevenLabs, and with the next voice after a failure", () =>
    inAccountOfItsOwn(async (own, owner, { url }) => {
      const agent_id = own.line.agent_id
      made(await owner.put(`/api/agents/${agent_id}`, { silence_timeout_seconds: 120, language: "en-GB" }))
      const page = await call(await sessionOf(speak(url), await keyOf(owner, agent_id, {})))
      const greeting = await page.next("line")
      assert.deepStrictEqual(
        voices.asked.map(({ body, rate }) => [body.text, rate]),
        [[greeting.text, 24_000]],
      )
      assert.approximately(page.playedMs(toneHz), 1_000, 60)

      voices.faults.push(401)
      page.say("what are your opening hours")
      const { by, text } = await page.next("line")
      assert.strictEqual(by, "visitor")
      assert.strictEqual(text.replaceAll(".", "").toLowerCase(), "what are your opening hours")
      assert.deepInclude(ears.opened[0]?.query, { language: "en", sample_rate: "16000" })
      await page.next("line")
      await until(() => speech.spoken.some(({ hz }) => page.playedMs(hz) > 0))
      assert.deepStrictEqual(speech.understood, [])

      page.send({ type: "end" })
      await page.next("ended")
      await until(() => ears.sockets.clients.size === 0)
    }),
  )
})
