/** An owner's own account: members come, change their role and go, and its name and time zone are changed. */
import { assert } from "@effect/vitest"
import { says, violations } from "../support/Chromium.ts"
import { stories } from "./Stories.ts"

stories("the console", (story) => {
  story(
    "lets an owner add, change and remove members, and change the account's name and time zone",
    async ({ base, faults, page }) => {
      const email = "ada@harbordental.example"
      await page.goto(`${base}/account`)
      const members = page.getByRole("region", { name: "Members" })
      await members.getByRole("button", { name: "Add a member" }).click()
      const form = page.getByRole("dialog", { name: "Add a member to Harbor Dental" })
      await form.getByRole("button", { name: "Add member" }).click()
      await form.locator(".Field-problem").first().waitFor()
      await form.getByLabel("Email").fill(email)
      await form.getByRole("button", { name: "Add member" }).click()
      await members.getByText(email, { exact: true }).waitFor()
      assert.deepStrictEqual(await violations(page), [], "members")

      await members.getByRole("button", { name: new RegExp(`Role of ${email}`) }).click()
      await page.getByRole("option", { name: /viewer/i }).click()
      await members.getByRole("button", { name: new RegExp(`viewer.*Role of ${email}`, "i") }).waitFor()
      await members.getByRole("button", { name: `Remove ${email}…` }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove", exact: true }).click()
      await members.getByText(email, { exact: true }).waitFor({ state: "detached" })

      await page.getByRole("button", { name: "Change settings" }).click()
      const settings = page.getByRole("dialog", { name: "Change Harbor Dental" })
      await settings.getByLabel("Time zone").fill("Middle/Earth")
      await settings.getByRole("button", { name: "Save" }).click()
      await settings.locator(".Field-problem").first().waitFor()
      await settings.getByLabel("Name").fill("Harbor Dental Care")
      await settings.getByLabel("Time zone").fill("Europe/Berlin")
      await settings.getByRole("button", { name: "Save" }).click()
      await says(page, "The account is saved.")
      await page.getByText("Berlin (Europe/Berlin)").waitFor()
      await page.getByText("Harbor Dental Care").first().waitFor()
      assert.deepStrictEqual(await violations(page), [], "account")
      assert.deepStrictEqual(faults, [])
    },
  )

  story("lets an owner export the account and download the file", async ({ base, faults, page }) => {
    await page.goto(`${base}/account`)
    const panel = page.getByRole("region", { name: "Export" })
    await panel.getByRole("button", { name: "Export the account" }).click()
    await panel.getByText(/^The file has .* and is deleted tomorrow/).waitFor()
    assert.deepStrictEqual(await violations(page), [], "export")
    const file = page.waitForEvent("download")
    await panel.getByRole("button", { name: "Download" }).click()
    assert.match((await file).suggestedFilename(), /\.tar\.gz$/)
    assert.deepStrictEqual(faults, [])
  })
})
