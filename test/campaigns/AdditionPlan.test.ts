import { assert, describe, it } from "@effect/vitest"
import { type Addition, type Known, planAdditions, type PresentList } from "../../src/campaigns/lists/AdditionPlan.ts"
import { ContactId } from "../../src/domain/Contact.ts"
import { mostContacts } from "../../src/domain/ContactChange.ts"
import { E164 } from "../../src/domain/E164.ts"

const idOf = (at: number) => ContactId.make(`00000000-0000-7000-8000-${String(at).padStart(12, "0")}`)
const ada = E164.make("+14155550101")

const row = (
  external_id?: string,
  number: E164 | undefined = ada,
  custom_fields?: Record<string, string>,
): Addition => ({
  contact: { phone_number: number, ...(external_id && { external_id }), ...(custom_fields && { custom_fields }) },
  number,
})
const known = (fields: Partial<Known> = {}): Known => ({
  ...{ id: idOf(7), external_id: "a", status: "pending", attempts: 0, has_same_number: true, has_same_fields: false },
  ...{ priority: 0, additional_numbers: [] },
  ...fields,
})
const plan = (additions: ReadonlyArray<Addition>, present: Partial<PresentList> = {}) => {
  let last = 100
  return planAdditions(
    additions,
    {
      ...{ total: 0, columns: [], default_country: undefined, known: [], owners: new Map(), keepsDuplicates: false },
      ...present,
    },
    () => idOf(++last),
  )
}
const words = (additions: ReadonlyArray<Addition>, present: Partial<PresentList> = {}) =>
  plan(additions, present).report.items.map(({ reason, result }) => reason ?? result)

describe("a row of a batch of contacts", () => {
  it.each([
    ["created", undefined],
    ["unchanged", known({ has_same_fields: true, status: "completed" })],
    ["updated", known()],
    ["updated", known({ attempts: 1 })],
    ["updated", known({ has_same_number: false })],
    ["already_called", known({ attempts: 1, has_same_number: false })],
    ["in_progress", known({ status: "in_progress" })],
    ["settled", known({ status: "completed" })],
    ["settled", known({ status: "failed" })],
    ["settled", known({ status: "skipped" })],
  ] as const)("is %s if its external id stands for %o", (expected, contact) => {
    assert.deepStrictEqual(words([row("a")], { known: contact === undefined ? [] : [contact] }), [expected])
  })

  it("keeps the priority of a known contact that it does not name, and is an update if it names another", () => {
    const present = { known: [known({ has_same_fields: true, priority: 7 })] }
    const named = (priority: number): Addition => ({ number: ada, contact: { ...row("a").contact, priority } })
    assert.deepStrictEqual(words([row("a")], present), ["unchanged"])
    assert.deepStrictEqual(words([named(7)], present), ["unchanged"])
    assert.deepStrictEqual(
      plan([named(0)], present).updated.map(({ priority }) => priority),
      [0],
    )
  })

  it("is a duplicate of the contact that has its number, unless the campaign keeps duplicates", () => {
    const owners = new Map([[ada, idOf(3)]])
    const [item] = plan([row("b")], { owners }).report.items
    assert.deepInclude(item, { result: "duplicate", contact_id: idOf(3) })
    assert.deepStrictEqual(words([row("b")], { owners, keepsDuplicates: true }), ["created"])
    assert.deepStrictEqual(words([row(), row()], {}), ["created", "duplicate"])
    assert.deepStrictEqual(words([row("a")], { owners, known: [known({ has_same_number: false })] }), ["duplicate"])
  })

  it("with the external id of an earlier row is a duplicate of it, whatever the number", () => {
    const other = E164.make("+14155550102")
    const { created, report } = plan([row("a"), row("a", other)], { keepsDuplicates: true })
    assert.deepInclude(report.items[1], { result: "duplicate", contact_id: created[0]!.id })
    assert.deepInclude(report, { created: 1, duplicate: 1 })
  })

  it("is refused beyond 199 custom fields of the campaign, and beyond its largest size", () => {
    const columns = Array.from({ length: 199 }, (_, at) => `c${at}`)
    assert.deepStrictEqual(words([row("a", ada, { c1: "x" })], { columns }), ["created"])
    assert.deepStrictEqual(words([row("a", ada, { new: "x" })], { columns }), ["too_many_fields"])
    assert.deepStrictEqual(words([row("a")], { total: mostContacts }), ["campaign_full"])
    assert.deepStrictEqual(plan([row("a", ada, { b: "1" })], { columns: ["a"] }).columns, ["a", "b"])
  })

  it("with an impossible number says why, and changes nothing", () => {
    const additions = [{ contact: { phone_number: "12", external_id: "a" }, number: undefined }]
    const { created, report } = plan(additions)
    assert.deepStrictEqual(created, [])
    assert.strictEqual(report.items[0]?.detail, "12 has no country code. Choose a default country (default_country)")
  })
})
