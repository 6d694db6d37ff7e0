/** The whole story in a real browser: sign in, make a campaign of a CSV, start, watch, stop, export; and axe at each page. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { focused, missing, pageOf, phone, says, signedIn, violations } from "../support/Chromium.ts"
import { TestServer } from "../support/TestServer.ts"
import { contactList, makeAccount, makeAgent, makeCampaign, signIn } from "./Company.ts"
import { browserOf, build, buildWithin, ownSlug, served, storyWithin } from "./Tab.ts"

/** A campaign goes on for as long as the test looks. */
const many = 900

if (missing !== undefined) console.log(`The console's pages are not tested: ${missing}.`)

const prepared = Effect.gen(function* () {
  const { url } = yield* TestServer
  const browser = yield* browserOf
  return { url, browser }
})

beforeAll(build, buildWithin)

describe.skipIf(missing !== undefined)("the console", () => {
  // The build is read when the server starts.
  it.layer(
    TestServer.layerWith({ LAB_SPEED: "5", DRAIN_SECONDS: "1" }),
    served,
  )((it) => {
    it.effect(
      "signs in, makes a campaign of a CSV, starts, watches, stops and exports it",
      () =>
        Effect.gen(function* () {
          const { browser, url } = yield* prepared
          yield* Effect.promise(async () => {
            const account = ownSlug("harbor-dental")
            await makeAccount(url, account, {
              name: "Harbor Dental",
              time_zone: "America/New_York",
              concurrent_max: 20,
            })
            const parley = await signIn(url, account)
            await makeAgent(parley, "Nora")
            await parley.send("POST", "/api/phone-numbers", {
              number: "+16175550100",
              carrier: "lab",
              label: "Front desk",
              carrier_config: { calls_per_second: 20 },
            })
            const page = await pageOf(browser)
            const faults: Array<string> = []
            page.on("pageerror", (error) => faults.push(error.message))
            page.on("console", (message) => message.type() === "error" && faults.push(message.text()))

            // A user who was on a page comes back to it.
            await page.goto(`${url}/console/${account}/campaigns`)
            await page.getByRole("heading", { name: "Sign in" }).waitFor()
            await page.getByText("Harbor Dental").first().waitFor()
            assert.deepStrictEqual(await violations(page), [], "sign-in")
            await page.getByRole("button", { name: "Sign in as this person" }).click()
            await page.getByRole("heading", { name: "No campaigns yet" }).waitFor()
            assert.deepStrictEqual(await violations(page), [], "campaigns, empty")

            await page.keyboard.press("c")
            await page.getByRole("heading", { name: "New campaign" }).waitFor()
            await page.getByLabel("Name", { exact: true }).fill("December recall")
            await page.getByRole("button", { name: "Choose who calls" }).click()
            await page.getByRole("option", { name: "Nora" }).click()
            await page.getByRole("button", { name: "Choose the number they see" }).click()
            await page.getByRole("option", { name: /617 555 0100/ }).click()
            await page.getByRole("button", { name: "Next: contacts" }).click()
            const list = `${contactList(many)}\n617-555-01,Bad,Row,2026-05-12,Dr. Osei,America/New_York\n+12135550150,Luis,Ortega,,Dr. Osei,America/Los_Angeles\n`
            const chooser = page.waitForEvent("filechooser")
            await page.getByRole("button", { name: "Choose a file" }).click()
            await (await chooser).setFiles({ name: "recall.csv", mimeType: "text/csv", buffer: Buffer.from(list) })
            await page.getByRole("heading", { name: /rows are ready to call/ }).waitFor()
            await page.getByText(/is empty in/).waitFor()
            await page.getByText("1 variable has gaps").waitFor()
            await page.getByText("Calls to place").waitFor()
            assert.deepStrictEqual(await violations(page), [], "wizard")

            await page.getByRole("button", { name: "Next: pace and hours" }).click()
            await page.getByLabel(/^Slots/).fill("8")
            await page.getByRole("switch", { name: "Call at any hour, nights included" }).press("Space")
            await page.getByRole("button", { name: "Next: review" }).click()
            await page.getByRole("button", { name: /^Start calling \d+ people/ }).click()

            await page.getByRole("heading", { name: "December recall" }).waitFor()
            await page.getByText("Running", { exact: true }).first().waitFor()
            await page.getByText("Live", { exact: true }).last().waitFor()
            // A contact is in a call, and the page shows what is said.
            await page.locator(".CallsNow-words").first().waitFor()
            assert.deepStrictEqual(await violations(page), [], "live campaign")

            await page.getByRole("link", { name: /^Contacts/ }).click()
            await page.locator(".ContactTable-body .Table-link").first().click()
            await page.getByRole("heading", { name: "Attempts" }).waitFor()
            assert.match(page.url(), /contact=/)
            assert.deepStrictEqual(await violations(page), [], "contacts with a drawer")
            await page.keyboard.press("Escape")

            await page.getByRole("button", { name: "Stop…" }).click()
            await focused(page.getByRole("alertdialog", { name: "Stop December recall?" }))
            await page.keyboard.press("Enter")
            await page.getByRole("alertdialog").waitFor({ state: "detached" })
            assert.notInclude((await parley.send("GET", "/api/v1/campaigns")).items[0].status, "completed")
            await page.getByRole("button", { name: "Stop…" }).click()
            await page.getByRole("button", { name: "Stop the campaign" }).click()
            await page.getByText("Stopped", { exact: true }).first().waitFor()

            const saved = page.waitForEvent("download")
            await page.getByRole("button", { name: "Export results" }).click()
            const csv = readFileSync(await (await saved).path(), "utf8")
            assert.match(csv, /^﻿?phone_number,status,outcome/)
            assert.strictEqual(csv.trim().split("\n").length, 1 + many + 1)
            assert.deepStrictEqual(faults, [])
          })
        }).pipe(Effect.scoped),
      storyWithin,
    )

    it.effect(
      "shows refusals, recovers without a reload, and fits a phone",
      () =>
        Effect.gen(function* () {
          const { browser, url } = yield* prepared
          yield* Effect.promise(async () => {
            const slug = ownSlug("lakeside")
            await makeAccount(url, slug, { name: "Lakeside Clinics", concurrent_max: 4 })
            const parley = await signIn(url, slug)
            const agent_id = await makeAgent(parley, "Sam")
            const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
              number: "+16175550199",
              carrier: "lab",
              label: "Desk",
            })
            const fields = { agent_id, phone_number_id, max_concurrent_calls: 3 }
            const first = await makeCampaign(parley, contactList(many), { name: "Recall", ...fields })
            const second = await makeCampaign(parley, contactList(many, 2), { name: "Survey", ...fields })
            await parley.send("POST", `/api/v1/campaigns/${first}/start`)

            const page = await pageOf(browser, phone)
            await signedIn(page, parley.token)
            await page.goto(`${url}/console/${slug}/campaigns/${second}`)
            await page.getByRole("button", { name: "Start", exact: true }).click()
            await page.getByRole("dialog", { name: "Not started: 3 slots asked, 1 left" }).waitFor()
            await page.getByText("409 budget_exceeded").waitFor()
            await page.getByRole("button", { name: "Start with 1" }).click()
            await page.getByText("Running", { exact: true }).first().waitFor()
            assert.deepStrictEqual(await violations(page), [], "a phone")
            const wide = await page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            )
            assert.strictEqual(wide, 0, "nothing scrolls sideways")

            await page.goto(`${url}/console/${slug}/campaigns/${second}/contacts`)
            await page.locator(".ContactTable-body .ContactTable-name").first().waitFor()
            await page.goto(`${url}/console/${slug}`)
            await page.getByRole("heading", { name: /are dialling/ }).waitFor()
            assert.deepStrictEqual(await violations(page), [], "overview on a phone")
            await page.context().setOffline(true)
            await page.getByText(/^Connection lost/).waitFor()
            await page.context().setOffline(false)
            assert.match(await says(page, "Back after"), /^Back after \d+ s, nothing missed/)
          })
        }).pipe(Effect.scoped),
      storyWithin,
    )
  })
})

describe("the server", () => {
  it.layer(
    TestServer.layer,
    served,
  )((it) => {
    it.effect("serves the console below /console/ with a strict policy, and REST's paths stay REST's", () =>
      Effect.gen(function* () {
        const { request, url } = yield* TestServer
        const root = yield* Effect.promise(() => request("GET", "/"))
        assert.strictEqual(root.headers.get("location"), "/console/")
        const page = yield* Effect.promise(() => request("GET", "/console/demo/campaigns?status=running"))
        assert.strictEqual(page.headers.get("cache-control"), "no-cache")
        const policy = page.headers.get("content-security-policy") ?? ""
        const [, nonce = "missing"] = /'nonce-([\w-]+)'/.exec(policy) ?? []
        assert.include(page.body, `nonce="${nonce}"`)
        assert.notMatch(policy, /unsafe|\*/)
        const [, script = ""] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(page.body) ?? []
        const packed = yield* Effect.promise(() => fetch(url + script, { headers: { "accept-encoding": "br" } }))
        assert.strictEqual(packed.headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.strictEqual(packed.headers.get("content-encoding"), "br")
        for (const path of ["/console/assets/none.js", "/campaigns", "/api/nothing"]) {
          const answer = yield* Effect.promise(() => request("GET", path))
          assert.strictEqual(answer.body.code, "route_not_found", path)
        }
      }),
    )
  })
})
