/** Contact lists with something wrong in them, dropped into the wizard: which rows, why, and what one can do. */
import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { contactList, makeAgent } from "./Company.ts"
import { stories } from "./Stories.ts"

const good = contactList(8).split("\n").slice(1, 9)
const header = "phone_number,first_name,last_name,last_visit,dentist,time_zone"
const short = "617-555-01,Bad,Row,2026-05-12,Dr. Osei,America/New_York"
const words = "call me,Bad,Row,2026-05-12,Dr. Osei,America/New_York"
const torn = "+16175550142,Bad"

const give = async (page: Page, list: string | Buffer, name = "recall.csv") => {
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: /^(Choose a|Replace) file$/ }).click()
  await (await chooser).setFiles({ name, mimeType: "text/csv", buffer: Buffer.from(list) })
}

const download = async (page: Page, button: string | RegExp): Promise<string> => {
  const saved = page.waitForEvent("download")
  await page.getByRole("button", { name: button }).click()
  return readFileSync(await (await saved).path(), "utf8")
}

stories("the wizard", (story) => {
  story("shows which rows of a list are bad, and why, to be downloaded", async ({ base, faults, page, parley }) => {
    await makeAgent(parley, "Nora")
    await parley.send("POST", "/api/phone-numbers", { number: "+16175550100", carrier: "lab" })
    await page.goto(`${base}/campaigns/new`)
    await page.getByLabel("Name", { exact: true }).fill("Recall")
    await page.getByRole("button", { name: "Choose who calls" }).click()
    await page.getByRole("option", { name: "Nora" }).click()
    await page.getByRole("button", { name: "Choose the number they see" }).click()
    await page.getByRole("option", { name: /617 555 0100/ }).click()
    await page.getByRole("button", { name: "Next: contacts" }).click()
    const stored = async () => (await parley.send("GET", "/api/v1/campaigns")).total

    await give(page, Buffer.alloc(10 * 1_048_576 + 1, "x"), "huge.csv")
    await page.getByText(/^huge\.csv has .* A list has 10 MB at most\.$/).waitFor()
    await give(page, Buffer.from([0x2b, 0xff, 0xfe, 0x0a]), "latin.csv")
    await page.getByText("latin.csv could not be read. Save it as CSV in UTF-8.").waitFor()

    await give(page, [header, ...good.slice(0, 2), short, words, torn].join("\n"))
    await page.getByText("Nothing was stored").waitFor()
    await page.getByText("line 4", { exact: true }).waitFor()
    await page.getByText("line 6", { exact: true }).waitFor()
    assert.strictEqual(await stored(), 0)
    const refused = (await download(page, "Download the 3 rows")).trim().split("\n")
    assert.lengthOf(refused, 4)
    assert.match(refused[3] ?? "", /^6,,.*cells.*,"'\+16175550142,Bad"$/)

    await give(page, ["Phone,first_name", ...good.map((row) => row.split(",").slice(0, 2).join(","))].join("\n"))
    await page.getByText("The file has no column phone_number. It has: Phone, first_name.").waitFor()
    await page.getByRole("button", { name: /a column for it/ }).click()
    await page.getByRole("option", { name: "Phone" }).click()
    await page.getByRole("heading", { name: "8 of 8 rows are ready to call" }).waitFor()

    await give(page, [header, ...good, short, torn].join("\n"))
    await page.getByRole("heading", { name: "8 of 10 rows are ready to call" }).waitFor()
    await page.getByText("line 10", { exact: true }).waitFor()
    await page.getByText("617-555-01", { exact: true }).waitFor()
    const left = (await download(page, "Download the 2 invalid rows")).trim().split("\n")
    assert.strictEqual(left[0], "line,column,reason,row")
    assert.match(left[1] ?? "", /^10,phone_number,.+,"617-555-01,Bad,Row/)
    assert.match(left[2] ?? "", /^11,,.*cells.*,"'\+16175550142,Bad"$/)
    assert.strictEqual(await stored(), 1)
    assert.deepStrictEqual(faults, [])
  })
})
