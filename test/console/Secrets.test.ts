/** Secrets in the console: asked for anew when the address that they were given for changes, never shown again, and in no draft that a browser keeps. */
import { assert } from "@effect/vitest"
import { says, violations } from "../support/Chromium.ts"
import { stories } from "./Stories.ts"

stories("the console", (story) => {
  story(
    "asks for a webhook's and a tool's secrets anew where their address leads elsewhere",
    async ({ base, faults, page, parley }) => {
      const { id } = await parley.send("POST", "/api/v1/webhooks", {
        url: "https://crm.example.com/hooks/parley",
        events: ["*"],
      })
      await page.goto(`${base}/webhooks/${id}`)
      await page.getByRole("button", { name: "Edit" }).click()
      const form = page.getByRole("dialog", { name: /^Change / })
      const address = form.getByLabel("Address")
      await address.fill("https://crm.example.com/hooks/other")
      assert.strictEqual(await form.getByLabel("New secret").count(), 0)
      await address.fill("https://desk.example.com/hooks/parley")
      const secret = form.getByLabel("New secret")
      assert.match(await secret.inputValue(), /^whsec_[A-Za-z0-9+/]{43}=$/)
      await secret.fill("too short")
      await form.getByRole("button", { name: "Save" }).click()
      await form.getByText(/whsec_ and 24 to 64 bytes/).waitFor()
      assert.deepStrictEqual(await violations(page), [], "a webhook's form")
      await secret.fill(`whsec_${btoa("k".repeat(32))}`)
      await form.getByRole("button", { name: "Save" }).click()
      await says(page, "The webhook is saved.")
      const saved = await parley.send("GET", `/api/v1/webhooks/${id}`)
      assert.strictEqual(saved.url, "https://desk.example.com/hooks/parley")

      await parley.send("POST", "/api/tools", {
        name: "free_slots",
        description: "Lists free slots. Use it when asked.",
        implementation_type: "http",
        implementation_config: {
          url: "https://crm.example.com/slots",
          headers: { "X-Api-Key": "first" },
          authentication: { type: "bearer", token: "first" },
        },
        schema: { type: "object", properties: {} },
      })
      await page.goto(`${base}/tools/free_slots`)
      await page.getByLabel("A secret is stored").first().waitFor()
      await page.getByLabel("URL", { exact: true }).fill("https://desk.example.com/slots")
      await page
        .getByText(/^The stored secret was given for crm\.example\.com\./)
        .nth(1)
        .waitFor()
      assert.deepStrictEqual(await violations(page), [], "a tool's secrets")
      const ofHeader = page.getByLabel("Value of X-Api-Key")
      const ofToken = page.getByRole("textbox", { name: "Token" })
      await ofHeader.fill("second")
      await ofToken.fill("second")

      // The draft outlives a reload; the secrets in it do not, and the server takes none that is empty.
      await page.waitForFunction(() =>
        Object.entries(localStorage).some(
          ([key, kept]) => key.includes(".tool.") && kept.includes('"token":""') && kept.includes("desk.example.com"),
        ),
      )
      assert.notInclude(await page.evaluate(() => JSON.stringify(localStorage)), "second")
      await page.reload()
      assert.strictEqual(await ofToken.inputValue(), "")
      assert.strictEqual(await ofHeader.inputValue(), "")
      assert.strictEqual(await page.getByLabel("URL", { exact: true }).inputValue(), "https://desk.example.com/slots")
      await page.getByText(/^This browser keeps your unsaved changes, but no secrets/).waitFor()
      await ofHeader.fill("second")
      await ofToken.fill("second")
      await page.keyboard.press("Control+s")
      await says(page, "free_slots saved.")
      const { implementation_config } = await parley.send("GET", "/api/tools/free_slots")
      assert.strictEqual(implementation_config.url, "https://desk.example.com/slots")
      assert.deepStrictEqual(faults, [])
    },
  )

  story("keeps the draft of a number without the auth token that was typed", async ({ base, faults, page, parley }) => {
    const { id } = await parley.send("POST", "/api/phone-numbers", {
      number: "+16175550123",
      carrier: "twilio",
      label: "Front desk",
      carrier_config: { account_sid: `AC${"a".repeat(32)}`, auth_token: "first" },
    })
    await page.goto(`${base}/phone-numbers/${id}`)
    const token = page.getByRole("textbox", { name: "Auth token" })
    await token.fill("second")
    await page.getByRole("textbox", { name: "Label" }).fill("Back desk")
    await page.waitForFunction(() => Object.values(localStorage).some((kept: string) => kept.includes("Back desk")))
    assert.notInclude(await page.evaluate(() => JSON.stringify(localStorage)), "second")
    await page.reload()
    await page.getByText("Stored. Type to replace it.").waitFor()
    assert.strictEqual(await token.inputValue(), "")
    assert.strictEqual(await page.getByRole("textbox", { name: "Label" }).inputValue(), "Back desk")
    await page.keyboard.press("Control+s")
    await says(page, "+1 617 555 0123 is saved.")
    const saved = await parley.send("GET", `/api/phone-numbers/${id}`)
    assert.strictEqual(saved.label, "Back desk")
    assert.deepStrictEqual(faults, [])
  })

  story(
    "takes the trunk of a SIP number, and never shows its password again",
    async ({ base, faults, page, parley }) => {
      await page.goto(`${base}/phone-numbers`)
      await page.getByRole("button", { name: "Add" }).first().click()
      const form = page.getByRole("dialog")
      await form.getByRole("textbox", { name: "Number" }).fill("+1 617 555 0188")
      await form.getByText(/^SIP/).click()
      await form.getByRole("textbox", { name: "Server" }).fill("sip.example.com:5080")
      await form.getByText(/^TLS/).click()
      await form.getByRole("textbox", { name: "User name" }).fill("rosa")
      await form.getByRole("textbox", { name: "Password" }).fill("opensesame")
      await form.getByRole("textbox", { name: "Further addresses of the trunk" }).fill("203.0.113.4, 203.0.113.5")
      await form.getByText(/^Encrypted/).click()
      await form.getByRole("button", { name: "Add the number" }).click()
      await page.getByText("Stored. Type to replace it.").waitFor()
      const number = await parley.send("GET", "/api/phone-numbers?search=0188").then(({ items }) => items[0]!)
      const trunk = {
        server: "sip.example.com:5080",
        transport: "tls",
        username: "rosa",
        password: "********",
        srtp: true,
        addresses: ["203.0.113.4", "203.0.113.5"],
      }
      assert.deepStrictEqual(number.carrier_config, trunk)
      await page.getByRole("textbox", { name: "Server" }).fill("sip.example.org")
      await page.getByRole("textbox", { name: "Password" }).fill("opensesame again")
      await page.keyboard.press("Control+s")
      await says(page, "+1 617 555 0188 is saved.")
      const saved = await parley.send("GET", `/api/phone-numbers/${number.id}`)
      assert.deepStrictEqual(saved.carrier_config, { ...trunk, server: "sip.example.org" })
      assert.deepStrictEqual(faults, [])
    },
  )
})
