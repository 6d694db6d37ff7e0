/**
 * A running campaign that dials no more: its carrier failed, the people who are left asked to be called back, or its
 * money is spent.
 */
import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { violations } from "../support/Chromium.ts"
import { until } from "../support/Until.ts"
import { makeAgent, makeCampaign } from "./Company.ts"
import { stories } from "./Stories.ts"

/** Numbers that end in 90 fail at the lab's carrier. */
const failing = ["phone_number", ...Array.from({ length: 60 }, (_, at) => `+1415555${String(at).padStart(2, "0")}90`)]

stories(
  "the console",
  (story) => {
    story("says why the carrier's failures paused a campaign", async ({ base, faults, page, parley }) => {
      const agent_id = await makeAgent(parley, "Nora")
      const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
        number: "+16175550100",
        carrier: "lab",
        carrier_config: { calls_per_second: 50 },
      })
      const id = await makeCampaign(parley, failing.join("\n"), {
        name: "Recall",
        agent_id,
        phone_number_id,
        max_concurrent_calls: 2,
      })
      await parley.send("POST", `/api/v1/campaigns/${id}/start`)
      await until(async () => (await parley.send("GET", `/api/v1/campaigns/${id}`)).status === "paused")
      const { waiting_detail } = await parley.send("GET", `/api/v1/campaigns/${id}`)
      await page.goto(`${base}/campaigns/${id}`)
      await page.getByRole("status").getByText(waiting_detail).waitFor()
      assert.deepStrictEqual(await violations(page), [], "a paused campaign")
      assert.deepStrictEqual(faults, [])
    })

    story("shows who is called back and when on their clock, and moves and cancels a callback", async (tab) => {
      const { base, faults, page, parley } = tab
      const agent_id = await makeAgent(parley, "Nora")
      for (const tool_name of ["schedule_callback", "end_call"]) {
        await parley.send("POST", `/api/agents/${agent_id}/tools`, { tool_name })
      }
      const number = { number: "+16175550101", carrier: "lab" }
      const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", number)
      const list = [
        "phone_number,first_name,time_zone",
        "+14155550040,Ada,America/Los_Angeles",
        "+13125550141,Ben,America/Chicago",
      ]
      const settings = { name: "Recall", agent_id, phone_number_id, max_concurrent_calls: 2, retries_per_contact: 2 }
      const id = await makeCampaign(parley, list.join("\n"), settings)
      const path = `/api/v1/campaigns/${id}`
      await page.goto(`${base}/campaigns/new?draft=${id}&step=pace`)
      await page.getByRole("button", { name: /notes it for the staff/ }).click()
      await page.getByRole("option", { name: "Call again at that time, once" }).click()
      await until(async () => (await parley.send("GET", path)).callbacks_per_contact === 1)
      await page.getByRole("button", { name: /Call them as anyone else/ }).click()
      await page.getByRole("option", { name: "Leave them alone for 7 days" }).click()
      await until(async () => (await parley.send("GET", path)).quiet_after_answer_seconds === 604_800)
      await page.getByText("Other retries for some outcomes").click()
      await page.getByRole("button", { name: "Retries after busy" }).click()
      await page.getByRole("option", { name: "Never" }).click()
      await page.getByRole("button", { name: "Delay after no answer" }).click()
      await page.getByRole("option", { name: "4 h" }).click()
      const rules = { busy: { retries: 0 }, no_answer: { delay_seconds: 14_400 } }
      await until(async () => isDeepStrictEqual((await parley.send("GET", path)).retry_by_outcome, rules))
      assert.deepStrictEqual(await violations(page), [], "the step of slots, retries and calling hours")
      await page.getByRole("switch", { name: /Florida.*no more than three calls.*1 duty not checked/is }).press("Space")
      await page.getByRole("textbox", { name: "Subject of the calls" }).fill("Recall")
      await page.getByRole("textbox", { name: "Subject of the calls" }).blur()
      await until(async () => (await parley.send("GET", path)).subject === "Recall")
      await page.getByRole("switch", { name: /^Opt-outs cover this subject only/ }).press("Space")
      await until(async () => (await parley.send("GET", path)).opt_out_scope === "subject")
      assert.deepStrictEqual((await parley.send("GET", path)).rule_packs, ["us-florida"])
      await parley.send("POST", `${path}/start`)
      await until(async () => (await parley.send("GET", `${path}/callbacks`)).total === 2)
      await page.goto(`${base}/campaigns/${id}`)
      const panel = page.getByRole("region", { name: "Callbacks" })
      await panel.getByText("3:00 PM in Chicago").waitFor()
      await page.getByText("Everyone left asked to be called back.").waitFor()
      assert.deepStrictEqual(await violations(page), [], "a campaign with callbacks")

      await panel.getByRole("link", { name: "Ada" }).click()
      await page.getByText(/^Called back .* 3:00 PM in Los Angeles\.$/).waitFor()
      await page.getByRole("button", { name: "Move…" }).click()
      const time = page.getByLabel("Time in Los Angeles")
      await time.fill("2020-01-01T10:00")
      await page.getByRole("button", { name: "Move the callback" }).click()
      await page.getByText("must be in the future").first().waitFor()
      const dayAfterTomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
      await time.fill(`${dayAfterTomorrow}T10:30`)
      await page.getByRole("button", { name: "Move the callback" }).click()
      await page.getByText(/^Called back .*10:30 AM in Los Angeles\.$/).waitFor()
      assert.deepStrictEqual(await violations(page), [], "a contact with a callback")

      await page.getByRole("link", { name: "All campaigns and calls" }).click()
      await page.getByText(/^Not on the do-not-call list · called 1 time today/).waitFor()
      await page
        .getByRole("table", { name: "Campaigns" })
        .getByText(/^callback /)
        .waitFor()
      assert.deepStrictEqual(await violations(page), [], "a person")
      await page.goBack()

      await page.getByRole("button", { name: "Cancel callback…" }).click()
      await page.getByRole("button", { name: "Cancel the callback" }).click()
      await page.getByText("Not called again: a person was reached.").waitFor()
      assert.strictEqual((await parley.send("GET", `${path}/callbacks`)).total, 1)

      const dispositions = [
        { key: "interested", label: "Wants an offer" },
        { key: "moved", label: "Moved away", final: true },
      ]
      await parley.send("PUT", `/api/agents/${agent_id}`, { dispositions })
      const [called] = (await parley.send("GET", `${path}/contacts?search=Ada`)).items
      await parley.send("PUT", `/api/v1/calls/${called.last_call_id}/disposition`, { key: "interested" })
      await page.goto(`${base}/campaigns/${id}`)
      const counted = page.getByRole("table", { name: "Calls by disposition" })
      await counted.getByRole("row", { name: "Wants an offer 1 100%" }).waitFor()
      await counted.getByRole("row", { name: "Moved away ends the contact 0 0%" }).waitFor()
      assert.deepStrictEqual(await violations(page), [], "a campaign with dispositions")
      await counted.getByRole("link", { name: "Wants an offer" }).click()
      await page
        .getByRole("table", { name: "Calls" })
        .getByRole("row", { name: /^Ada .*Wants an offer/ })
        .waitFor()
      await page.getByRole("button", { name: /Disposition/ }).click()
      await page.getByRole("option", { name: "Moved away" }).click()
      await page.getByText("No call fits these filters").waitFor()
      await page.goto(`${base}/campaigns/${id}/contacts?disposition=interested`)
      await page.getByRole("button", { name: "Export 1 contact" }).waitFor()
      await page.getByRole("link", { name: /415 555 0040/ }).waitFor()

      await page.goto(`${base}/campaigns/${id}/contacts`)
      await page.getByRole("button", { name: "Add contacts…" }).click()
      const rows = [
        "phone_number,external_id,first_name,rank",
        "+13125550102,lead-2,Eva,high",
        "+13125550101,lead-1,Cem,70",
        "+13125550141,,Ben,",
        "12,,Dee,",
      ]
      await page
        .getByLabel("CSV file")
        .setInputFiles({ name: "more.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) })
      await page.getByRole("button", { name: /Who is called first/ }).click()
      await page.getByRole("option", { name: "rank, the highest first" }).click()
      await page.getByRole("button", { name: "Add 4 rows" }).click()
      await page.getByText("1 contact added, 1 in the campaign already, 2 refused.").waitFor()
      assert.deepStrictEqual(await violations(page), [], "the dialog of additions")
      const download = page.waitForEvent("download")
      await page.getByRole("button", { name: "Download the report on each row" }).click()
      const report = readFileSync(await (await download).path(), "utf8").split("\n")
      assert.match(report[1] ?? "", /^2,\+13125550102,lead-2,refused,,"?high is no priority/)
      assert.match(report[2] ?? "", /^3,\+13125550101,lead-1,created,[0-9a-f-]{36},$/)
      assert.match(report[3] ?? "", /^4,\+13125550141,,duplicate,/)
      assert.match(report[4] ?? "", /^5,12,,refused,,12 has no country code/)
      const [added] = (await parley.send("GET", `${path}/contacts?search=Cem`)).items
      assert.strictEqual(added.priority, 70)

      await page.goto(`${base}/campaigns/${id}/contacts?status=pending&outcome=answered`)
      await page.getByRole("button", { name: "Call again…" }).click()
      await page.getByLabel("Name of the new campaign").fill("Second round")
      assert.deepStrictEqual(await violations(page), [], "the dialog of a second round")
      await page.getByRole("button", { name: "Make the draft" }).click()
      await page.getByRole("button", { name: "Next: review" }).waitFor()
      const { items } = await parley.send("GET", "/api/v1/campaigns?search=Second")
      assert.deepInclude(items[0], { status: "draft", retry_by_outcome: rules })
      assert.strictEqual(items[0].counts.total, 1)

      await page.goto(`${base}/receipts`)
      const { hash } = await until(async () => {
        const head = await parley.send("GET", "/api/v1/receipts/head")
        return head.seal > 0 && head
      })
      await page.getByText(`parley receipts verify receipts.jsonl --head ${hash}`).waitFor()
      assert.deepStrictEqual(await violations(page), [], "the receipts")
      await page.getByLabel("From").fill("2020-01-01")
      const saved = page.waitForEvent("download")
      await page.getByRole("button", { name: "Download" }).click()
      assert.include(readFileSync(await (await saved).path(), "utf8"), "+14155550040")
      assert.deepStrictEqual(faults, [])
    })

    story(
      "limits what a campaign spends, says that it waits for money, and dials on when the limit is raised",
      async ({ base, faults, page, parley }) => {
        const agent_id = await makeAgent(parley, "Nora")
        const number = { number: "+16175550102", carrier: "lab" }
        const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", number)
        const list = ["phone_number", "+14155550101", "+14155550201"].join("\n")
        const settings = { name: "Recall", agent_id, phone_number_id, max_concurrent_calls: 2 }
        const id = await makeCampaign(parley, list, settings)
        const path = `/api/v1/campaigns/${id}`
        await page.goto(`${base}/campaigns/new?draft=${id}&step=pace`)
        const limit = page.getByLabel("Spend at most, in US dollars")
        await limit.fill("1,50")
        await limit.blur()
        await page.getByText("An amount such as 50.00.").waitFor()
        await limit.fill("1.5")
        await limit.blur()
        await until(async () => (await parley.send("GET", path)).max_spend === "1.50")
        assert.deepStrictEqual(await violations(page), [], "a limit in the wizard")
        await parley.send("POST", `${path}/start`)
        await page.goto(`${base}/campaigns/${id}`)
        await page.getByText("What is left to spend doesn't cover the next call.").waitFor()
        await page.getByText("of $1.50 spent, $0.00 reserved").waitFor()
        assert.deepStrictEqual(await violations(page), [], "a campaign that waits for money")
        await page.goto(base)
        const needs = page.getByRole("region", { name: "What needs you" })
        await needs.getByText(/^Recall waits, because what is left .*Raise the limit to continue\.$/).waitFor()
        await page.goto(`${base}/campaigns/${id}/settings`)
        await limit.fill("20")
        await page.getByRole("button", { name: "Save" }).click()
        await until(async () => (await parley.send("GET", path)).status === "completed")
        assert.deepStrictEqual(faults, [])
      },
    )
  },
  { LAB_SPEED: "60", PARLEY_PRICES_FILE: "examples/prices.json" },
)
