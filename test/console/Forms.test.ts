/** The forms of the console: what is missing stands at its field, what is typed is saved, and nothing of others is overwritten. */
import { assert } from "@effect/vitest"
import type { Locator, Page } from "playwright-core"
import { says } from "../support/Chromium.ts"
import { contactList, makeAgent, makeCampaign } from "./Company.ts"
import { stories } from "./Stories.ts"

const fill = async (form: Page | Locator, fields: Readonly<Record<string, string>>) => {
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(text)
}

/** The page's own button; an empty list shows it twice. */
const openDialog = (page: Page) =>
  page
    .getByRole("button", { name: /^(Add|New)\b/ })
    .first()
    .click()

/** Sends the dialog empty, reads the sentence at the field, then fills it in. */
const addOne = async (page: Page, verb: string, problem: RegExp, fields: Readonly<Record<string, string>>) => {
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: verb }).click()
  await dialog.getByText(problem).first().waitFor()
  await dialog.locator("[data-invalid] :is(input, textarea):focus").waitFor()
  await fill(dialog, fields)
  await dialog.getByRole("button", { name: verb }).click()
  await dialog.waitFor({ state: "detached" })
}

/** Presses Save after someone else saved the same field: both texts are shown, and mine goes on. */
const saveOver = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click()
  const both = page.getByRole("dialog", { name: /was saved by someone else$/ })
  await both.getByRole("region", { name: /^Theirs/ }).waitFor()
  await both.getByRole("button", { name: "Save mine" }).click()
}

stories("the console's forms", (story) => {
  story(
    "make FAQs, playbooks, numbers and widget keys, and save them over what someone else saved",
    async ({ base, faults, page, parley }) => {
      await page.goto(`${base}/faqs`)
      await openDialog(page)
      await addOne(page, "Create FAQ", /^Must/, {
        Question: "Where can I park?",
        Answer: "Behind the house.",
      })
      await page.getByRole("heading", { name: "Where can I park?" }).waitFor()
      const faq = async () => (await parley.send("GET", "/api/faqs?search=park")).items[0]
      const { id, name } = await faq()
      await fill(page, { Answer: "Ask at the desk." })
      await page.getByText("unsaved", { exact: true }).waitFor()
      await parley.send("PUT", `/api/faqs/${id}`, { answer: "In the yard." })
      await saveOver(page)
      await says(page, `${name} saved.`)
      assert.strictEqual((await faq()).answer, "Ask at the desk.")

      await page.goto(`${base}/playbooks`)
      await openDialog(page)
      await addOne(page, "Create playbook", /^Must/, { Name: "recall-booking", Text: "Offer two dates." })
      await page.getByRole("heading", { name: "recall-booking" }).waitFor()
      await fill(page, { Category: "booking", "Tools it needs": "end_call, book_slot" })
      await page.getByText("There is no tool book_slot yet.").waitFor()
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await says(page, "recall-booking saved.")
      const playbook = await parley.send("GET", "/api/playbooks/recall-booking")
      assert.deepStrictEqual([playbook.category, playbook.tool_names], ["booking", ["end_call", "book_slot"]])

      await page.goto(`${base}/phone-numbers`)
      await openDialog(page)
      await addOne(page, "Add the number", /^Must/, {
        Number: "+1 (617) 555-0100",
        "Calls started per second": "2",
      })
      await page.getByRole("heading", { name: "+1 617 555 0100" }).waitFor()
      const [number] = (await parley.send("GET", "/api/phone-numbers")).items
      assert.deepStrictEqual(number.carrier_config, { calls_per_second: 2 })
      await page.getByRole("button", { name: "Check…" }).click()
      await page.getByText("A lab number is simulated: there is no carrier to ask.").waitFor()
      await page.getByRole("button", { name: "Done" }).click()

      await page.goto(`${base}/do-not-call`)
      await openDialog(page)
      await addOne(page, "Never call it", /^Must/, { Number: "+1 617 555-0142", Reason: "by letter" })
      await page.getByRole("cell", { name: "by letter" }).waitFor()
      await openDialog(page)
      const limited = { Number: "+1 617 555-0142", "Only calls about": "Energy tariffs" }
      await addOne(page, "Never call it", /^Must/, limited)
      await page.getByRole("cell", { name: "Energy tariffs", exact: true }).waitFor()
      await page.getByRole("button", { name: "Remove +1 617 555 0142 about Energy tariffs…" }).click()
      await page.getByRole("button", { name: "Remove", exact: true }).click()
      await page.getByRole("cell", { name: "Energy tariffs", exact: true }).waitFor({ state: "detached" })
      assert.strictEqual((await parley.send("GET", "/api/v1/suppressions")).total, 1)

      await makeAgent(parley, "Nora")
      await page.goto(`${base}/widget-keys`)
      await openDialog(page)
      await fill(page.getByRole("dialog"), { Colour: "blue" })
      await addOne(page, "Create key", /^Must/, { Name: "Site", Origins: "https://a.example", Colour: "#0044ff" })
      const [key] = (await parley.send("GET", "/api/v1/widget-keys")).items
      assert.deepStrictEqual([key.origins, key.theme.color], [["https://a.example"], "#0044ff"])
      assert.deepStrictEqual(faults, [])
    },
  )

  story(
    "change a campaign's settings over what someone else saved of the same",
    async ({ base, faults, page, parley }) => {
      const agent_id = await makeAgent(parley, "Nora")
      const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
        number: "+16175550100",
        carrier: "lab",
      })
      const id = await makeCampaign(parley, contactList(3), { name: "Recall", agent_id, phone_number_id })
      await page.goto(`${base}/campaigns/${id}/settings`)
      await fill(page, { Name: "" })
      await page.getByText(/^Must/).waitFor()
      assert.isTrue(await page.getByRole("button", { name: "Save", exact: true }).isDisabled())
      await fill(page, { Name: "Recall in May" })
      await parley.send("PUT", `/api/v1/campaigns/${id}`, { name: "Recall in June" })
      await saveOver(page)
      await says(page, "Recall in May is changed.")
      assert.strictEqual((await parley.send("GET", `/api/v1/campaigns/${id}`)).name, "Recall in May")
      assert.deepStrictEqual(faults, [])
    },
  )
})
