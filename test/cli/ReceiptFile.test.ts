/** A file of receipts, as an auditor reads it: it may be an honest one, or any other file. */
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Hashes from "../../src/campaigns/receipts/ReceiptHashes.ts"
import * as RuleContents from "../../src/catalog/RuleContents.ts"
import { linesOfFile } from "../../src/cli/ReceiptFile.ts"
import { canonicalJson } from "../../src/domain/CanonicalJson.ts"
import { noHash, type ReceiptContent } from "../../src/domain/Receipt.ts"
import { ReceiptCheck } from "../../src/domain/ReceiptCheck.ts"
import { emptyFolder } from "../support/Process.ts"

const header = canonicalJson({ parley_receipts: 1 })

/** What a verification of a file with these lines finds. */
const faultsIn = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const file = join(emptyFolder(), "receipts.jsonl")
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
  const check = new ReceiptCheck({ ...Hashes, digestOf: RuleContents.digestOf })
  yield* Stream.runForEach(linesOfFile(file), (line) => Effect.sync(() => check.add(line)))
  check.end()
  return check.faults
})

const content: ReceiptContent = {
  format: 1,
  ...{ call_id: "a", campaign_id: "b", contact_id: "c", attempt_number: 1, agent_id: "d", agent_name: "e" },
  ...{ agent_version: 1, phone_number_id: "f", from_number: "+12125550100", to_number: "+12125550101" },
  ...{ started_at: "2026-11-28T10:00:00.000000Z", decision: {} },
}

/** The lines of a chain with this one receipt, whose hashes are right. */
const chainOf = (receipt: ReceiptContent): ReadonlyArray<string> => {
  const nonce = "0".repeat(32)
  const leaf = Hashes.leafOf(nonce, receipt)
  const at = receipt.started_at
  const times = { first_at: at, last_at: at, sealed_at: at }
  const seal = { first_seq: 1, count: 1, ...times, previous: noHash, root: Hashes.rootOf([leaf]) }
  return [
    header,
    canonicalJson({ packs: [], rules: RuleContents.digestOf([]) }),
    canonicalJson({ seal: 1, ...seal, hash: Hashes.hashOf({ number: 1, ...seal }), pruned: false }),
    canonicalJson({ seq: 1, leaf, state: "kept", nonce, receipt }),
  ]
}

it.effect("ends its lines only where Parley ends them, although a text may have other line separators", () =>
  Effect.gen(function* () {
    const pack = JSON.parse(readFileSync("test/bench/rules/every-kind.json", "utf8"))
    const { id, jurisdiction, version } = pack
    const rules = pack.rules.map((rule: object) => ({ ...rule, source: "Section 1.\u2028Section 2.\u2029\u0085" }))
    const packs = [{ id, version, jurisdiction, rules }]
    assert.deepStrictEqual(yield* faultsIn(header, canonicalJson({ rules: RuleContents.digestOf(packs), packs })), [])
  }),
)

it.effect("cannot show a decision as an erased one, or as a missing one, and keep its content", () =>
  Effect.gen(function* () {
    const lines = chainOf(content)
    assert.deepStrictEqual(yield* faultsIn(...lines), [])
    for (const state of ["erased", "missing"]) {
      const renamed = lines.map((line) => line.replace('"state":"kept"', `"state":"${state}"`))
      assert.lengthOf(yield* faultsIn(...renamed), 1, state)
      const other = renamed.map((line) => line.replace("+12125550101", "+12125550199"))
      assert.lengthOf(yield* faultsIn(...other), 1, state)
    }
  }),
)

it.effect("is judged to its end, whatever a line has", () =>
  Effect.gen(function* () {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    const lines = chainOf(content)
    for (const levels of [40, 1_000, 100_000]) {
      const nested = lines.map((line) => line.replace('"decision":{}', `"decision":${deep(levels)}`))
      assert.isNotEmpty(yield* faultsIn(...nested), `${levels} levels`)
    }
    for (const decided_at of ["never", "+275760-09-13T00:00:00.001Z"]) {
      for (const zone of ["Europe/Atlantis", ""]) {
        const decision = factsWith(decided_at, zone)
        const [fault, ...others] = yield* faultsIn(...chainOf({ ...content, decision }))
        assert.match(fault ?? "", /^receipt 1 in seal 1, call a: the replay differs: /, `${decided_at} ${zone}`)
        assert.isEmpty(others)
      }
    }
    const decision = factsWith("2026-11-28T10:00:00.000Z", "Europe/Atlantis")
    assert.match(
      (yield* faultsIn(...chainOf({ ...content, decision }))).join(),
      /time zone data of the decision: 2099z/,
    )
  }),
)

it.effect("is refused with a sentence if it is a folder", () =>
  Effect.gen(function* () {
    const folder = emptyFolder()
    const refusal = yield* Effect.flip(Stream.runDrain(linesOfFile(folder)))
    assert.match(refusal.why, /cannot be read: /)
    assert.include(refusal.why, folder)
  }),
)

/** The facts of a decision that cannot have been made. */
const factsWith = (decided_at: string, zone: string) => ({
  ...{ rule: "first_attempt", attempt: 1, due_at: null, waited_for: null, do_not_call: false, decided_at },
  ...{ slots: { used: 0, limit: 1 }, campaign_minute: { used: 0, limit: null }, caps: {}, window: null },
  data: { time_zones: "2099z", prefixes: "1" },
  rules: {
    ...{ packs: {}, content: RuleContents.digestOf([]), place: { country: null, state: null, found_by: "unknown" } },
    ...{ zones: [zone], local_times: { [zone]: "Sat 10:00" }, earlier: [] },
  },
})
