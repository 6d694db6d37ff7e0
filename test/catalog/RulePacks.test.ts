/** The folder of an installation's own rule packs: read at the start, or refused with the file and the place of its fault. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RulePacks } from "../../src/catalog/RulePacks.ts"
import { placeOfContact, zonesOfPlace } from "../../src/catalog/NumberPlaces.ts"
import * as RulePackChecks from "../../src/cli/RulePackChecks.ts"

const hours = {
  id: "hours",
  title: "Mornings",
  source: "Our policy",
  status: "verified",
  checked: true,
  kind: "calling_hours",
  hours: [{ days: ["mon"], start: "08:00", end: "12:00" }],
}
const pack = {
  id: "us-florida",
  name: "Florida, reviewed",
  version: "ours-1",
  jurisdiction: { country: "US", state: "FL" },
  notice: "Reviewed.",
  rules: [hours],
}

/** Runs `self` with a folder that has these files. */
const withFiles = <A, E, R>(files: Record<string, unknown>, self: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "parley-packs-"))
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
      }
      return folder
    }),
    (PARLEY_RULES_DIR) =>
      self.pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ PARLEY_RULES_DIR })))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
  )
const load = RulePacks.pipe(Effect.provide(RulePacks.layer))

describe("the folder of rule packs", () => {
  it.effect("replaces a shipped pack by one with the same id, and keeps the others", () =>
    Effect.gen(function* () {
      const packs = yield* withFiles({ "ours.json": pack, "read-me.txt": "no pack" }, load)
      assert.deepInclude(packs.get("us-florida"), { version: "ours-1", name: "Florida, reviewed" })
      assert.strictEqual(packs.get("uk")?.version, "2026-11-28")
      const [finding] = yield* withFiles({ "ours.json": pack }, RulePackChecks.run)
      assert.deepInclude(finding, { result: "ok", check: "rule packs" })
    }),
  )

  const wrong: ReadonlyArray<readonly [RegExp, unknown]> = [
    [/one\.json cannot be used: .*JSON/, "{"],
    [
      /one\.json cannot be used: \/rules\/0\/hours\/0\/end must be after start/,
      { ...pack, rules: [{ ...hours, hours: [{ days: ["mon"], start: "12:00", end: "08:00" }] }] },
    ],
    [
      /\/rules\/0\/effective_from must be a date of the calendar/,
      { ...pack, rules: [{ ...hours, effective_from: "2026-02-30" }] },
    ],
    [/\/rules\/0\/checked must be true for the kind calling_hours/, { ...pack, rules: [{ ...hours, checked: false }] }],
    [/\/rules must not have two rules with one id/, { ...pack, rules: [hours, hours] }],
    [/\/jurisdiction\/country must be an ISO 3166-1/, { ...pack, jurisdiction: { country: "Florida", state: null } }],
    [/\/rules\/0\/source/, { ...pack, rules: [{ ...hours, source: undefined }] }],
    [/\/hors /, { ...pack, hors: 1 }],
    [/\/notice must not contain the character U\+0000/, { ...pack, notice: "Reviewed.\0" }],
    [
      /\/rules\/0\/title must not contain .* half of a surrogate pair/,
      { ...pack, rules: [{ ...hours, title: "\ud83d" }] },
    ],
  ]
  for (const [message, content] of wrong) {
    it.effect(`is refused as a whole, with ${message.source}`, () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(withFiles({ "one.json": content }, load))
        assert.match(fault.message, message)
        const [finding] = yield* withFiles({ "one.json": content }, RulePackChecks.run)
        assert.deepInclude(finding, { result: "problem" })
        assert.match(finding?.says ?? "", message)
      }),
    )
  }

  it.effect("is refused if two files have one id", () =>
    Effect.gen(function* () {
      const fault = yield* Effect.flip(withFiles({ "a.json": pack, "b.json": pack }, load))
      assert.match(fault.message, /b\.json cannot be used: \/id is us-florida, which another file/)
    }),
  )
})

describe("the place of a contact", () => {
  const cases: ReadonlyArray<readonly [number: string, fields: Record<string, string>, place: unknown]> = [
    ["+13055550100", {}, { country: "US", state: "FL", found_by: "prefix" }],
    ["+14165550100", {}, { country: "CA", state: "ON", found_by: "prefix" }],
    ["+442079460018", {}, { country: "GB", state: null, found_by: "prefix" }],
    ["+12425550100", {}, { country: "BS", state: null, found_by: "prefix" }],
    ["+18005550100", {}, { country: null, state: null, found_by: "unknown" }],
    ["+13055550100", { state: "georgia" }, { country: "US", state: "GA", found_by: "column" }],
    ["+13055550100", { state: "US-GA", country: "us" }, { country: "US", state: "GA", found_by: "column" }],
    ["+13055550100", { country: "US" }, { country: "US", state: "FL", found_by: "column" }],
    ["+13055550100", { country: "DE" }, { country: "DE", state: null, found_by: "column" }],
    // What names nothing stays unknown: the number does not answer for the column.
    ["+13055550100", { state: "Narnia" }, { country: null, state: null, found_by: "unknown" }],
    ["+13055550100", { state: "Narnia", country: "US" }, { country: "US", state: null, found_by: "column" }],
    ["+13055550100", { country: "Narnia" }, { country: null, state: null, found_by: "unknown" }],
  ]
  it("is that of its columns, otherwise of its number, otherwise unknown", () => {
    for (const [number, fields, place] of cases) assert.deepStrictEqual<unknown>(placeOfContact(number, fields), place)
  })
  it("has the clocks of the number, and those of the columns if they name another place", () => {
    const zones = (number: string, fields: Record<string, string>) =>
      zonesOfPlace(number, fields, placeOfContact(number, fields))
    assert.deepStrictEqual(zones("+13055550100", {}), ["America/New_York"])
    assert.includeMembers(
      [...zones("+14155550100", { state: "FL" })],
      ["America/Los_Angeles", "America/New_York", "America/Chicago"],
    )
    assert.deepStrictEqual(zones("+14155550100", { country: "IN" }), ["America/Los_Angeles", "Asia/Calcutta"])
    assert.deepStrictEqual(zones("+14155550100", { country: "IN", time_zone: "Asia/Tokyo" }), ["Asia/Tokyo"])
  })
})
