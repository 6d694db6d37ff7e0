/** Lists that are longer than one answer of the server: the console finds what is behind the hundredth, and counts it. */
import { assert } from "@effect/vitest"
import { violations } from "../support/Chromium.ts"
import { adminToken, contactList, makeAgent, makeCampaign, type Parley } from "./Company.ts"
import { stories } from "./Stories.ts"

/** One more than an answer of the server holds, and a few. */
const many = 104

const addMembers = async ({ account, url }: Parley) => {
  const headers = {
    authorization: `Bearer ${await adminToken(url)}`,
    "x-admin": "true",
    "content-type": "application/json",
  }
  const emails = Array.from({ length: many }, (_, at) => `member-${String(at).padStart(3, "0")}@example.com`)
  for (const email of emails) {
    const body = JSON.stringify({ email, role: "viewer" })
    const { status } = await fetch(`${url}/api/admin/accounts/${account}/members`, { method: "POST", headers, body })
    assert.strictEqual(status, 201)
  }
}

/** A day on which nothing is dialled while the test runs. */
const anotherDay = () => {
  const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
  return days[(new Date().getUTCDay() + 3) % 7]
}

stories("long lists", (story) => {
  story("find a member behind the first hundred", async ({ base, faults, page, parley }) => {
    await addMembers(parley)
    await page.goto(`${base}/account`)
    const members = page.getByRole("region", { name: "Members" })
    // The server lists the newest first: the oldest one is on its second page.
    await members.getByRole("heading", { name: /^10\d members$/ }).waitFor()
    await members.getByText(/^\d more\. Type to narrow the list\.$/).waitFor()
    assert.strictEqual(await members.getByText("member-000@example.com", { exact: true }).count(), 0)
    await members.getByRole("searchbox", { name: "Find a member" }).fill("Member-000")
    await members.getByText("member-000@example.com", { exact: true }).waitFor()
    assert.strictEqual(await members.getByRole("listitem").count(), 1)
    await members.getByRole("searchbox", { name: "Find a member" }).fill("nobody")
    await members.getByText("No member fits.").waitFor()
    assert.deepStrictEqual(await violations(page), [], "members")
    assert.deepStrictEqual(faults, [])
  })

  story("count every campaign that calls with a version of an agent", async ({ base, faults, page, parley }) => {
    const agent_id = await makeAgent(parley, "Nora")
    const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
      number: "+16175550100",
      carrier: "lab",
    })
    const calling_window = { days: [anotherDay()], start: "09:00", end: "10:00", time_zone: "UTC" }
    const fields = { agent_id, phone_number_id, max_concurrent_calls: 1, calling_window }
    for (let at = 0; at < many; at++) {
      const id = await makeCampaign(parley, contactList(1), { name: `Recall ${at}`, ...fields })
      await parley.send("POST", `/api/v1/campaigns/${id}/start`)
      await parley.send("POST", `/api/v1/campaigns/${id}/pause`)
    }
    await page.goto(`${base}/agents`)
    await page.getByText(`v1 in ${many} campaigns`).waitFor()
    await page.getByRole("link", { name: "Nora" }).click()
    await page.getByText(`v1 is on the phone in ${many} campaigns`).waitFor()
    assert.deepStrictEqual(faults, [])
  })
})
