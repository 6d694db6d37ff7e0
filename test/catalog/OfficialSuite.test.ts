/**
 * Judging agrees with the official JSON-Schema-Test-Suite for draft 2020-12 (json-schema-test-suite/, of commit 44401e0:
 * all that is required, and what is optional but for formats).
 */
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { readFileSync } from "node:fs"
import { inspect, judge } from "../../src/catalog/schema/Judge.ts"

interface Group {
  readonly file: string
  readonly description: string
  readonly schema: Schema.JsonObject | boolean
  /** Description, value, whether it fits. */
  readonly tests: ReadonlyArray<readonly [string, Schema.Json, boolean]>
}

const folder = new URL("./json-schema-test-suite/", import.meta.url)
const groups: ReadonlyArray<Group> = readFileSync(new URL("draft2020-12.jsonl", folder), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

/** Files in which this platform decides otherwise, and why. */
const otherwise: Readonly<Record<string, string>> = {
  format: "formats are checked, as decisions §2 (Tool) wants it; the suite takes them for annotations",
  vocabulary: "a schema of schemas is refused, since it would be kept for other accounts' schemas",
  "optional/dependencies-compatibility": "2020-12 has no `dependencies`; with draft-07's `$schema` it is checked",
  "optional/anchor": "an `$anchor` inside of `enum` is taken for one",
  "optional/id": "an `$id` inside of `enum` is taken for one",
  "optional/unknownKeyword": "an `$id` inside of an unknown keyword is taken for one",
}

const faultsIn = ({ schema }: Group) => (typeof schema === "boolean" ? [] : inspect(schema))

describe("judging a value agrees with the official suite", () => {
  it.each(groups.filter((group) => !(group.file in otherwise)))("$file: $description", async (group) => {
    if ((await faultsIn(group)).length > 0) return
    for (const [description, value, fits] of group.tests) {
      const { schema } = group
      const found = typeof schema === "boolean" ? schema : (await judge({ schema, value })).length === 0
      assert.strictEqual(found, fits, description)
    }
  })
})

it("nothing but a reference to elsewhere is refused of what the suite has for schemas", async () => {
  const refused = new Set<string>()
  for (const group of groups.filter(({ file }) => !(file in otherwise))) {
    if ((await faultsIn(group)).length > 0) refused.add(group.file)
  }
  // Each of these has groups that refer to another document, or name themselves by the address of a file.
  assert.deepStrictEqual([...refused], ["dynamicRef", "ref", "refRemote", "optional/cross-draft"])
})
