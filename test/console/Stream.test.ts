/**
 * The live page of a campaign over a line that breaks, stays broken and falls silent: it says so, heals, and goes on.
 */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { missing, pageOf, says, signedIn } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { wireTo } from "../support/Wire.ts"
import { contactList, makeAccount, makeAgent, makeCampaign, type Parley, signIn } from "./Company.ts"
import { browserOf, build, buildWithin, ownSlug, served } from "./Tab.ts"

/** It goes on for as long as the test looks. */
const runningCampaign = async (parley: Parley): Promise<string> => {
  const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
    number: "+16175550100",
    carrier: "lab",
  })
  const agent_id = await makeAgent(parley, "Nora")
  const id = await makeCampaign(parley, contactList(900), {
    name: "Recall",
    agent_id,
    phone_number_id,
    max_concurrent_calls: 2,
  })
  await parley.send("POST", `/api/v1/campaigns/${id}/start`)
  return id
}

interface Stage {
  readonly parley: Parley
  /** The running campaign. */
  readonly id: string
  readonly page: Page
  /** The account's pages, over the wire. */
  readonly base: string
  readonly wire: Awaited<ReturnType<typeof wireTo>>
}

const stage = Effect.gen(function* () {
  const { url } = yield* TestServer
  const browser = yield* browserOf
  const wire = yield* Effect.acquireRelease(
    Effect.promise(() => wireTo(url)),
    ({ stop }) => Effect.promise(stop),
  )
  return yield* Effect.promise(async (): Promise<Stage> => {
    const slug = ownSlug("stream-story")
    await makeAccount(url, slug, { name: "Harbor Dental", calls_per_minute: 6_000 })
    const parley = await signIn(url, slug)
    const id = await runningCampaign(parley)
    const page = await pageOf(browser)
    await signedIn(page, parley.token)
    return { parley, id, page, base: `${wire.url}/console/${slug}`, wire }
  })
})

const live = (page: Page) => page.locator(".LiveSign").waitFor()

const lost = (page: Page) => says(page, "Connection lost")
const back = (page: Page) => says(page, "Back after")

/** How many of the campaign's contacts are done, as the page says it. */
const done = async (page: Page): Promise<number> => {
  const text = await page
    .getByText(/^[\d,]+ of 900 done$/)
    .first()
    .innerText()
  return Number(text.split(" ")[0]?.replace(",", ""))
}

const untilMore = (page: Page, than: number) => until(async () => (await done(page)) > than)

beforeAll(build, buildWithin)

describe.skipIf(missing !== undefined)("a live page", () => {
  it.layer(
    TestServer.layerWith({ LAB_SPEED: "5", DRAIN_SECONDS: "1" }),
    served,
  )((it) => {
    const test = (name: string, body: (stage: Stage) => Promise<void>) =>
      it.effect(
        name,
        () =>
          stage.pipe(
            Effect.flatMap((own) => Effect.promise(() => body(own))),
            Effect.scoped,
          ),
        600_000,
      )

    test("says that its line is cut, keeps its figures, and goes on when the line is back or was only silent", async ({
      base,
      id,
      page,
      parley,
      wire,
    }) => {
      await page.goto(`${base}/campaigns/${id}`)
      await live(page)
      await page.locator(".CallsNow-words").first().waitFor()

      wire.refuse(true)
      assert.isAtLeast(wire.cut(), 1)
      await lost(page)
      await page.getByText("Campaigns continue without this page.").waitFor()
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

      // The campaign's changes from meanwhile arrive without a reload.
      wire.cut()
      await parley.send("POST", `/api/v1/campaigns/${id}/stop`)
      await page.getByText("Stopped", { exact: true }).first().waitFor()
    })

    test("follows the list of campaigns again once the line is back", async ({ base, id, page, parley, wire }) => {
      await page.goto(`${base}/campaigns`)
      await live(page)
      wire.refuse(true)
      wire.cut()
      await lost(page)
      await parley.send("POST", `/api/v1/campaigns/${id}/stop`)
      wire.refuse(false)
      await back(page)
      await page.locator("main").getByText("Stopped", { exact: true }).first().waitFor()
    })

    test("opens a page whose code it could not load, and repeats an export that failed, once the line is back", async ({
      base,
      id,
      page,
      wire,
    }) => {
      const faults: Array<string> = []
      page.on("pageerror", (error) => faults.push(error.message))
      await page.goto(`${base}/campaigns/${id}/settings`)
      await live(page)

      wire.refuse(true)
      wire.cut()
      await lost(page)
      await page.getByRole("button", { name: "Export", exact: true }).click()
      assert.strictEqual(
        await says(page, "The results"),
        "The results of Recall were not exported. The server did not answer. Check your connection, then try again.",
      )
      wire.refuse(false)
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Try again" }).click(),
      ])
      assert.strictEqual(file.suggestedFilename(), "recall-results.csv")
      await back(page)

      wire.refuse(true)
      wire.cut()
      for (const name of ["FAQs", "Audit log"]) {
        await page.getByRole("link", { name, exact: true }).click()
        await page.getByText(/^The server did not answer\. The page opens when it does\./).waitFor()
      }
      wire.refuse(false)
      await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor()
      assert.deepStrictEqual(faults, [])
    })
  })
})
