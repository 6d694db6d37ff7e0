/** The live page of a campaign over a line that breaks, stays broken and falls silent: it says so, heals, and goes on. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { missing, pageOf, signedIn } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { wireTo } from "../support/Wire.ts"
import { contactList, makeAccount, makeAgent, makeCampaign, type Parley, signIn } from "./Company.ts"
import { browserOf, build } from "./Tab.ts"

const slug = "stream-story"

/** It goes on for as long as the test looks. */
const runningCampaign = async (parley: Parley): Promise<string> => {
  const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
    number: "+16175550100",
    carrier: "lab",
  })
  const agent_id = await makeAgent(parley, "Nora")
  const id = await makeCampaign(parley, contactList(900), {
    ...{ name: "Recall", agent_id, phone_number_id },
    max_concurrent_calls: 2,
  })
  await parley.send("POST", `/api/v1/campaigns/${id}/start`)
  return id
}

const live = (page: Page) => page.locator(".LiveSign").waitFor()

/** What the page says of its line stands for seconds: it is written down, however slow who reads is. */
const writeDown = (page: Page) =>
  page.addInitScript(() => {
    const said: Array<string> = []
    Object.assign(window, { said })
    const look = () =>
      said.push(...Array.from(document.querySelectorAll(".LiveBanner"), ({ textContent }) => textContent))
    new MutationObserver(look).observe(document, { subtree: true, childList: true })
  })
const says = async (page: Page, words: string): Promise<void> => {
  await page.waitForFunction(
    (wanted) => (window as never as { said: Array<string> }).said.some((text) => text.startsWith(wanted)),
    words,
  )
}
const lost = (page: Page) => says(page, "Connection lost")
const back = async (page: Page): Promise<void> => {
  await says(page, "Back after")
  await page.evaluate(() => (window as never as { said: Array<string> }).said.splice(0))
}

/** Of the campaign's contacts, those that are done, as the page says it. */
const done = async (page: Page): Promise<number> => {
  const text = await page
    .getByText(/^[\d,]+ of 900 done$/)
    .first()
    .innerText()
  return Number(text.split(" ")[0]?.replace(",", ""))
}

const untilMore = (page: Page, than: number) => until(async () => (await done(page)) > than)

beforeAll(build, 120_000)

describe.skipIf(missing !== undefined)("a live page", () => {
  it.layer(TestServer.layerWith({ LAB_SPEED: "5", DRAIN_SECONDS: "1" }), {
    timeout: "120 seconds",
    excludeTestServices: true,
  })((it) => {
    it.effect(
      "says that its line is cut, keeps its figures, and goes on when the line is back or was only silent",
      () =>
        Effect.gen(function* () {
          const { url } = yield* TestServer
          const browser = yield* browserOf
          const wire = yield* Effect.acquireRelease(
            Effect.promise(() => wireTo(url)),
            ({ stop }) => Effect.promise(stop),
          )
          yield* Effect.promise(async () => {
            await makeAccount(url, slug, { name: "Harbor Dental", calls_per_minute: 6_000 })
            const parley = await signIn(url, slug)
            const id = await runningCampaign(parley)
            const page = await pageOf(browser)
            await signedIn(page, parley.token)
            await writeDown(page)
            await page.goto(`${wire.url}/console/${slug}/campaigns/${id}`)
            await live(page)
            await page.locator(".CallsNow-words").first().waitFor()

            wire.refuse(true)
            assert.isAtLeast(wire.cut(), 1)
            await lost(page)
            await page.getByText("Dialling does not need this page.").waitFor()
            await page.getByText(/^As of /).waitFor()
            assert.strictEqual(await page.locator(".LiveSign").count(), 0)
            const before = await done(page)
            wire.refuse(false)
            await back(page)
            await live(page)
            await untilMore(page, before)
            await page.locator(".CallsNow-words").first().waitFor()

            wire.hush()
            await lost(page)
            await back(page)
            await untilMore(page, await done(page))

            // What became of the campaign meanwhile arrives by itself.
            wire.cut()
            await parley.send("POST", `/api/v1/campaigns/${id}/stop`)
            await page.getByText("Completed", { exact: true }).first().waitFor()
          })
        }).pipe(Effect.scoped),
      180_000,
    )
  })
})
