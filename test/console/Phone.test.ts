/** Every page on a phone: nothing scrolls sideways, axe finds nothing serious; and dialogs give the focus back. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { focused, missing, pageOf, phone, signedIn, violations } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { contactList, equip, makeAccount, makeAgent, makeCampaign, signIn } from "./Company.ts"
import { pagesOf } from "./Pages.ts"
import { browserOf, build, buildWithin, ownSlug, served, storyWithin } from "./Tab.ts"

/** One of everything, and a campaign that runs. */
const prepared = async (url: string) => {
  const account = ownSlug("phone-story")
  await makeAccount(url, account, { name: "Harbor Dental", time_zone: "America/New_York", concurrent_max: 4 })
  const parley = await signIn(url, account)
  const agent_id = await makeAgent(parley, "Nora")
  await equip(parley, agent_id)
  const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
    number: "+16175550100",
    carrier: "lab",
    label: "Front desk",
  })
  const fields = { agent_id, phone_number_id, max_concurrent_calls: 2 }
  const live = await makeCampaign(parley, contactList(80), { name: "November hygiene recall", ...fields })
  const draft = await makeCampaign(parley, contactList(40, 2), { name: "Retainer survey", ...fields })
  await parley.send("POST", `/api/v1/campaigns/${live}/start`)
  const first = (path: string): Promise<{ id: string }> => until(async () => (await parley.send("GET", path)).items[0])
  const contact = await first(`/api/v1/campaigns/${live}/contacts?status=completed`)
  const call = await first(`/api/v1/calls?campaign_id=${live}&status=completed`)
  const shown = { url, account, agent: "Nora", tool: "estimate_copay", live, draft }
  return { parley, pages: pagesOf({ ...shown, contact: contact.id, call: call.id }) }
}

beforeAll(build, buildWithin)

describe.skipIf(missing !== undefined)("the console on a phone", () => {
  it.layer(
    TestServer.layerWith({ LAB_SPEED: "10", DRAIN_SECONDS: "1" }),
    served,
  )((it) => {
    it.effect(
      "has no page that scrolls sideways, and none with anything serious for axe",
      () =>
        Effect.gen(function* () {
          const { url } = yield* TestServer
          const browser = yield* browserOf
          yield* Effect.promise(async () => {
            const { pages, parley } = await prepared(url)
            const page = await pageOf(browser, phone)
            await signedIn(page, parley.token)
            const faults: Array<string> = []
            page.on("pageerror", ({ message }) => faults.push(message))
            for (const [name, address] of pages) {
              await page.goto(address)
              await page.getByRole("heading", { level: 1 }).first().waitFor()
              // What a page asks for is there, or said to be missing.
              await page.locator("[role=status].Loading").first().waitFor({ state: "detached" })
              const wide = await page.evaluate(async () => {
                await document.fonts.ready
                return (document.scrollingElement?.scrollWidth ?? 0) - innerWidth
              })
              assert.isAtMost(wide, 0, `${name} is ${wide} px too wide`)
              assert.deepStrictEqual(await violations(page), [], name)
            }
            assert.deepStrictEqual(faults, [])
          })
        }).pipe(Effect.scoped),
      900_000,
    )

    it.effect(
      "leads the keyboard through the wizard, and gives the focus back after a dialog",
      () =>
        Effect.gen(function* () {
          const { url } = yield* TestServer
          const browser = yield* browserOf
          yield* Effect.promise(async () => {
            const slug = ownSlug("keyboard-story")
            await makeAccount(url, slug, { name: "Harbor Dental", time_zone: "America/New_York" })
            const parley = await signIn(url, slug)
            await makeAgent(parley, "Nora")
            await parley.send("POST", "/api/phone-numbers", { number: "+16175550100", carrier: "lab", label: "Desk" })
            const page = await pageOf(browser)
            await signedIn(page, parley.token)
            await page.goto(`${url}/console/${slug}/campaigns`)
            await page.getByRole("heading", { name: "No campaigns yet" }).waitFor()
            await page.keyboard.press("c")
            await page.getByLabel("Name", { exact: true }).focus()
            await page.keyboard.type("December recall")
            // A menu has what it offers, and gives the focus back, before one goes on.
            const stands = (word: string) =>
              page.waitForFunction((text) => document.activeElement?.textContent?.includes(text), word)
            const choose = async (word: string) => {
              await page.keyboard.press("Enter")
              await page.getByRole("option", { name: word }).waitFor()
              await page.keyboard.type(word.slice(-3))
              await page.locator("[role=option][data-focused]", { hasText: word }).waitFor()
              await page.keyboard.press("Enter")
            }
            await page.keyboard.press("Tab")
            await stands("Choose who calls")
            await choose("Nora")
            await page.getByRole("option").waitFor({ state: "detached" })
            await stands("Nora")
            await page.keyboard.press("Tab")
            await stands("Choose the number they see")
            await choose("617 555 0100")
            await page.getByRole("option").waitFor({ state: "detached" })
            await stands("617 555 0100")
            await page.keyboard.press("Control+Enter")
            const chooser = page.waitForEvent("filechooser")
            await page.getByRole("button", { name: "Choose a file" }).focus()
            await page.keyboard.press("Enter")
            await (
              await chooser
            ).setFiles({ name: "recall.csv", mimeType: "text/csv", buffer: Buffer.from(contactList(20)) })
            await page.getByRole("heading", { name: /rows are ready to call/ }).waitFor()
            await page.keyboard.press("Control+Enter")
            await page.getByLabel(/^Slots/).waitFor()
            await page.keyboard.press("Control+Enter")
            await page.getByRole("button", { name: /^Start calling \d+ people/ }).focus()
            await page.keyboard.press("Enter")
            await page.getByText("Running", { exact: true }).first().waitFor()

            const stop = page.getByRole("button", { name: "Stop…" })
            await stop.focus()
            await page.keyboard.press("Enter")
            const asked = page.getByRole("alertdialog", { name: "Stop December recall?" })
            await focused(asked)
            await page.keyboard.press("Escape")
            await asked.waitFor({ state: "detached" })
            await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("Stop…"))
          })
        }).pipe(Effect.scoped),
      storyWithin,
    )
  })
})
