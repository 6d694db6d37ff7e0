import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import type { Call, CallSummary } from "../../src/domain/Call.ts"
import { wavOf } from "../../src/speech/Audio.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { axe, launch, missing } from "../support/Chromium.ts"
import { customer } from "../support/CustomerSite.ts"
import { made } from "../support/Fixtures.ts"
import { speechServer, type SpeechStandIn } from "../support/SpeechServer.ts"
import { TestServer } from "../support/TestServer.ts"
import { joined, shareAt, silence, spoken } from "../support/ToneCode.ts"
import { until } from "../support/Until.ts"
import { keyOf } from "../support/WidgetPage.ts"
import { type Wire, wireTo } from "../support/Wire.ts"

execFileSync(process.execPath, ["apps/build.ts", "widget"])

/** What the microphone hears, over and over: the page mutes it while the visitor is not to be heard. */
const question = "what are your opening hours"
const microphone = join(mkdtempSync(join(tmpdir(), "parley-voice-")), "microphone.wav")
writeFileSync(microphone, wavOf([joined(silence(4_000, 48_000), spoken(question, 48_000))], 48_000))

/** Some 20 s at this pace: still being said when the microphone asks again, on a busy machine too. */
const longAnswer = "We are open from nine to five on weekdays, and on Saturdays from ten in the morning to two."

let speech: SpeechStandIn
const server = Layer.unwrap(
  Effect.map(speechServer, (standIn) => {
    speech = standIn
    // A call that a test leaves open must not delay the shutdown.
    return TestServer.layerWith({ SPEECH_BASE_URL: standIn.url, DRAIN_SECONDS: "1" })
  }),
)

/** Run in the page before anything else: it listens to what is played, and to what the microphone gives. */
const listens = `(() => {
  const shareAt = ${shareAt.toString()}
  const ears = []
  const connect = AudioNode.prototype.connect
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      const ear = new AnalyserNode(this.context, { fftSize: 2048 })
      connect.call(this, ear)
      ears.push(ear)
    }
    return connect.call(this, to, ...rest)
  }
  const samplesOf = (ear) => {
    const samples = new Float32Array(ear.fftSize)
    ear.getFloatTimeDomainData(samples)
    return samples
  }
  const powerOf = (samples) => samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  /** How much of what is being played is this tone; 0 when nothing is. */
  globalThis.toneIn = (hz) => Math.max(0, ...ears.map((ear) => {
    const samples = samplesOf(ear)
    return powerOf(samples) < 1e-4 ? 0 : shareAt(hz, samples, ear.context.sampleRate)
  }))
  const media = navigator.mediaDevices
  const getUserMedia = media.getUserMedia.bind(media)
  let mouth
  let spokeAt = 0
  media.getUserMedia = async (wanted) => {
    globalThis.wanted = wanted
    const stream = await getUserMedia(wanted)
    globalThis.microphone = stream
    const context = new AudioContext()
    mouth = new AnalyserNode(context, { fftSize: 2048 })
    connect.call(context.createMediaStreamSource(stream), mouth)
    setInterval(() => { if (powerOf(samplesOf(mouth)) > 1e-5) spokeAt = performance.now() }, 10)
    return stream
  }
  /** For how many milliseconds the microphone has heard nothing. */
  globalThis.quietMs = () => performance.now() - spokeAt
})()`

interface Stage {
  readonly page: Page
  readonly wire: Wire
  readonly complaints: ReadonlyArray<string>
  readonly calls: () => Promise<ReadonlyArray<typeof CallSummary.Encoded>>
  readonly call: (id: string) => Promise<typeof Call.Encoded>
}

describe.skipIf(missing !== undefined)("a call in a customer's page", () => {
  it.layer(server, { timeout: "120 seconds", excludeTestServices: true })((it) => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch(
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        `--use-file-for-fake-audio-capture=${microphone}`,
      )
    })
    afterAll(() => browser.close())

    const test = (
      name: string,
      body: (stage: Stage) => Promise<void>,
      {
        before = "",
        greeting = "Good day.",
        ...options
      }: { readonly before?: string; readonly greeting?: string } & BrowserContextOptions = {},
    ) =>
      it.effect(name, () =>
        inAccountOfItsOwn(async (own, owner, { url }) => {
          const wire = await wireTo(url)
          const site = await customer(wire.url)
          const agent_id = own.line.agent_id
          // Slow enough to be talked over by a microphone that speaks every five seconds.
          const voice = { provider: "lab", id: "default", speed: 0.25 }
          // And patient enough for a microphone that is muted until its next silence.
          made(await owner.put(`/api/agents/${agent_id}`, { voice, silence_timeout_seconds: 120 }))
          const [faq] = made(await owner.get("/api/faqs?is_default=false")).items
          made(await owner.put(`/api/faqs/${faq!.id}`, { answer: longAnswer }))
          const theme = { notice: "Rosa is an AI. This chat may be recorded.", label: "Ask us" }
          site.carries(await keyOf(owner, agent_id, { origins: [site.url], theme, greeting }))
          const page = await browser.newPage(options)
          page.setDefaultTimeout(60_000)
          const complaints: Array<string> = []
          page.on("pageerror", ({ message }) => complaints.push(message))
          page.on("console", (message) => {
            if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
          })
          await page.addInitScript(listens)
          if (before !== "") await page.addInitScript(before)
          // Words of the test before, whose tones differ.
          speech.spoken.length = 0
          await page.goto(`${site.url}/`)
          const calls = async () => made(await owner.get("/api/v1/calls")).items
          const call = async (id: string) => made(await owner.get(`/api/v1/calls/${id}`))
          try {
            await page.getByRole("button", { name: "Ask us" }).click()
            await body({ page, wire, complaints, calls, call })
          } finally {
            await page.close()
            await wire.stop()
            site.stop()
          }
        }),
      )

    const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
    const lines = (page: Page) => page.locator("parley-widget .log .said")
    const tone = (page: Page, hz: number) =>
      page.evaluate((hz) => (globalThis as any).toneIn(hz), hz) as Promise<number>
    const isHeard = (page: Page, hz: number) => until(async () => (await tone(page, hz)) > 0.8)
    const hertzOf = (text: string) => until(() => speech.spoken.findLast(({ input }) => input === text)?.hz)
    /** The microphone is turned on or off in the middle of its silence. */
    const between = (page: Page) =>
      until(() => page.evaluate(() => (globalThis as any).quietMs() > 300 && (globalThis as any).quietMs() < 2_500))
    /** Lets the microphone ask its question, until it was understood whole: a busy machine swallows some of it. */
    const ask = async (page: Page) => {
      const before = speech.understood.length
      await between(page)
      await button(page, "Mute").click()
      await until(() => speech.understood.slice(before).some(({ words }) => words === question))
      await button(page, "Mute").click()
    }

    test("is heard, understood and answered; falls silent when it is talked over; and is in the list of calls", async ({
      call,
      calls,
      complaints,
      page,
    }) => {
      await button(page, "Call").click()
      await page.getByText("in a call, 0:").waitFor()
      await button(page, "Mute").click()
      await page.getByText("You are muted").first().waitFor()
      await isHeard(page, await hertzOf("Good day."))
      assert.deepInclude((await page.evaluate(() => (globalThis as any).wanted)).audio, {
        echoCancellation: true,
        noiseSuppression: true,
      })

      await ask(page)
      await page.getByText("What are your opening hours.").waitFor()
      const answer = await until(() => speech.spoken.findLast(({ input }) => /nine to five/.test(input)))
      await isHeard(page, answer.hz)
      await page
        .getByText(/nine to five/)
        .first()
        .waitFor()

      const before = speech.spoken.length
      await ask(page)
      const again = await until(() => speech.spoken.slice(before).find(({ input }) => /nine to five/.test(input)))
      await isHeard(page, again.hz)
      assert.notStrictEqual(again.hz, answer.hz)
      assert.isBelow(await tone(page, answer.hz), 0.2)

      await button(page, "End").click()
      await page.getByText("You ended the conversation.").waitFor()
      const [{ id } = { id: "" }] = await calls()
      const ended = await until(async () => {
        const one = await call(id)
        return one.ended_at !== null && one
      })
      assert.deepInclude(ended, { direction: "web", status: "completed", end_reason: "caller_hung_up", to: null })
      const agent = ended.transcript.filter(({ role }) => role === "agent")
      assert.deepInclude(agent[0], { text: "Good day." })
      const cut = agent.find(({ interrupted }) => interrupted)
      assert.isDefined(cut)
      const said = speech.spoken.slice(speech.spoken.findIndex(({ input }) => input === "Good day.") + 1)
      assert.include(said.map(({ input }) => input).join(" "), cut.text)
      assert.isAtLeast(cut.text.length, 1)
      const shown = await lines(page).allInnerTexts()
      assert.strictEqual(shown[0], "Good day.")
      assert.include(shown, "What are your opening hours.")
      // A busy machine answers late, and then "One moment, please." goes before the answer on the page, not in the record.
      assert.isTrue(
        shown.some((line) => line.endsWith(cut.text)),
        `no line of ${JSON.stringify(shown)} ends with ${cut.text}`,
      )
      assert.isTrue(await page.evaluate(() => (globalThis as any).microphone.getTracks()[0].readyState === "ended"))
      assert.deepStrictEqual(complaints, [])
      // The slot is free: another call begins.
      await button(page, "Call").click()
      await page.getByText("in a call, 0:").waitFor()
    })

    test("is worked by keyboard alone, and nothing of it is read over its own sound", async ({ page }) => {
      await button(page, "Call").focus()
      await page.keyboard.press("Enter")
      await page.getByText("in a call, 0:").waitFor()
      await until(() => button(page, "Mute").evaluate((element) => element.matches(":focus")))
      assert.strictEqual(await page.getByRole("log").getAttribute("aria-live"), "off")
      await page.keyboard.press("Space")
      assert.strictEqual(await button(page, "Mute").getAttribute("aria-pressed"), "true")
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "In a call" }).waitFor()
      await page.keyboard.press("Enter")
      await page.getByText("You are muted").first().waitFor()
      await button(page, "End").focus()
      await page.keyboard.press("Enter")
      await page.getByText("You ended the conversation.").waitFor()
      assert.strictEqual(await page.getByRole("log").getAttribute("aria-live"), "polite")
    })

    for (const colorScheme of ["light", "dark"] as const) {
      test(
        `has nothing that axe finds, ${colorScheme}`,
        async ({ page }) => {
          await button(page, "Call").click()
          await page.getByText("in a call, 0:").waitFor()
          await page.getByText("Good day.").waitFor()
          const violations = async () => {
            await page.evaluate(axe)
            return page.evaluate(async () => {
              const { violations } = await (globalThis as any).axe.run({ include: [["parley-widget"]] })
              return violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(" ")}`)
            })
          }
          assert.deepStrictEqual(await violations(), [])
          await button(page, "Mute").click()
          await page.getByText("can't hear you.").waitFor()
          assert.deepStrictEqual(await violations(), [])
          await button(page, "End").click()
          await page.getByText("You ended the conversation.").waitFor()
          assert.deepStrictEqual(await violations(), [])
          // The conversation stays readable. Which lines it holds depends on when the microphone cut in.
          assert.isAbove(await lines(page).count(), 0)
        },
        { colorScheme, bypassCSP: true },
      )
    }

    // Said in one piece, and long enough that some of it is left when the line is lost.
    const greeting = "Good day and welcome to the clinic in Mill Lane."
    test(
      "calls back when the line is lost, and goes on where it was",
      async ({ calls, page, wire }) => {
        await button(page, "Call").click()
        await page.getByText("in a call, 0:").waitFor()
        await button(page, "Mute").click()
        wire.cut()
        await page.getByText("Reconnecting…").waitFor()
        await page.getByText("in a call, 0:").waitFor()
        await isHeard(page, await hertzOf(greeting))
        assert.strictEqual((await calls()).length, 1)
      },
      { greeting },
    )

    test("gives up after three tries, and one can write", async ({ page, wire }) => {
      await button(page, "Call").click()
      await page.getByText("in a call, 0:").waitFor()
      wire.refuse(true)
      wire.cut()
      await page.getByText("The conversation was interrupted.").waitFor()
      wire.refuse(false)
      await button(page, "Start again").click()
      await page.getByRole("textbox").fill("What are your opening hours?")
      await page.keyboard.press("Enter")
      await page
        .getByText(/nine to five/)
        .first()
        .waitFor()
    })

    test(
      "without a microphone it says so, and one can write",
      async ({ calls, page }) => {
        await button(page, "Call").click()
        await page.getByText("No microphone. You can keep typing.").waitFor()
        assert.deepStrictEqual(await calls(), [])
        assert.isTrue(await page.getByRole("textbox").evaluate((element) => element.matches(":focus")))
        await page.keyboard.type("What are your opening hours?")
        await page.keyboard.press("Enter")
        await page
          .getByText(/nine to five/)
          .first()
          .waitFor()
      },
      {
        before: `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"))`,
      },
    )

    test("ends when the microphone is taken away, says so, and one can write", async ({ calls, page }) => {
      await button(page, "Call").click()
      await page.getByText("in a call, 0:").waitFor()
      await page.evaluate(() => {
        const [track] = (globalThis as any).microphone.getTracks()
        track.stop()
        track.dispatchEvent(new Event("ended"))
      })
      await page.getByText("No microphone. You can keep typing.").waitFor()
      await until(async () => (await calls())[0]?.status === "completed")
      assert.strictEqual((await calls())[0]?.end_reason, "caller_hung_up")
      await page.getByRole("textbox").fill("Hello?")
      await page.keyboard.press("Enter")
      await page.getByText("Hello?").waitFor()
    })
  })
})
