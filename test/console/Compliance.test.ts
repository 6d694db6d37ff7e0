/** What a campaign may dial, and from which numbers, in the console: the ledger of consents, rule packs, caller numbers. */
import { assert } from "@effect/vitest"
import { violations } from "../support/Chromium.ts"
import { until } from "../support/Until.ts"
import { makeAgent, makeCampaign } from "./Company.ts"
import { stories } from "./Stories.ts"

stories(
  "the console",
  (story) => {
    story("records a consent, lets a campaign require it, and withdraws it", async (tab) => {
      const { base, faults, page, parley } = tab
      await page.goto(`${base}/consents`)
      await page.getByText("No consent is recorded").waitFor()
      await page.getByRole("button", { name: "Record a consent" }).first().click()
      await page.getByRole("textbox", { name: "Number" }).fill("12")
      await page.getByRole("button", { name: "Record it" }).click()
      await page.locator("[data-invalid]").first().waitFor()
      await page.getByRole("textbox", { name: "Number" }).fill("+1 312 555 0101")
      await page.getByLabel("Words that they were shown or told").fill("Yes, call me.")
      await page.getByRole("textbox", { name: "Source" }).fill("https://example.com/form")
      assert.deepStrictEqual(await violations(page), [], "the dialog of a consent")
      await page.getByRole("button", { name: "Record it" }).click()
      await page.getByRole("cell", { name: "Agreed in writing" }).waitFor()
      assert.deepStrictEqual(await violations(page), [], "the ledger")

      const agent_id = await makeAgent(parley, "Nora")
      const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
        number: "+16175550101",
        carrier: "lab",
      })
      const settings = { name: "Recall", agent_id, phone_number_id, max_concurrent_calls: 2 }
      const id = await makeCampaign(parley, "phone_number\n+13125550101\n+13125550102", settings)
      const path = `/api/v1/campaigns/${id}`
      await page.goto(`${base}/campaigns/new?draft=${id}&step=pace`)
      await page.getByRole("switch", { name: "Call only people whose consent is recorded" }).press("Space")
      await page.getByRole("switch", { name: "Existing customer" }).press("Space")
      await until(async () => (await parley.send("GET", path)).required_consent?.basis.length === 3)
      await page.getByText("1 will not be called").waitFor()
      await parley.send("POST", `${path}/start`)
      await until(async () => (await parley.send("GET", path)).end_reason === "finished")
      const { counts } = await parley.send("GET", path)
      assert.deepInclude(counts, { completed: 1, skipped: 1 })

      await page.goto(`${base}/consents?q=312`)
      await page.getByRole("button", { name: "Withdraw the consents of +1 312 555 0101…" }).click()
      await page.getByRole("button", { name: "Withdraw", exact: true }).click()
      await page.getByRole("cell", { name: "Withdrew" }).waitFor()
      const { items } = await parley.send("GET", "/api/v1/consents")
      assert.strictEqual(items.length, 2)
      assert.deepStrictEqual(faults, [])
    })

    story(
      "shows each rule with its source, adds a pack to a campaign that runs, and asks before it removes one",
      async ({ base, faults, page, parley }) => {
        await page.goto(`${base}/rule-packs`)
        const florida = page.getByRole("region", { name: "Florida" })
        await florida.getByRole("row", { name: /only from 8 a.m. to 8 p.m.*checked.*SB 1120/ }).waitFor()
        await florida.getByRole("row", { name: /All parties must consent to a recording not checked/ }).waitFor()
        assert.deepStrictEqual(await violations(page), [], "rule packs")

        const agent_id = await makeAgent(parley, "Rosa")
        const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
          number: "+16175550102",
          carrier: "lab",
        })
        const numbers = Array.from({ length: 90 }, (_, at) => `+131255502${String(at).padStart(2, "0")}`)
        const settings = { name: "Reminder", agent_id, phone_number_id, max_concurrent_calls: 1 }
        const id = await makeCampaign(parley, ["phone_number", ...numbers].join("\n"), settings)
        const path = `/api/v1/campaigns/${id}`
        await parley.send("POST", `${path}/start`)
        await parley.send("POST", `${path}/pause`)
        const packs = async () => (await parley.send("GET", path)).rule_packs
        await page.goto(`${base}/campaigns/${id}/settings`)
        const pack = page.getByRole("switch", { name: /^Florida/ })
        await pack.press("Space")
        await until(async () => (await packs()).join() === "us-florida")
        await page.getByText(/version 2026-/).waitFor()
        assert.deepStrictEqual(await violations(page), [], "rules of a campaign")
        await pack.press("Space")
        await page.getByRole("button", { name: "Keep it" }).click()
        assert.deepStrictEqual(await packs(), ["us-florida"])
        await pack.press("Space")
        await page.getByRole("button", { name: "Remove the pack" }).click()
        await until(async () => (await packs()).length === 0)
        await page.getByText("No pack is chosen, so no rule of law is checked.").waitFor()
        await parley.send("POST", `${path}/stop`)
        assert.deepStrictEqual(faults, [])
      },
    )

    story(
      "limits and rests a number, and lets a campaign call from several, also after its list is replaced",
      async ({ base, faults, page, parley }) => {
        const add = (number: string) => parley.send("POST", "/api/phone-numbers", { number, carrier: "lab" })
        const [first, second] = [await add("+16175550101"), await add("+16175550102")]
        await page.goto(`${base}/phone-numbers/${second.id}`)
        await page.getByLabel("Calls per day, at most").fill("a20")
        await page.getByLabel("Seconds between calls, at least").fill("3")
        await page.getByRole("button", { name: "Save", exact: true }).click()
        const use = page.getByRole("region", { name: "Calls from this number" })
        await use.getByText("0 of 20", { exact: true }).waitFor()
        assert.strictEqual(await use.getByText("–", { exact: true }).count(), 3)
        await use.getByRole("button", { name: "Let it rest…" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel(/^Until/).fill("2020-01-01T09:00")
        await dialog.getByLabel("Why").fill("Complaints")
        await dialog.getByRole("button", { name: "Let it rest" }).click()
        await dialog.getByText("Must be in the future").first().waitFor()
        assert.deepStrictEqual(await violations(page), [], "the dialog of a rest")
        await dialog.getByLabel(/^Until/).fill("")
        await dialog.getByRole("button", { name: "Let it rest" }).click()
        await use.getByText("Complaints").waitFor()
        const asked = async () => parley.send("GET", `/api/v1/caller-numbers/${second.id}`)
        assert.deepInclude(await asked(), { state: "resting", max_calls_per_day: 20, min_seconds_between_calls: 3 })
        await use.getByRole("button", { name: "Call again" }).click()
        await use.getByText("May call").waitFor()
        assert.deepInclude(await asked(), { state: "free", rest: null })
        assert.deepStrictEqual(await violations(page), [], "a number")

        const agent_id = await makeAgent(parley, "Ines")
        const settings = { name: "Survey", agent_id, phone_number_id: first.id, max_concurrent_calls: 1 }
        const draft = await makeCampaign(parley, "phone_number\n+13125550301", settings)
        const pool = async (id = draft) => {
          const { caller_numbers, local_presence, number_rest } = await parley.send("GET", `/api/v1/campaigns/${id}`)
          return { caller_numbers, local_presence, number_rest }
        }
        await page.goto(`${base}/campaigns/new?draft=${draft}&step=pace`)
        await page.getByRole("button", { name: /Call from further numbers/ }).click()
        await page.getByRole("option", { name: /\+1 617 555 0102/ }).click()
        await page.getByRole("switch", { name: /^Prefer a number/ }).press("Space")
        await page.getByRole("switch", { name: /^Let a number rest/ }).press("Space")
        const calls = page.getByLabel("Calls in 7 days before a number is compared")
        await calls.fill("49")
        await page
          .getByText(/^Must be .*50/)
          .first()
          .waitFor()
        await calls.fill("200")
        await page.getByLabel("Hours of rest").fill("48")
        await page.getByLabel("Hours of rest").blur()
        const wanted = {
          caller_numbers: [second.id],
          local_presence: true,
          number_rest: { min_calls: 200, rest_hours: 48 },
        }
        await until(async () => JSON.stringify(await pool()) === JSON.stringify(wanted))
        assert.deepStrictEqual(await violations(page), [], "the numbers of a campaign")

        await page.goto(`${base}/campaigns/new?draft=${draft}&step=contacts`)
        const list = { name: "b.csv", mimeType: "text/csv", buffer: Buffer.from("phone_number\n+13125550302") }
        await page.locator("input[type=file]").setInputFiles(list)
        await page.waitForURL((url) => ![null, draft].includes(url.searchParams.get("draft")))
        const replaced = new URL(page.url()).searchParams.get("draft")!
        assert.deepStrictEqual(await pool(replaced), wanted)
        await page.goto(`${base}/campaigns/${replaced}/settings`)
        await page.getByText("from +1 617 555 0101 and 1 more").waitFor()
        await page.getByRole("row", { name: "+1 617 555 0102 May call –" }).waitFor()
        assert.deepStrictEqual(await violations(page), [], "the pool of a campaign")

        await page.goto(`${base}/campaigns/new?draft=${replaced}&step=pace`)
        await page.getByRole("button", { name: "Remove +1 617 555 0102" }).click()
        await until(async () => (await pool(replaced)).caller_numbers.length === 0)
        await page.getByText("Without further numbers, each call comes from the same one.").waitFor()
        assert.deepStrictEqual(faults, [])
      },
    )
  },
  { LAB_SPEED: "60" },
)
