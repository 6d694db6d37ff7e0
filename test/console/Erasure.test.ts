/** A member deletes a call and erases a person, each after a question that says what it means. */
import { assert } from "@effect/vitest"
import { says, violations } from "../support/Chromium.ts"
import { until } from "../support/Until.ts"
import { makeAgent, makeCampaign } from "./Company.ts"
import { stories } from "./Stories.ts"

stories("the console", (story) => {
  story("deletes a call, and erases a person from the drawer of a contact", async ({ base, faults, page, parley }) => {
    const agent_id = await makeAgent(parley, "Nora")
    const number = await parley.send("POST", "/api/phone-numbers", { number: "+16175550100", carrier: "lab" })
    const csv = "phone_number,first_name\n+16175550101,Ada\n+16175550102,Grace\n"
    const id = await makeCampaign(parley, csv, { name: "Recall", agent_id, phone_number_id: number.id })
    await parley.send("POST", `/api/v1/campaigns/${id}/start`)
    await until(async () => (await parley.send("GET", `/api/v1/campaigns/${id}`)).ended_at !== null)
    const contacts = async () => (await parley.send("GET", `/api/v1/campaigns/${id}/contacts`)).items
    const [ada, grace] = await contacts()

    await page.goto(`${base}/calls/${ada.last_call_id}`)
    await page.getByRole("button", { name: "Delete…" }).click()
    const question = page.getByRole("alertdialog", { name: "Delete the call with Ada?" })
    await question.getByRole("button", { name: "Keep it" }).click()
    await page.getByRole("button", { name: "Delete…" }).click()
    assert.deepStrictEqual(await violations(page), [], "the question")
    await question.getByRole("button", { name: "Delete the call" }).click()
    await says(page, "The call with Ada is deleted.")
    await page.waitForURL(/\/calls$/)

    await page.goto(`${base}/campaigns/${id}/contacts?contact=${grace.id}`)
    await page.getByRole("button", { name: "Erase person…" }).click()
    const erase = page.getByRole("alertdialog", { name: "Erase everything about +1 617 555 0102?" })
    await erase.getByRole("button", { name: "Erase the person" }).click()
    await says(page, "+1 617 555 0102 is erased: 1 call, 0 recordings, 1 contact.")
    await page.getByRole("heading", { name: "Erased" }).waitFor()
    assert.deepStrictEqual(await violations(page), [], "an erased contact")
    const [, erased] = await contacts()
    assert.deepInclude(erased, { phone_number: null, custom_fields: {} })
    assert.deepStrictEqual(faults, [])
  })

  story("withdraws a contact from its campaign, and says what became of it", async ({ base, faults, page, parley }) => {
    const agent_id = await makeAgent(parley, "Nora")
    const number = await parley.send("POST", "/api/phone-numbers", { number: "+16175550100", carrier: "lab" })
    const csv = "phone_number,first_name\n+16175550101,Ada\n"
    const id = await makeCampaign(parley, csv, { name: "Recall", agent_id, phone_number_id: number.id })
    const [ada] = (await parley.send("GET", `/api/v1/campaigns/${id}/contacts`)).items
    await page.goto(`${base}/campaigns/${id}/contacts?contact=${ada.id}`)
    await page.getByRole("button", { name: "Withdraw…" }).click()
    const question = page.getByRole("alertdialog", { name: "Withdraw Ada from this campaign?" })
    assert.deepStrictEqual(await violations(page), [], "the question")
    await question.getByRole("button", { name: "Withdraw the contact" }).click()
    await says(page, "Ada is withdrawn.")
    await page.getByText("Skipped: withdrawn from the campaign.").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Withdraw…" }).count(), 0)
    assert.deepStrictEqual(faults, [])
  })
})
