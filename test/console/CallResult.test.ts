/** A result that was read from the transcript, on the page of the call: each value leads to the words that say it. */
import { assert } from "@effect/vitest"
import { violations } from "../support/Chromium.ts"
import { until } from "../support/Until.ts"
import { stories } from "./Stories.ts"

stories("the console", (story) => {
  story("shows what came of a call, with the words that say it", async ({ base, faults, page, parley }) => {
    const agent = await parley.send("POST", "/api/agents", {
      name: "Nora",
      system_prompt: "You are Nora.\nAsk: Does Friday suit you?\nRecord: suits_friday",
      first_message: "Hello, this is Nora.",
      outcome_schema: {
        type: "object",
        properties: { suits_friday: { type: "boolean" }, wishes: { type: "string" } },
      },
      dispositions: [
        { key: "interested", label: "Wants an offer" },
        { key: "wrong_number", label: "Does not know the customer", final: true },
      ],
    })
    const number = await parley.send("POST", "/api/phone-numbers", { number: "+16175550100", carrier: "lab" })
    const { id } = await parley.send("POST", "/api/v1/calls", {
      agent_id: agent.id,
      phone_number_id: number.id,
      to: "+16175550101",
    })
    await page.goto(`${base}/calls/${id}`)
    // The page goes on asking until the result is there.
    const outcome = page.getByRole("region", { name: "Outcome" })
    await outcome.getByText("read from the transcript", { exact: true }).waitFor()
    assert.match(await page.title(), /617 555 0101 – Parley$/)
    // The lab talks faster than people, so the length of the call and the times of its words differ.
    await page.getByText(/at lab speed × \d+/).waitFor()
    const { result_fields } = await parley.send("GET", `/api/v1/calls/${id}`)
    const [suits] = result_fields
    assert.deepInclude(suits, { value: true, source: "extracted" })
    await outcome.getByText("suits friday").waitFor()
    await outcome.getByText("not said").waitFor()
    await outcome.getByRole("link", { name: suits.quote.text }).click()
    const second = Math.floor(suits.quote.started_ms / 1000)
    await until(() => new URL(page.url()).searchParams.get("t") === String(second))

    const disposition = page.getByRole("region", { name: "Disposition" })
    await disposition.getByRole("button").click()
    await page.getByRole("option", { name: "Does not know the customer" }).click()
    await disposition.getByText(/^set by .+@/).waitFor()
    const notes = page.getByRole("region", { name: "Notes" })
    await notes.getByLabel("New note").fill("Moved away.\nAsk for the new address.")
    await notes.getByRole("button", { name: "Add note" }).click()
    // The text alone is also in the field, before the note is stored.
    await notes.getByRole("button", { name: "Delete note" }).waitFor()
    const changed = await parley.send("GET", `/api/v1/calls/${id}`)
    assert.deepInclude(changed.disposition, { key: "wrong_number", source: "person" })
    assert.strictEqual(changed.notes[0].text, "Moved away.\nAsk for the new address.")
    assert.deepStrictEqual(await violations(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    const overflow = () => page.evaluate(() => (document.scrollingElement?.scrollWidth ?? 0) - innerWidth)
    assert.isAtMost(await overflow(), 0)

    await page.goto(`${base}/agents/${agent.id}/voice`)
    const editor = page.getByRole("region", { name: "Dispositions" })
    await editor.getByRole("button", { name: "Add a disposition" }).click()
    await editor.getByLabel("Words 3").fill("2nd call: später")
    await until(async () => (await editor.getByLabel("Key 3").inputValue()) === "nd_call_spater")
    await editor.getByLabel("Key 3").fill("call later")
    await editor.getByText(/^Must be 1 to 50 of a-z/).waitFor()
    await editor.getByLabel("Key 3").fill("call_later")
    assert.deepStrictEqual(await violations(page), [], "dispositions of an agent")
    assert.isAtMost(await overflow(), 0)
    await page.getByRole("button", { name: "Save as v2" }).click()
    const stored = async () => (await parley.send("GET", `/api/agents/${agent.id}`)).dispositions
    await until(async () => (await stored()).length === 3)
    assert.deepStrictEqual(await stored(), [...agent.dispositions, { key: "call_later", label: "2nd call: später" }])
    assert.deepStrictEqual(faults, [])
  })
})
