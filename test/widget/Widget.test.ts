import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { gzipSync } from "node:zlib"
import type { CallSummary } from "../../src/domain/Call.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { axe, launch, missing } from "../support/Chromium.ts"
import { customer } from "../support/CustomerSite.ts"
import { made } from "../support/Fixtures.ts"
import { TestServer } from "../support/TestServer.ts"
import { keyOf } from "../support/WidgetPage.ts"
import { type Wire, wireTo } from "../support/Wire.ts"

execFileSync(process.execPath, ["apps/build.ts", "widget"])

interface Stage {
  readonly page: Page
  readonly wire: Wire
  /** What the page complained of: errors of scripts, refusals of its policy. */
  readonly complaints: ReadonlyArray<string>
  readonly calls: () => Promise<ReadonlyArray<typeof CallSummary.Encoded>>
}

describe("the widget's script", () => {
  it("weighs less than 30 KB gzipped, and needs nothing else", () => {
    const script = readFileSync("dist/widget/widget.js")
    const sound = readFileSync("dist/widget/audio.js")
    assert.isBelow(gzipSync(script, { level: 9 }).length + gzipSync(sound, { level: 9 }).length, 30 * 1024)
    assert.notMatch(sound.toString(), /\bimport\b|https?:/)
    assert.notMatch(script.toString(), /\bimport\(|@import|https?:\/\/(?!www\.w3\.org|lit\.dev)/)
  })
})

describe.skipIf(missing !== undefined)("the widget in a customer's page", () => {
  it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })((it) => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launch()
    })
    afterAll(() => browser.close())

    const test = (name: string, body: (stage: Stage) => Promise<void>, options: BrowserContextOptions = {}) =>
      it.effect(name, () =>
        inAccountOfItsOwn(async (own, owner, { url }) => {
          const wire = await wireTo(url)
          const site = await customer(wire.url)
          const theme = { notice: "Rosa is an AI. This chat may be recorded.", label: "Ask us" }
          const keyed = { origins: [site.url], theme, greeting: "Good day." }
          site.carries(await keyOf(owner, own.line.agent_id, keyed))
          const context = await browser.newContext(options)
          const page = await context.newPage()
          page.setDefaultTimeout(60_000)
          const complaints: Array<string> = []
          page.on("pageerror", ({ message }) => complaints.push(message))
          page.on("console", (message) => {
            if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
          })
          await page.goto(`${site.url}/`)
          const calls = async () => made(await owner.get("/api/v1/calls")).items
          try {
            await body({ page, wire, complaints, calls })
          } finally {
            await context.close()
            await wire.stop()
            site.stop()
          }
        }),
      )

    const unfold = (page: Page) => page.getByRole("button", { name: "Ask us" }).click()
    const field = (page: Page) => page.getByRole("textbox", { name: /^Write a message/ })
    const log = (page: Page) => page.getByRole("log")
    const lines = (page: Page) => page.locator("parley-widget .log .said")

    test("is a button until it is pressed: it opens no connection before that", async ({ calls, page }) => {
      await page.getByRole("button", { name: "Ask us" }).waitFor()
      assert.strictEqual(await page.getByRole("dialog").count(), 0)
      assert.deepStrictEqual(await calls(), [])
    })

    test("is a chat by keyboard alone: focus in the field, Enter sends, Esc folds, focus comes back", async ({
      calls,
      complaints,
      page,
    }) => {
      const button = page.getByRole("button", { name: "Ask us" })
      await button.focus()
      await page.keyboard.press("Enter")
      await page.getByRole("dialog").waitFor()
      assert.strictEqual(await field(page).evaluate((element) => element.matches(":focus")), true)
      assert.match(await log(page).innerText(), /Good day\./)
      assert.deepStrictEqual(await calls(), [])
      await page.keyboard.type("What are your opening hours?")
      await page.keyboard.press("Enter")
      await log(page)
        .getByText(/nine to five/)
        .waitFor()
      assert.deepStrictEqual((await lines(page).allInnerTexts()).slice(0, 2), [
        "Good day.",
        "What are your opening hours?",
      ])
      assert.strictEqual(await field(page).inputValue(), "")
      await page.keyboard.press("Escape")
      assert.strictEqual(await page.getByRole("dialog").count(), 0)
      assert.strictEqual(await button.evaluate((element) => element.matches(":focus")), true)
      // Folded, it goes on.
      await page.keyboard.press("Enter")
      await log(page)
        .getByText(/nine to five/)
        .waitFor()
      const [call] = await calls()
      assert.deepInclude(call, { direction: "web", status: "in_progress" })
      assert.deepStrictEqual(complaints, [])
    })

    test("keeps the chat over a reload, and begins anew once it has ended", async ({ calls, page }) => {
      await unfold(page)
      await field(page).fill("What are your opening hours?")
      await page.keyboard.press("Enter")
      await log(page)
        .getByText(/nine to five/)
        .waitFor()
      // What the agent is still writing is not a line yet.
      await page.locator("parley-widget .agent:not([aria-hidden]) .said", { hasText: "nine to five" }).waitFor()
      const said = await lines(page).allInnerTexts()
      await page.reload()
      // The panel is open as before, with all that was said, and the same conversation goes on.
      await log(page)
        .getByText(/nine to five/)
        .waitFor()
      assert.deepStrictEqual(await lines(page).allInnerTexts(), said)
      await field(page).fill("Are you open on Sunday?")
      await page.keyboard.press("Enter")
      await page.locator("parley-widget .visitor:not(.unsent)", { hasText: "Sunday" }).waitFor()
      assert.strictEqual((await calls()).length, 1)
      await page.getByRole("button", { name: "End and close" }).click()
      await page.reload()
      await unfold(page)
      assert.deepStrictEqual(await lines(page).allInnerTexts(), ["Good day."])
      assert.strictEqual((await calls()).length, 1)
    })

    test("heals a connection that breaks, keeps what was said, and sends what was written meanwhile", async ({
      calls,
      page,
      wire,
    }) => {
      await unfold(page)
      await field(page).fill("Hello?")
      await page.keyboard.press("Enter")
      // Once it has the secret with which it goes on: a greeting stands there before.
      await page.locator("parley-widget .visitor:not(.unsent)", { hasText: "Hello?" }).waitFor()
      wire.refuse(true)
      wire.cut()
      await page.getByText("Connection lost.").waitFor()
      await field(page).fill("What are your opening hours?")
      await page.keyboard.press("Enter")
      wire.refuse(false)
      await log(page)
        .getByText(/nine to five/)
        .waitFor()
      assert.strictEqual(await page.getByText("Connection lost.").count(), 0)
      assert.strictEqual((await calls()).length, 1)
      assert.strictEqual((await lines(page).allInnerTexts()).filter((text) => text === "Hello?").length, 1)
    })

    test("ends the conversation when it is closed, and begins another when asked", async ({ calls, page }) => {
      await unfold(page)
      await field(page).fill("Hello?")
      await page.keyboard.press("Enter")
      await log(page).getByText("Hello?").waitFor()
      await page.getByRole("button", { name: "End and close" }).click()
      await unfold(page)
      await page.getByText("You ended the conversation.").waitFor()
      await page.getByRole("button", { name: "Start again" }).click()
      assert.strictEqual(await field(page).evaluate((element) => element.matches(":focus")), true)
      await page.getByText("replies instantly").waitFor()
      assert.isAtLeast((await calls()).length, 1)
    })

    for (const colorScheme of ["light", "dark"] as const) {
      for (const viewport of [
        { width: 1440, height: 900 },
        { width: 390, height: 844 },
      ]) {
        test(
          `has nothing that axe finds, ${colorScheme}, ${viewport.width} wide`,
          async ({ page }) => {
            const serious = async () => {
              await page.evaluate(axe)
              return page.evaluate(async () => {
                const { violations } = await (globalThis as any).axe.run({ include: [["parley-widget"]] })
                return violations.map(({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).join(" ")}`)
              })
            }
            await page.getByRole("button", { name: "Ask us" }).waitFor()
            assert.deepStrictEqual(await serious(), [])
            await unfold(page)
            await field(page).fill("Hello?")
            await page.keyboard.press("Enter")
            await log(page).getByText("Hello?").waitFor()
            assert.deepStrictEqual(await serious(), [])
            const box = await page.getByRole("dialog").boundingBox()
            assert.deepInclude(
              box ?? {},
              viewport.width < 480 ? { width: 390, height: 844 } : { width: 372, height: 584 },
            )
          },
          { colorScheme, viewport, reducedMotion: "reduce", bypassCSP: true },
        )
      }
    }
  })
})
