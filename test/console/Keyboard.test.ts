/** The console by keyboard alone: the focus is never lost to the page, Escape leaves what was opened, and no editor holds it. */
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { focused } from "../support/Chromium.ts"
import { contactList, makeAgent, makeCampaign } from "./Company.ts"
import { stories } from "./Stories.ts"

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name })

/** Waits until the element with this accessible name has the focus. */
const untilFocused = (page: Page, role: "button" | "spinbutton", name: string | RegExp) =>
  page.locator(":focus").and(page.getByRole(role, { name })).waitFor()

const long = `a.department.with.a.long.name@${"x".repeat(60)}.${"y".repeat(60)}.example`

stories("the console by keyboard", (story) => {
  story(
    "leaves a dialog by Escape after a refusal, and goes on beside a member that was removed",
    async ({ base, faults, page }) => {
      await page.goto(`${base}/account`)
      await button(page, "Add a member").press("Enter")
      const dialog = page.getByRole("dialog", { name: /^Add a member/ })
      await focused(dialog)
      await page.keyboard.type("DANA@harbordental.example")
      await dialog.getByRole("button", { name: "Add member" }).press("Enter")
      await dialog.getByText("You can't change your own membership.").waitFor()
      await untilFocused(page, "button", "Add member")
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "detached" })
      await untilFocused(page, "button", "Add a member")

      await page.keyboard.press("Enter")
      await focused(dialog)
      await page.keyboard.type(long)
      await page.keyboard.press("Enter")
      await dialog.waitFor({ state: "detached" })
      await button(page, `Remove ${long}…`).press("Enter")
      const asks = page.getByRole("alertdialog")
      await focused(asks)
      assert.isFalse(await asks.getByRole("heading").evaluate((title) => title.scrollWidth > title.clientWidth))
      await asks.getByRole("button", { name: "Remove" }).press("Enter")
      await asks.waitFor({ state: "detached" })
      await page.getByText("1 member", { exact: true }).waitFor()
      await untilFocused(page, "button", "Add a member")
      assert.deepStrictEqual(faults, [])
    },
  )

  story(
    "pauses and resumes by the same key, and leaves the change of slots by Escape",
    async ({ base, faults, page, parley }) => {
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
      await page.goto(`${base}/campaigns/${id}`)
      await button(page, "Pause").press("Enter")
      await untilFocused(page, "button", "Resume")
      await page.keyboard.press("Enter")
      await untilFocused(page, "button", "Pause")

      await button(page, "Change 2").press("Enter")
      await untilFocused(page, "spinbutton", "Slots")
      await page.keyboard.press("Escape")
      await untilFocused(page, "button", "Change 2")
      await page.keyboard.press("Enter")
      await untilFocused(page, "spinbutton", "Slots")
      await page.keyboard.press("Control+a")
      await page.keyboard.type("3")
      await page.keyboard.press("Enter")
      await untilFocused(page, "button", "Change 3")
      await parley.send("POST", `/api/v1/campaigns/${id}/stop`)
      assert.deepStrictEqual(faults, [])
    },
  )

  story("says how to leave an editor in which Tab indents", async ({ base, faults, page, parley }) => {
    const { id } = await parley.send("POST", "/api/tools", {
      name: "double",
      description: "Doubles a figure.",
      implementation_type: "python",
      implementation_code: "def double(arguments, context):\n    return {}\n",
      schema: { type: "object", properties: {} },
    })
    await page.goto(`${base}/tools/${id}`)
    const code = page.getByRole("textbox", { name: "Code", exact: true })
    await code.focus()
    await page.locator(".cm-editor.cm-focused").waitFor()
    const hint = await code.getAttribute("aria-describedby")
    await page.locator(`[id="${hint}"]`).getByText("press Esc, then Tab").waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    await untilFocused(page, "button", /^Run/)
    assert.deepStrictEqual(faults, [])
  })
})
