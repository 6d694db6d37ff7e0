/** Safe before fast: what is made in the console can hang up and calls at decent hours, and nothing dials at one slip. */
import { assert } from "@effect/vitest"
import { says } from "../support/Chromium.ts"
import { adminToken, contactList, makeAgent, makeCampaign, makeFirstAgent } from "./Company.ts"
import { stories } from "./Stories.ts"

stories("the console", (story) => {
  story(
    "gives a new agent the tools to end a call, asks for a transfer's target, and says which line of a prompt is wrong",
    async ({ base, faults, page, parley }) => {
      await makeFirstAgent(page, base, "Nora")
      const { items } = await parley.send("GET", "/api/agents/Nora/tools")
      assert.sameMembers(
        items.filter(({ enabled }: any) => enabled).map(({ tool_name }: any) => tool_name),
        ["end_call", "add_to_do_not_call", "record_outcome"],
      )

      const { id } = await parley.send("GET", "/api/agents/Nora")
      await page.goto(`${base}/agents/${id}/tools`)
      await page.getByRole("button", { name: /Add a tool/ }).click()
      await page.getByRole("option", { name: /^transfer_call/ }).click()
      await page.getByText("no number to transfer to").waitFor()
      await page.getByRole("button", { name: "Actions for transfer_call" }).click()
      await page.getByRole("menuitem", { name: "Settings…" }).click()
      await page.getByText(/There is no number to transfer to/).waitFor()
      await page.getByLabel("Usual number").fill("617 555 0100")
      await page.getByText(/is not a phone number with its country code/).waitFor()
      await page.getByLabel("Usual number").fill("+16175550100")
      await page.getByRole("button", { name: "Use these settings" }).click()
      await page.getByText("no number to transfer to").waitFor({ state: "detached" })
      await page.keyboard.press("Control+s")
      await says(page, "Nora v3 saved.")
      const tools = await parley.send("GET", `/api/agents/${id}/tools`)
      assert.deepStrictEqual(tools.items.find(({ tool_name }: any) => tool_name === "transfer_call").config, {
        to: "+16175550100",
        allowed: ["+16175550100"],
      })

      await page.goto(`${base}/agents/${id}/prompt`)
      const editor = page.getByRole("textbox", { name: "System prompt", exact: true })
      await editor.click()
      await page.keyboard.press("Control+a")
      await page.keyboard.insertText("You are Nora.\n\nCall {{ first_name")
      await page.getByText("draft", { exact: false }).first().waitFor()
      await page.keyboard.press("Control+s")
      await page.getByText("Line 3: {{ is never closed").first().waitFor()
      assert.deepStrictEqual(
        faults.filter((fault) => !fault.includes("400")),
        [],
      )
    },
  )

  story(
    "asks before a row of the list dials, and shows a campaign that was stopped as stopped",
    async ({ base, faults, page, parley }) => {
      const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
        number: "+16175550100",
        carrier: "lab",
      })
      const agent_id = await makeAgent(parley, "Nora")
      const id = await makeCampaign(parley, contactList(285), { name: "Recall", agent_id, phone_number_id })
      const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
      await fetch(`${parley.url}/api/admin/accounts/${parley.account}`, {
        method: "PUT",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${await adminToken(parley.url)}`,
          "x-admin": "true",
        },
        body: JSON.stringify({ calling_window: { days, start: "00:00", end: "23:00", time_zone: "contact" } }),
      })
      const { counts } = await parley.send("GET", `/api/v1/campaigns/${id}`)
      const start = `Start calling ${counts.total} people`
      await page.goto(`${base}/campaigns`)
      await page.getByRole("button", { name: "Actions for Recall" }).click()
      await page.getByRole("menuitem", { name: "Start…" }).click()
      const dialog = page.getByRole("alertdialog", { name: `${start}?` })
      // The campaign has no hours of its own, so the account's are said.
      await dialog.getByText("Recall dials 12 AM to 11 PM in each contact's time zone.").waitFor()
      await dialog.getByRole("button", { name: "Cancel" }).click()
      await dialog.waitFor({ state: "detached" })
      assert.strictEqual((await parley.send("GET", `/api/v1/campaigns/${id}`)).status, "draft")
      await page.getByRole("button", { name: "Actions for Recall" }).click()
      await page.getByRole("menuitem", { name: "Start…" }).click()
      await dialog.getByRole("button", { name: start }).click()
      await says(page, "Recall is dialling.")

      await parley.send("POST", `/api/v1/campaigns/${id}/stop`)
      await page.goto(`${base}/campaigns/${id}`)
      await page.getByText("Stopped", { exact: true }).first().waitFor()
      const done = await page
        .getByText(/ called$/)
        .first()
        .innerText()
      assert.notInclude(done, "100%")
      assert.strictEqual(await page.getByText("Completed", { exact: true }).count(), 0)
      assert.deepStrictEqual(faults, [])
    },
  )

  story(
    "makes a campaign that calls from 9 to 20, keeps the wizard over a reload, and takes those not reached again",
    async ({ base, faults, page, parley }) => {
      await parley.send("POST", "/api/phone-numbers", { number: "+16175550100", carrier: "lab" })
      await makeAgent(parley, "Nora")
      await page.goto(`${base}/campaigns/new`)
      await page.getByLabel("Name", { exact: true }).fill("Recall")
      await page.getByRole("button", { name: "Choose who calls" }).click()
      await page.getByRole("option", { name: "Nora" }).click()
      await page.reload()
      assert.strictEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "Recall")
      await page.getByRole("button", { name: "Choose the number they see" }).click()
      await page.getByRole("option", { name: /617 555 0100/ }).click()
      await page.getByRole("button", { name: "Next: contacts" }).click()
      await page.getByRole("button", { name: /Country of numbers without a country code/ }).click()
      await page.getByRole("option", { name: "United States", exact: true }).click()
      const list = [
        "phone_number,first_name,last_visit,dentist",
        "617-555-0170,Maria,May,Dr. Osei",
        "617-555-0171,Ravi,,Dr. Osei",
        "12,Bad,May,Dr. Osei",
      ].join("\n")
      await parley.send("POST", "/api/v1/suppressions", { phone_number: "+16175550171" })
      const chooser = page.waitForEvent("filechooser")
      await page.getByRole("button", { name: "Choose a file" }).click()
      await (await chooser).setFiles({ name: "recall.csv", mimeType: "text/csv", buffer: Buffer.from(list) })
      await page.getByRole("heading", { name: "2 of 3 rows are ready to call" }).waitFor()
      await page.getByRole("button", { name: "Download the invalid row" }).waitFor()
      await page.getByText("your visit to Dr. Osei on, and a hygiene appointment is due.").waitFor()
      await page.reload()
      await page.getByText("recall.csv").first().waitFor()
      await page.getByRole("button", { name: /^United States/ }).waitFor()

      await page.getByRole("button", { name: "Next: pace and hours" }).click()
      const id = new URL(page.url()).searchParams.get("draft") ?? ""
      const { calling_window } = await parley.send("GET", `/api/v1/campaigns/${id}`)
      assert.deepInclude(calling_window, { start: "09:00", end: "20:00", time_zone: "contact" })
      const anyHour = page.getByRole("switch", { name: "Call at any hour, nights included" })
      assert.isFalse(await anyHour.isChecked())
      await anyHour.press("Space")
      await page.getByRole("button", { name: "Next: review" }).click()
      const checklist = page.getByRole("list", { name: "Before you start" })
      for (const line of [
        "1 of 3 rows are left out",
        "1 person of the list is not called",
        "No scenario of this agent has been run",
        "Calls are placed at any hour, nights included.",
        "The cost is unknown: this agent has made no calls yet.",
        "Nora v1 calls",
      ]) {
        await checklist.getByText(line).waitFor()
      }

      await page.getByText(/expected end/).waitFor()
      await page.getByRole("button", { name: "Start calling 1 person" }).click()
      await page.getByRole("heading", { name: "Recall" }).waitFor()
      await parley.send("POST", `/api/v1/campaigns/${id}/stop`)
      await page.getByRole("button", { name: "Use again" }).click()
      await page.getByRole("button", { name: /^Take the [12] not reached/ }).click()
      await page.getByRole("heading", { name: /rows are ready to call/ }).waitFor()
      assert.deepStrictEqual(faults, [])
    },
  )
})
