/** An operator finds a person, a call and a number by what they know of it, and no menu ends at its hundredth choice. */
import { assert } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { violations } from "../support/Chromium.ts"
import { makeAgent, makeCampaign, untilEnded } from "./Company.ts"
import { stories } from "./Stories.ts"

const list = [
  "phone_number,first_name,last_name",
  "+16175550101,Maria,Delgado",
  "+16175550102,Maria,Lam",
  "+16175550170,Ravi,Delgado",
].join("\n")

/** The rows of the file that this button saves. */
const exported = async (page: Page, button: string): Promise<ReadonlyArray<Record<string, string>>> => {
  const saved = page.waitForEvent("download")
  await page.getByRole("button", { name: button }).click()
  return parse(readFileSync(await (await saved).path(), "utf8"), { columns: true })
}

/** More than one menu or one answer of the server holds. */
const many = 130

const find = async (page: Page, typed: string) => {
  await page.keyboard.press("Control+k")
  await page.getByRole("searchbox", { name: "Find or do anything" }).fill(typed)
}

stories(
  "finding things",
  (story) => {
    story(
      "finds people, calls, numbers and FAQs from the command box, and searches calls and menus on the server",
      async ({ base, faults, page, parley }) => {
        const agent_id = await makeAgent(parley, "Nora")
        const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
          number: "+16175550100",
          carrier: "lab",
          label: "Front desk",
        })
        await parley.send("POST", "/api/faqs", { question: "Where can I park?", answer: "Behind the house." })
        const campaign = await makeCampaign(parley, list, { name: "Recall", agent_id, phone_number_id })
        await parley.send("POST", `/api/v1/campaigns/${campaign}/start`)
        await untilEnded(parley, campaign, 3)
        for (let at = 0; at < many; at++) await makeAgent(parley, `Agent ${String(at).padStart(3, "0")}`)

        await page.goto(base)
        await page.getByRole("heading", { level: 1 }).waitFor()
        await find(page, "maria delgado")
        await page.getByRole("menuitem", { name: "Maria Delgado" }).first().waitFor()
        assert.deepStrictEqual(await violations(page), [], "command box")
        await page.getByRole("group", { name: "Contacts" }).getByRole("menuitem").click()
        await page.waitForURL(/\/contacts\?contact=/)
        await page.getByRole("heading", { name: "Maria Delgado" }).waitFor()

        await find(page, "+1 617 555 0102")
        await page.getByRole("group", { name: "Calls" }).getByRole("menuitem", { name: "Maria Lam" }).click()
        await page.getByRole("heading", { name: "Maria Lam", level: 1 }).waitFor()
        await find(page, "(617) 555-0100")
        await page.getByRole("group", { name: "Phone numbers" }).getByRole("menuitem").click()
        await page.waitForURL(/\/phone-numbers\//)
        await find(page, "park")
        await page.getByRole("menuitem", { name: "Where can I park?" }).click()
        await page.waitForURL(/\/faqs\//)
        await find(page, "nothing that is here")
        await page.getByText("No results.").waitFor()
        await page.keyboard.press("Escape")

        await page.goto(`${base}/calls`)
        await page.getByRole("link", { name: "Ravi Delgado" }).waitFor()
        const field = page.getByRole("searchbox", { name: /^Find a number/ })
        await field.fill("lam maria")
        await page.getByRole("link", { name: "Ravi Delgado" }).waitFor({ state: "detached" })
        await page.getByRole("link", { name: "Maria Lam" }).waitFor()
        assert.strictEqual(await page.getByRole("link", { name: /Delgado/ }).count(), 0)
        await field.fill("virtual assistant of Harbor")
        await page.getByRole("link", { name: "Maria Delgado" }).waitFor()
        await field.fill("617 555 0170")
        await page.getByRole("link", { name: "Ravi Delgado" }).waitFor()
        const found = await exported(page, "Export what is found")
        assert.deepStrictEqual([...new Set(found.map(({ to }) => to))], ["+16175550170"])
        await field.fill("nobody said this")
        await page.getByRole("heading", { name: "No call fits these filters" }).waitFor()
        await page.getByRole("link", { name: "Clear filters" }).click()

        await page.goto(`${base}/campaigns/${campaign}/contacts?q=lam`)
        const [contact, ...others] = await exported(page, "Export 1 contact")
        assert.deepInclude(contact, { phone_number: "+16175550102", last_name: "Lam" })
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(await violations(page), [], "contacts that are found")
        await page.goto(`${base}/calls`)

        // Nora is older than the hundred agents that one answer holds.
        await page.getByRole("button", { name: "Agent" }).click()
        await page.getByText("111 more. Type to narrow the list.").waitFor()
        await page.getByRole("searchbox", { name: "Find: Agent" }).fill("nor")
        await page.getByRole("option", { name: "Nora" }).click()
        await page.waitForURL(/agent_id=/)
        await page.getByRole("button", { name: "Agent: Nora" }).waitFor()
        assert.deepStrictEqual(await violations(page), [], "calls")
        assert.deepStrictEqual(faults, [])
      },
    )

    story(
      "opens a menu before its choices have come, and says why there are none",
      async ({ base, faults, page, parley }) => {
        await makeAgent(parley, "Nora")
        const openMenu = async () => {
          await page.goto(`${base}/calls`)
          await page.getByRole("button", { name: "Agent" }).click()
        }
        let answer = () => {}
        await page.route(/agents\.list/, async (route) => {
          await new Promise<void>((resolve) => (answer = resolve))
          await route.continue()
        })
        await openMenu()
        await page.getByText("Searching…").waitFor()
        answer()
        await page.getByRole("option", { name: "Nora" }).waitFor()

        const detail = "Agents are away"
        await page.unroute(/agents\.list/)
        await page.route(/agents\.list/, (route) => {
          const error = { message: detail, code: -32003, data: { status: 403, code: "forbidden", detail } }
          const asked = new URL(route.request().url()).pathname.split(",")
          return route.fulfill({ status: 403, json: asked.map(() => ({ error })) })
        })
        await openMenu()
        await page.getByRole("dialog", { name: "Agent" }).getByText(`${detail}.`).waitFor()
        assert.deepStrictEqual(faults, [])
      },
    )
  },
  { LAB_SPEED: "60", DRAIN_SECONDS: "1" },
)
