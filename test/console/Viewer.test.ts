/** A viewer: every page shows what exists, and offers nothing that would change it. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { missing, pageOf, signedIn } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"
import { contactList, makeAccount, makeAgent, makeCampaign, signIn } from "./Company.ts"
import { pagesOf } from "./Pages.ts"
import { browserOf, build, buildWithin, ownSlug, served } from "./Tab.ts"

const viewer = "vera@harbordental.example"

/** What acts say that change something, in the console's words. */
const changes =
  /\b(New|Add|Save|Delete|Erase|Remove|Start|Pause|Resume|Stop|Import|Hang up|Never call|Schedule|Replace|Run|Restore|Roll back|Send|Test|Enable|Disable|Revoke|Change|Edit|Try|Insert|Detach|Set back|Rotate|Use again|Withdraw|Let)\b/

/**
 * Acts that can be pressed, and fields that can be written into, in the page's main part. Filters change only the URL, and
 * the days of a file only what it has.
 */
const offered = (page: Page): Promise<ReadonlyArray<string>> =>
  page.locator("main").evaluate((main) => {
    const nameOf = (element: Element) =>
      (element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent ?? "").trim()
    const seen = (selector: string, but: string) =>
      [...main.querySelectorAll(selector)].filter(
        (element) =>
          element.checkVisibility() &&
          !element.matches(but) &&
          element.closest(".Calls-filters, .CallbacksPage-filters, .Receipts-file") === null,
      )
    const acts = seen("button, a.Button, [role=switch], [role=radio]", ":disabled, [aria-disabled=true]")
    const fields = seen(
      "input, textarea, [contenteditable=true]",
      ":disabled, [aria-readonly=true], [readonly], [type=search], [type=range], [type=hidden], [aria-hidden=true] *",
    )
    return [...acts.map((act) => nameOf(act)), ...fields.map((field) => `field ${nameOf(field)}`)]
  })

const isChange = (name: string) => changes.test(name) || name.startsWith("field")

beforeAll(build, buildWithin)

describe.skipIf(missing !== undefined)("a viewer", () => {
  it.layer(
    TestServer.layerWith(),
    served,
  )((it) => {
    it.effect(
      "is offered nothing that changes something, on any page",
      () =>
        Effect.gen(function* () {
          const { admin, url } = yield* TestServer
          const browser = yield* browserOf
          yield* Effect.promise(async () => {
            const account = ownSlug("viewed")
            await makeAccount(url, account, { name: "Harbor Dental" })
            const owner = await signIn(url, account)
            const agent_id = await makeAgent(owner, "Nora")
            const post = (path: string, body: object) => owner.send("POST", path, body)
            await post("/api/faqs", { name: "parking", question: "Where can I park?", answer: "Behind the house." })
            await post(`/api/agents/${agent_id}/faqs`, { faq_id: "parking" })
            await post("/api/playbooks", { name: "booking", prompt: "Offer the next three free times." })
            await post(`/api/agents/${agent_id}/playbooks`, { playbook_id: "booking" })
            await post(`/api/agents/${agent_id}/tools`, { tool_name: "end_call" })
            await post("/api/v1/suppressions", { phone_number: "+16175550199", reason: "Asked by e-mail" })
            const { id: phone_number_id } = await post("/api/phone-numbers", { number: "+16175550100", carrier: "lab" })
            const fields = { agent_id, phone_number_id, retries_per_contact: 0 }
            const live = await makeCampaign(owner, contactList(4), { name: "Recall", ...fields })
            const draft = await makeCampaign(owner, contactList(4, 2), { name: "Survey", ...fields })
            await owner.send("POST", `/api/v1/campaigns/${live}/start`)
            const call: string = await until(async () => {
              const { items } = await owner.send("GET", `/api/v1/calls?campaign_id=${live}`)
              return items.find(({ ended_at }: { ended_at: string | null }) => ended_at !== null)?.id
            })
            const contacts = await owner.send("GET", `/api/v1/campaigns/${live}/contacts`)

            const { token } = await signIn(url, account, viewer)
            await (await admin()).post(`/api/admin/accounts/${account}/members`, { email: viewer, role: "viewer" })
            const page = await pageOf(browser)
            await signedIn(page, token)
            const found: Record<string, ReadonlyArray<string>> = {}
            const shown = {
              url,
              account,
              agent: "Nora",
              tool: "end_call",
              live,
              draft,
              contact: contacts.items[0].id,
              call,
            }
            for (const [name, address] of pagesOf(shown)) {
              if (/sign-in|admin/.test(name)) continue
              await page.goto(address)
              await page.locator("main h1").first().waitFor()
              await page.waitForLoadState("networkidle").catch(() => {})
              const wrong = (await offered(page)).filter(isChange)
              if (wrong.length > 0) found[name] = wrong
            }
            assert.deepStrictEqual(found, {})
          })
        }).pipe(Effect.scoped),
      900_000,
    )
  })
})
