/** Figures of a page agree with one another at every moment, and what is not known yet is not shown as zero. */
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { until } from "../support/Until.ts"
import { contactList, makeAgent, makeCampaign } from "./Company.ts"
import { stories } from "./Stories.ts"

/** What the live page of a campaign says in one instant, wherever it says it. */
const figuresOf = (page: Page) =>
  page.evaluate(() => {
    const numbers = (text: string | null | undefined) =>
      [...(text ?? "").replaceAll(",", "").matchAll(/\d+/g)].map(([digits]) => Number(digits))
    const all = (selector: string) => [...document.querySelectorAll(selector)]
    const named = (selector: string, word: string) =>
      all(selector).find(({ textContent }) => textContent.includes(word))?.textContent
    const labelled = (selector: string) => document.querySelector(selector)?.getAttribute("aria-label")
    const parts = all(".Progress-counts li").map(({ textContent }) => numbers(textContent)[0] ?? Number.NaN)
    const [talking = Number.NaN, ringing = Number.NaN, free = Number.NaN] = numbers(labelled(".SlotRing"))
    return {
      total: numbers(named(".Progress-figures p", "done"))[2],
      parts,
      completed: parts[0] ?? Number.NaN,
      outcomes: numbers(document.querySelector(".Outcomes-panel .panel-title")?.textContent)[0],
      legend: all(".Outcomes-legend td:nth-of-type(1)").map(({ textContent }) => numbers(textContent)[0] ?? Number.NaN),
      slots: [
        talking + ringing,
        numbers(document.querySelector(".SlotRing-figure")?.textContent)[0],
        numbers(named(".Why-rule", "Slots"))[0],
        numbers(labelled(".SlotStrip-foot"))[0],
      ],
      limit: [talking + ringing + free, numbers(named(".Why-rule", "Slots"))[1]],
    }
  })

const sum = (counts: ReadonlyArray<number>) => counts.reduce((all, some) => all + some, 0)

stories(
  "a page of figures",
  (story) => {
    story(
      "is of one moment while calls come and end, and shows no zero for what it does not know",
      async ({ base, faults, page, parley }) => {
        const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
          number: "+16175550100",
          carrier: "lab",
          carrier_config: { calls_per_second: 50 },
        })
        const agent_id = await makeAgent(parley, "Nora")
        const fields = { agent_id, phone_number_id, max_concurrent_calls: 10, retries_per_contact: 1 }
        const id = await makeCampaign(parley, contactList(900), { name: "Recall", ...fields })
        await parley.send("POST", `/api/v1/campaigns/${id}/start`)

        await page.goto(`${base}/campaigns/${id}`)
        await page.locator(".SlotRing").waitFor()
        // The same forecast as on the stream, with its day and its limit.
        await page.getByText(/^(today at|tomorrow) \d+:\d\d [AP]M expected end, limited by/).waitFor()
        const seen = new Set<string>()
        await until(async () => {
          const figures = await figuresOf(page)
          const { completed, legend, limit, outcomes, parts, slots, total } = figures
          const said = JSON.stringify(figures)
          assert.strictEqual(new Set(slots).size, 1, said)
          assert.deepStrictEqual(limit, [10, 10], said)
          assert.strictEqual(sum(parts), total, said)
          assert.strictEqual(sum(legend), outcomes, said)
          assert.isAtMost(legend[0] ?? Number.NaN, completed, said)
          seen.add(said)
          return seen.size >= 8
        })

        // No figure has arrived: the line is open and silent.
        await page.routeWebSocket(/trpc-ws/, () => {})
        await page.goto(`${base}/campaigns/${id}`)
        await page.getByRole("status", { name: "Figures of the campaign" }).waitFor()
        for (const at of ["", "/campaigns"]) {
          await page.goto(base + at)
          await page.getByRole("status", { name: /^Overview|^Campaigns/ }).waitFor()
          assert.notMatch(await page.locator("main").innerText(), /\b0\b|All is well|Nothing is dialling/)
        }
        assert.deepStrictEqual(faults, [])
      },
    )
  },
  { LAB_SPEED: "40", DRAIN_SECONDS: "1" },
)
