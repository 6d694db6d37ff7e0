/** A campaign that its carrier failed: its page says why it was paused, with the figures. */
import { assert } from "@effect/vitest"
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
  },
  { LAB_SPEED: "60" },
)
