/** The widget in a browser, whose process is killed or restarted: the visitor goes on with another process. */
import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe } from "vitest"
import { campaigner } from "../support/Campaigner.ts"
import { wide } from "../support/Callers.ts"
import { launch, missing } from "../support/Chromium.ts"
import { customer } from "../support/CustomerSite.ts"
import { made } from "../support/Fixtures.ts"
import { fleet, type Member } from "../support/Fleet.ts"
import { speak } from "../support/TestServer.ts"
import { keyOf } from "../support/WidgetPage.ts"
import { wireTo } from "../support/Wire.ts"

execFileSync(process.execPath, ["apps/build.ts", "widget"])

describe.skipIf(missing !== undefined)("the widget whose process ends", () => {
  const all = fleet()
  let browser: Browser
  let staying: Member
  beforeAll(async () => {
    browser = await launch()
    staying = await all.join()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await all.stop()
  })

  const field = (page: Page) => page.getByRole("textbox", { name: /^Write a message/ })
  const log = (page: Page) => page.getByRole("log")
  const lines = (page: Page) => page.locator("parley-widget .log .said").allInnerTexts()
  const write = async (page: Page, text: string) => {
    await field(page).fill(text)
    await page.keyboard.press("Enter")
  }

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "after %s goes on with another process: all lines once, and the agent answers",
    async (signal) => {
      const account = `b${crypto.randomUUID().slice(0, 8)}`
      const owner = await speak(staying.url).ownerOf(account, wide)
      const { line } = await campaigner(owner)
      const going = await all.join()
      const wire = await wireTo(going.url)
      const site = await customer(wire.url)
      const theme = { label: "Ask us" }
      site.carries(await keyOf(owner, line.agent_id, { origins: [site.url], theme, greeting: "Good day." }))
      const page = await (await browser.newContext()).newPage()
      page.setDefaultTimeout(60_000)
      try {
        await page.goto(`${site.url}/`)
        await page.getByRole("button", { name: "Ask us" }).click()
        await write(page, "What are your opening hours?")
        const answer = page.locator("parley-widget .agent:not([aria-hidden]) .said", { hasText: "nine to five" })
        await answer.waitFor()
        const before = await lines(page)
        wire.lead(staying.url)
        going.child.kill(signal)
        await write(page, "Are you open on Sunday?")
        await page.locator("parley-widget .visitor:not(.unsent)", { hasText: "Sunday" }).waitFor()
        await page.getByText("replies instantly").waitFor()
        const after = await lines(page)
        assert.deepStrictEqual(after.slice(0, before.length), before)
        assert.strictEqual(after[before.length], "Are you open on Sunday?")
        await page.waitForFunction(
          (count) =>
            document.querySelector("parley-widget")!.shadowRoot!.querySelectorAll(".log .agent").length > count,
          before.length - 1,
        )
        assert.strictEqual(await page.getByText("Connection lost.").count(), 0)
        const calls = made(await owner.get("/api/v1/calls")).items
        assert.deepStrictEqual(
          calls.map(({ status }: { readonly status: string }) => status),
          ["in_progress"],
        )
        assert.isTrue((await log(page).innerText()).includes("Sunday"))
      } finally {
        await page.context().close()
        await wire.stop()
        site.stop()
      }
    },
    180_000,
  )
})
