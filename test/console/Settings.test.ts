/** Two stories in a real browser: a call is opened and read; keys, numbers and lists of an account are kept. */
import { assert } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import { readFileSync } from "node:fs"
import { focused, says, violations } from "../support/Chromium.ts"
import { until } from "../support/Until.ts"
import { makeAgent, type Parley } from "./Company.ts"
import { stories } from "./Stories.ts"

/** No server listens there, and no name has to be resolved. */
const nobody = "https://127.0.0.1:1/parley"

/** A direct call to a lab number that answers, and its end. */
const callThatEnded = async (parley: Parley): Promise<string> => {
  const agent_id = await makeAgent(parley, "Nora")
  const { id: phone_number_id } = await parley.send("POST", "/api/phone-numbers", {
    number: "+16175550100",
    carrier: "lab",
  })
  const placed = await parley.send("POST", "/api/v1/calls", { agent_id, phone_number_id, to: "+17815550101" })
  await until(async () => (await parley.send("GET", `/api/v1/calls/${placed.id}`))["ended_at"] !== null)
  return placed.id
}

stories(
  "the console",
  (story) => {
    story(
      "finds a call in the list, opens it, reads its lines and links to one of their seconds",
      async ({ base, faults, page, parley }) => {
        const id = await callThatEnded(parley)
        await page.goto(`${base}/calls?status=failed`)
        await page.getByRole("heading", { name: "No call fits these filters" }).waitFor()
        await page.getByRole("link", { name: "Clear filters" }).click()
        await page.getByRole("link", { name: "+1 781 555 0101" }).waitFor()
        assert.deepStrictEqual(await violations(page), [], "calls")
        await page.getByRole("link", { name: "+1 781 555 0101" }).click()
        await page.getByRole("heading", { name: "+1 781 555 0101", level: 1 }).waitFor()
        const transcript = page.getByRole("region", { name: "Transcript" })
        await transcript.getByText("this is Nora, the virtual assistant").waitFor()
        await transcript
          .getByText(/\d\.\d\d s/)
          .first()
          .waitFor()
        await page.getByText("There is no recording of this call.").waitFor()
        await page.getByText("It was asked for directly, from the console or over the API.").waitFor()
        assert.deepStrictEqual(await violations(page), [], "call")
        await page.keyboard.press("ArrowDown")
        await page.waitForURL(new RegExp(`/calls/${id}\\?t=\\d+$`))
        await transcript.locator('[aria-current="true"]').waitFor()
        await page.goto(`${base}/calls/01990000-0000-7000-8000-000000000000`)
        await page.getByText("There is no call with this id in Harbor Dental.").waitFor()
        assert.deepStrictEqual(faults, [])
      },
    )

    story(
      "makes an API key that is shown once and works, revokes it; keeps numbers that nothing may call",
      async ({ base, faults, page, parley }) => {
        await page.goto(`${base}/api-keys`)
        await page.getByRole("heading", { name: "No API keys yet" }).waitFor()
        await page.keyboard.press("n")
        await page.getByRole("button", { name: "Create key" }).click()
        await page.getByText(/^Must not be empty/).waitFor()
        await page.getByRole("textbox", { name: "Name" }).fill("CRM sync")
        await page.getByRole("button", { name: "Create key" }).click()
        const shown = page.getByRole("alertdialog", { name: "The key CRM sync" })
        const key =
          (
            await shown
              .getByText(/^pak_\w+_\w+/)
              .first()
              .textContent()
          )?.trim() ?? ""
        const asked = () =>
          fetch(`${parley.url}/api/agents`, {
            headers: { authorization: `Bearer ${key}`, "x-account-id": parley.account },
          })
        assert.strictEqual((await asked()).status, 200)
        await focused(shown)
        await page.keyboard.press("Escape")
        assert.isTrue(await shown.isVisible())
        assert.deepStrictEqual(await violations(page), [], "key")
        await shown.getByRole("button", { name: "I have stored it" }).click()
        await page.getByRole("cell", { name: "CRM sync", exact: true }).waitFor()
        assert.strictEqual(await page.getByText(key).count(), 0)
        await page.getByRole("button", { name: "Revoke CRM sync…" }).click()
        await page.getByRole("button", { name: "Revoke the key" }).click()
        await says(page, "CRM sync is revoked.")
        assert.strictEqual((await asked()).status, 401)

        await page.goto(`${base}/do-not-call`)
        await page.getByRole("button", { name: "Import" }).click()
        await page.getByRole("textbox", { name: "Numbers" }).fill("+16175550142,by letter\n617-555\n+1 781 555 0109")
        await page.getByRole("button", { name: "Never call these numbers" }).click()
        await page.getByText("2 numbers added, 1 line left out.").waitFor()
        await page.getByText(/^line 2: 617-555 has no country code/).waitFor()
        assert.deepStrictEqual(await violations(page), [], "the import's report")
        await page.getByRole("button", { name: "Done" }).click()
        await page.getByRole("cell", { name: "+1 781 555 0109", exact: true }).waitFor()
        assert.deepStrictEqual(await violations(page), [], "do-not-call")
        await page.getByRole("button", { name: "Remove +1 617 555 0142…" }).click()
        await page.getByRole("button", { name: "Remove", exact: true }).click()
        await says(page, "+1 617 555 0142 may be called again.")
        const { items } = await parley.send("GET", "/api/v1/suppressions")
        assert.deepStrictEqual(
          items.map((entry: { phone_number: string }) => entry.phone_number),
          ["+17815550109"],
        )
        const guarded = { phone_number: "+17815550110", reason: "=1+1, then\n@sum" }
        await parley.send("POST", "/api/v1/suppressions", guarded)
        await page.goto(`${base}/do-not-call?q=then`)
        await page.getByRole("cell", { name: "+1 781 555 0110", exact: true }).waitFor()
        const saved = page.waitForEvent("download")
        await page.getByRole("button", { name: "Export" }).click()
        const exported: ReadonlyArray<Record<string, string>> = parse(
          readFileSync(await (await saved).path(), "utf8"),
          { columns: true },
        )
        assert.deepStrictEqual(
          exported.map(({ phone_number, reason }) => ({ phone_number, reason })),
          [{ ...guarded, reason: "'=1+1, then\n'@sum" }],
        )

        const agent_id = await makeAgent(parley, "Nora")
        await parley.send("POST", "/api/v1/widget-keys", {
          name: "Site",
          kind: "public",
          agent_id,
          origins: ["https://harbor-dental.example"],
          greeting: "Ask us anything.",
        })
        // Nothing of the widget waits for an idle moment: on a busy machine none comes.
        await page.addInitScript(() => {
          window.requestIdleCallback = (act, options) =>
            options?.timeout === undefined ? 0 : setTimeout(act, options.timeout)
        })
        await page.goto(`${base}/widget-keys`)
        const widget = page.frameLocator("iframe[title='The widget with Nora']")
        await widget.getByText("Ask us anything.").waitFor()
        await parley.send("POST", "/api/v1/webhooks", { url: nobody, events: ["*"] })
        await page.goto(`${base}/webhooks`)
        await page.getByRole("button", { name: "Send a test" }).click()
        await page.getByText(/^The server could not be reached/).waitFor()
        assert.deepStrictEqual(await violations(page), [], "a test")
        await page.getByRole("button", { name: "Done" }).click()

        for (const place of ["webhooks", "widget-keys", "phone-numbers", "account"]) {
          await page.goto(`${base}/${place}`)
          await page.getByRole("heading", { level: 1 }).waitFor()
          assert.deepStrictEqual(await violations(page), [], place)
        }
        assert.deepStrictEqual(faults, [])
      },
    )
  },
  { LAB_SPEED: "10", DRAIN_SECONDS: "1", PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "true" },
)
