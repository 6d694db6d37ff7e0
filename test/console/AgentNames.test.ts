/** An agent's page is found by its id: it stays when the agent is renamed or rolled back, and old links lead to it. */
import { assert } from "@effect/vitest"
import { says } from "../support/Chromium.ts"
import { makeAgent } from "./Company.ts"
import { stories } from "./Stories.ts"

stories("the console", (story) => {
  story(
    "stays on the page of an agent that is renamed or rolled back, and leads links with a name to the id",
    async ({ base, faults, page, parley }) => {
      const id = await makeAgent(parley, "Nora")
      await page.goto(`${base}/agents/Nora/voice`)
      await page.waitForURL(`${base}/agents/${id}/voice`)
      await page.getByLabel("Name", { exact: true }).fill("Iris")
      await page.keyboard.press("Control+s")
      await says(page, "Iris v2 saved.")
      await page.getByRole("heading", { name: "Iris", level: 1 }).waitFor()
      assert.strictEqual(page.url(), `${base}/agents/${id}/voice`)
      assert.strictEqual(await page.getByRole("alertdialog", { name: /^Leave/ }).count(), 0)

      // Each tab of it is there, and after a reload too.
      await page.getByRole("link", { name: /^Versions/ }).click()
      await page
        .getByText("/agent/name")
        .or(page.getByText("Name", { exact: true }))
        .first()
        .waitFor()
      await page.reload()
      await page.getByRole("heading", { name: "Iris", level: 1 }).waitFor()

      await parley.send("PUT", `/api/agents/${id}`, { description: "Books appointments." })
      await page.getByRole("link", { name: /^v1\b/ }).click()
      await page.getByRole("button", { name: "Roll back to v1" }).click()
      await page.getByText("It keeps the name Iris.").waitFor()
      await page.getByRole("dialog").getByRole("button", { name: "Roll back to v1" }).click()
      await says(page, "Iris v4 is v1 again.")
      await page.getByRole("heading", { name: "Iris", level: 1 }).waitFor()
      const back = await parley.send("GET", `/api/agents/${id}`)
      assert.strictEqual(back.name, "Iris")
      assert.strictEqual(back.description, "")

      const { id: tool } = await parley.send("GET", "/api/tools/end_call")
      await page.goto(`${base}/tools/end_call`)
      await page.waitForURL(`${base}/tools/${tool}`)
      const playbook = await parley.send("POST", "/api/playbooks", { name: "booking", prompt: "Book." })
      await page.goto(`${base}/playbooks/booking`)
      await page.waitForURL(`${base}/playbooks/${playbook.id}`)
      await page.getByLabel("Name", { exact: true }).fill("appointments")
      await page.keyboard.press("Control+s")
      await says(page, "appointments saved.")
      await page.getByRole("heading", { name: "appointments" }).first().waitFor()
      assert.strictEqual(page.url(), `${base}/playbooks/${playbook.id}`)
      const faq = await parley.send("POST", "/api/faqs", { question: "Where do I park?", answer: "Behind." })
      await page.goto(`${base}/faqs/${faq.name}`)
      await page.waitForURL(`${base}/faqs/${faq.id}`)
      assert.deepStrictEqual(faults, [])
    },
  )
})
