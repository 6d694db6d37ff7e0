/** Two stories in a real browser: an agent is made, given a tool, tried, saved and set back; a tool is written, broken and tried. */
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { says, violations } from "../support/Chromium.ts"
import { makeAgent, makeFirstAgent } from "./Company.ts"
import { stories } from "./Stories.ts"

/** CodeMirror's own text, replaced as a person does it. */
const write = async (page: Page, label: string, text: string) => {
  const editor = page.getByRole("textbox", { name: label, exact: true })
  await editor.click()
  await page.keyboard.press("Control+a")
  await page.keyboard.insertText(text)
}

stories("the console", (story) => {
  story(
    "makes an agent, gives it a tool, tries what is typed, saves it over what someone else saved, and goes back to version 1",
    async ({ base, faults, page, parley }) => {
      await makeFirstAgent(page, base, "Nora")
      await page.getByRole("log").getByText("Hi there, this is Nora").waitFor()
      await page.locator(".Editor-variable").first().waitFor()
      assert.deepStrictEqual(await violations(page), [], "prompt")

      await page
        .getByRole("navigation", { name: "Parts of Nora" })
        .getByRole("link", { name: /^Tools/ })
        .click()
      await page.getByRole("button", { name: /Add a tool/ }).click()
      await page.getByRole("option", { name: /^get_current_time/ }).click()
      // Several changes to the kit wait in the draft, and are one version.
      await page.getByRole("switch", { name: "get_current_time" }).waitFor()
      await page.getByRole("switch", { name: "record_outcome" }).press("Space")
      await page.getByText("v3 draft").waitFor()
      await page
        .getByRole("navigation", { name: "Parts of Nora" })
        .getByRole("link", { name: /^Playbooks/ })
        .click()
      await page.getByRole("button", { name: /Add a playbook/ }).click()
      await page.getByLabel("Find: Add a playbook").fill("opt_out")
      await page.getByRole("option", { name: /^opt_out_manners/ }).click()
      await page.getByRole("button", { name: "Remove opt_out_manners" }).waitFor()
      assert.strictEqual((await parley.send("GET", "/api/agents/Nora")).version, 2)
      await page.waitForFunction(() => JSON.stringify(localStorage).includes("opt_out_manners"))
      await page.reload()
      await page.getByText(/not saved: .*tool get_current_time.*playbooks/).waitFor()
      await page.getByRole("button", { name: "Compare with v2" }).click()
      await page.getByRole("dialog").getByRole("region", { name: "tool record_outcome" }).waitFor()
      assert.deepStrictEqual(await violations(page), [], "a kit that is compared")
      await page.keyboard.press("Escape")
      await page.keyboard.press("Control+s")
      await says(page, "Nora v3 saved.")
      const kit = await parley.send("GET", "/api/agents/Nora/tools")
      assert.sameDeepMembers(
        kit.items.map(({ enabled, tool_name }: any) => [tool_name, enabled]),
        [
          ["end_call", true],
          ["add_to_do_not_call", true],
          ["record_outcome", false],
          ["get_current_time", true],
        ],
      )
      assert.strictEqual((await parley.send("GET", "/api/agents/Nora/playbooks")).total, 1)
      assert.deepStrictEqual(await violations(page), [], "playbooks")

      await page.getByRole("link", { name: "Prompt", exact: true }).click()
      await write(page, "First words", "Good day {{first_name}}, this is Nora.")
      await page.getByText("v4 draft").waitFor()
      await page.getByRole("button", { name: "Begin again" }).click()
      await page.getByRole("log").getByText("Good day, this is Nora.").waitFor()
      await page.getByText("Variables", { exact: true }).click()
      await page.getByRole("textbox", { name: "first_name" }).fill("Ada")
      await page.getByRole("button", { name: "Begin with these" }).click()
      await page.getByRole("log").getByText("Good day Ada, this is Nora.").waitFor()
      assert.deepStrictEqual(await violations(page), [], "variables")
      await page.getByLabel("Say something as the contact").fill("hello")
      await page.locator("button[aria-label=Send]:enabled").waitFor()
      await page.keyboard.press("Enter")
      await page.getByText(/^\d+\.\d\d s$/).waitFor()

      // Leaving asks; what was typed is there again after a reload.
      await page.getByRole("link", { name: "Playbooks", exact: true }).first().click()
      await page.getByRole("alertdialog", { name: "Leave Nora with unsaved changes?" }).waitFor()
      await page.getByRole("button", { name: "Stay" }).click()
      await page.reload()
      await page.getByText(/^You have changes from .* that are not saved/).waitFor()

      // Another client saves the same field meanwhile: neither change overwrites the other silently.
      await parley.send("PUT", "/api/agents/Nora", { first_message: "Hello, Nora here." })
      await page.keyboard.press("Control+s")
      const both = page.getByRole("dialog", { name: "v4 was saved by someone else" })
      await both.getByText("Hello, Nora here.").waitFor()
      await both.getByText("Good day {{first_name}}, this is Nora.").waitFor()
      assert.strictEqual((await parley.send("GET", "/api/agents/Nora")).first_message, "Hello, Nora here.")
      assert.deepStrictEqual(await violations(page), [], "both versions")
      await page.getByRole("button", { name: "Save mine as v5" }).click()
      await says(page, "Nora v5 saved.")

      await page.getByRole("link", { name: /^Versions/ }).click()
      await page.getByText("Good day {{first_name}}, this is Nora.").waitFor()
      assert.deepStrictEqual(await violations(page), [], "versions")
      await page.getByRole("link", { name: /^v1\b/ }).click()
      await page.getByRole("button", { name: "Roll back to v1" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Roll back to v1" }).click()
      await says(page, "Nora v6 is v1 again.")
      assert.match((await parley.send("GET", "/api/agents/Nora")).first_message, /^Hi \{\{first_name/)
      assert.deepStrictEqual(
        faults.filter((fault) => !fault.includes("412")),
        [],
      )
    },
  )

  story(
    "writes a tool, runs it unsaved, shows the line that broke and the argument that does not fit",
    async ({ base, faults, page, parley }) => {
      await makeAgent(parley, "Nora")
      await page.goto(`${base}/tools`)
      await page.getByRole("button", { name: "New tool" }).click()
      await page.getByLabel("Name", { exact: true }).fill("double it")
      await page.getByLabel("When should the agent use it?").fill("Doubles a number. Use it when asked.")
      await page.getByRole("button", { name: "Create tool" }).click()
      await page.getByText(/^Must be 1 to 64 of/).waitFor()
      await page.getByLabel("Name", { exact: true }).fill("double")
      await page.getByRole("button", { name: "Create tool" }).click()
      await page.getByRole("heading", { name: "double", level: 1 }).waitFor()
      await page.getByText("one function with two parameters").waitFor()

      await page.getByRole("button", { name: "Add an argument" }).click()
      await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("value")
      await page.getByRole("button", { name: "Text Type" }).click()
      await page.getByRole("option", { name: "Number", exact: true }).click()
      await page.getByRole("button", { name: "Add it" }).click()
      await page.getByText("double(value: number)").waitFor()

      await write(page, "Code", 'def double(arguments, context):\nreturn arguments["value"] *')
      await page.getByText(/does not parse$/).waitFor()
      await write(page, "Code", 'def double(arguments, context):\n    print("hi")\nreturn 1 / 0')
      await write(page, "Code", 'def double(arguments, context): return arguments["value"] / 0')
      await page.getByLabel("value", { exact: true }).fill("much")
      await page.getByRole("button", { name: "Run" }).click()
      const result = page.getByRole("status", { name: "Result" })
      await result.getByText(/^value must be number/).waitFor()
      await page.getByLabel("value", { exact: true }).fill("21")
      const failed = result.getByText(/^ZeroDivisionError: .*, line 1$/)
      const preparing = result.getByText(/being prepared/)
      // Under load, preparing Python for its first use takes longer than a run waits.
      do {
        await page.getByRole("button", { name: "Run" }).click()
        await failed.or(preparing).waitFor()
      } while (await preparing.isVisible())
      assert.deepStrictEqual(await violations(page), [], "tool")
      await write(page, "Code", 'def double(arguments, context): return {"value": arguments["value"] * 2}')
      await page.getByRole("button", { name: "Run" }).click()
      await result
        .getByText(/^Answered in \d+ ms/)
        .first()
        .waitFor()
      assert.notInclude((await parley.send("GET", "/api/tools/double")).implementation_code, "* 2")
      await page.keyboard.press("Control+s")
      await says(page, "double saved.")
      assert.include((await parley.send("GET", "/api/tools/double")).implementation_code, "* 2")

      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByRole("button", { name: "Delete the tool" }).click()
      await says(page, "double is deleted.")
      assert.deepStrictEqual(await violations(page), [], "tools")
      await page.goto(`${base}/agents/Nora/scenarios`)
      await page.getByRole("button", { name: "Write the first" }).click()
      const form = page.getByRole("dialog", { name: "Scenarios of Nora" })
      await form.getByLabel("Name", { exact: true }).fill("says hello")
      await form.getByLabel("What it says").fill("Who is this?\nThank you, goodbye.")
      await form.getByLabel("The agent says", { exact: true }).fill("Nora")
      await form.getByLabel("What tools answer").fill("{ no object")
      await form.getByText("This is not a JSON object yet.").waitFor()
      await form.getByLabel("What tools answer").fill("")
      await form.getByLabel("Turns, at most").fill("0")
      await form.getByText(/^Must be/).waitFor()
      await form.getByLabel("Turns, at most").fill("9")
      assert.deepStrictEqual(await violations(page), [], "a scenario")
      await form.getByRole("radio", { name: "JSON" }).click()
      await form.getByText('"says hello"').waitFor()
      await form.getByRole("button", { name: "Run it" }).click()
      await page.getByText(/passes its scenario|fails 1 scenario/).waitFor()
      assert.deepStrictEqual(faults, [])
    },
  )
})
