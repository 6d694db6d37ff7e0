/** The recording of a call in the console: paused and resumed while the call goes on, played and downloaded afterwards. */
import { afterAll, assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { baresip, baresipFault } from "../support/Baresip.ts"
import { violations } from "../support/Chromium.ts"
import { sipSettings } from "../support/SipTrunk.ts"
import { speechServer } from "../support/SpeechServer.ts"
import { joined, silence, spoken } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"
import { stories } from "./Stories.ts"

const rate = 8_000
const to = "+14155550100"
const says = joined(silence(3_000, rate), spoken("what are your opening hours", rate), silence(60_000, rate))
const scope = Scope.makeUnsafe()
const speech = await Effect.runPromise(Scope.provide(speechServer, scope))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

if (baresipFault === undefined) {
  const { port } = await Effect.runPromise(Scope.provide(baresip({ says, isEncrypted: false, user: to }), scope))
  stories(
    "a recorded call",
    (story) => {
      story("is paused and resumed while it goes on, and played afterwards", async ({ base, faults, page, parley }) => {
        const agent = await parley.send("POST", "/api/agents", {
          name: "Rosa",
          system_prompt: "You are Rosa.",
          first_message: "Hello, this is Rosa.",
          recording: true,
        })
        const number = await parley.send("POST", "/api/phone-numbers", {
          number: "+14155559100",
          carrier: "sip",
          carrier_config: { server: `127.0.0.1:${port}` },
        })
        const { id } = await parley.send("POST", "/api/v1/calls", {
          agent_id: agent.id,
          phone_number_id: number.id,
          to,
        })
        const call = () => parley.send("GET", `/api/v1/calls/${id}`)
        await until(async () => (await call()).recording_state === "recording")
        await page.goto(`${base}/calls/${id}`)
        await page.getByText("The call is in progress and is being recorded.").waitFor()
        await page.getByRole("button", { name: "Pause recording" }).click()
        await page.getByText("Its recording is paused.").waitFor()
        await page.getByRole("button", { name: "Resume recording" }).click()
        await page.getByText("is being recorded.").waitFor()
        await page.getByRole("button", { name: "Listen" }).click()
        await page.getByText("Listened to by").waitFor()
        await page.getByText(/ – now/).waitFor()
        await page.getByRole("button", { name: "Stop listening" }).click()
        await page.getByText(/ – \d/).waitFor()
        await page.getByLabel("Instruction").fill("Offer Friday.")
        await page.getByRole("button", { name: "Send" }).click()
        await page.getByRole("log").getByText("Offer Friday.").waitFor()
        await until(() => speech.understood.length > 0)
        await page.getByRole("button", { name: "Take over…" }).click()
        await page.getByText("What you say is recorded and transcribed.").waitFor()
        await page.getByRole("button", { name: "Take over", exact: true }).click()
        const taken = page.getByRole("region", { name: /^You are talking with/ })
        await taken.waitFor()
        await page.getByText("Taken over by").waitFor()
        assert.deepStrictEqual(await violations(page), [])
        await page.setViewportSize({ width: 390, height: 844 })
        assert.isAtMost(await page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - innerWidth), 0)
        await taken.getByRole("button", { name: "Mute" }).click()
        await taken.getByText("You are muted.").waitFor()
        await taken.getByRole("button", { name: "Hand back to Rosa" }).click()
        await page.getByText("Rosa has the call again.").waitFor()
        await page.getByRole("log").getByText("I am back with you.").waitFor()
        await page.getByRole("button", { name: "Take over…" }).waitFor()
        await page.setViewportSize({ width: 1440, height: 900 })
        await parley.send("POST", `/api/v1/calls/${id}/hangup`)
        await page.getByText(/not recorded from \d:\d\d to \d:\d\d/).waitFor()
        await page.getByRole("button", { name: "Play" }).click()
        const audio = page.locator("audio")
        await until(() => audio.evaluate((player) => (player as HTMLAudioElement).currentTime > 0.5))
        const [saved] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "WAV" }).click(),
        ])
        assert.strictEqual(saved.suggestedFilename(), `call-${id}.wav`)
        assert.deepStrictEqual(faults, [])
      })
    },
    await sipSettings(speech.url),
  )
}
