/**
 * Judging agrees with the official JSON-Schema-Test-Suite for draft 2020-12 (json-schema-test-suite/, of commit 44401e0:
 * all that is required, and what is optional but for formats).
 */
import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { readFileSync } from "node:fs"
import { faultsInSchema } from "../../src/catalog/schema/SchemaFaults.ts"
import { faultsInValue } from "../../src/catalog/schema/Validation.ts"
import { Budget } from "../../src/offload/Budget.ts"

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
  vocabulary: "a meta-schema of one's own would be fetched from elsewhere",
}

const steps = () => new Budget(10_000_000)

/** A schema that nobody can store: it refers to another document, or has an international format. */
const isRefused = ({ schema }: Group): boolean =>
  typeof schema === "object" &&
  faultsInSchema(schema, steps()).some(({ pointer }) => /\/(?:\$ref|\$dynamicRef|format)$/.test(pointer))

describe("judging a value agrees with the official suite", () => {
  const judged = groups.filter((group) => !(group.file in otherwise) && !isRefused(group))
  it.each(judged)("$file: $description", ({ schema, tests }) => {
    for (const [description, value, fits] of tests) {
      const found = typeof schema === "boolean" ? schema : faultsInValue({ schema, value }, steps()).length === 0
      assert.strictEqual(found, fits, description)
    }
  })
})

it("nothing but a reference to elsewhere or an unknown format is refused of what the suite has for schemas", () => {
  const refused = groups.filter(isRefused)
  assert.deepStrictEqual(
    [...new Set(refused.map(({ file }) => file))],
    ["defs", "dynamicRef", "format", "ref", "refRemote", "optional/refOfUnknownKeyword", "optional/cross-draft"],
  )
  for (const { description, schema } of groups.filter((group) => !isRefused(group))) {
    if (typeof schema === "object") assert.deepStrictEqual(faultsInSchema(schema, steps()), [], description)
  }
})
