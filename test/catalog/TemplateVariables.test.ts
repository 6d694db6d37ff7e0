import { assert, describe, it } from "@effect/vitest"
import { analyse, sentenceWithout } from "../../src/catalog/TemplateVariables.ts"
import { Budget } from "../../src/offload/Budget.ts"

const budget = new Budget(Number.POSITIVE_INFINITY)

const names = (template: string) => analyse(template, budget).needs.map(({ name }) => name)

describe("the variables that a template cannot do without", () => {
  it("are those that it speaks as they are", () => {
    assert.deepStrictEqual(names('{{ first_name }} {{ campaign.name | upcase }} {{ ["Last visit"] }}'), [
      "first_name",
      "campaign.name",
      "['Last visit']",
    ])
  })

  it("leave out those with a default, wherever it stands, and contain those that the default needs", () => {
    assert.deepStrictEqual(names('{{ a | default: "x" }}{{ b | upcase | default: c }}'), ["c"])
    assert.deepStrictEqual(names('{% assign a = b | default: "x" %}{{ a }}'), [])
  })

  it("are not those that a condition has asked for", () => {
    assert.deepStrictEqual(names("{% if a %}{{ a }}{% endif %}{% unless b %}{{ b }}{% endunless %}"), [])
    assert.deepStrictEqual(names('{% case c %}{% when "1" %}{{ c }}{% endcase %}'), [])
    assert.deepStrictEqual(names("{% if a %}{{ b }}{% endif %}{{ a }}"), ["a", "b"])
  })

  it("are not those that the template makes itself", () => {
    assert.deepStrictEqual(
      names('{% assign a = "1" %}{{ a }}{% for b in (1..2) %}{{ b }}{{ forloop.index }}{% endfor %}'),
      [],
    )
    assert.deepStrictEqual(names("{% for b in list %}{{ b.name }}{% endfor %}"), ["list"])
  })

  it("are none of a text that is no template", () => {
    assert.deepStrictEqual(names("{{ a"), [])
  })

  it("are found in a long prompt, and given up in one that is nothing but variables, before the event loop is held", () => {
    assert.deepStrictEqual(names(`${"x".repeat(90_000)}{{ a }}`), ["a"])
    for (const huge of ["{{a}}".repeat(20_000), `${"{% if a %}".repeat(9_000)}{{ b }}${"{% endif %}".repeat(9_000)}`]) {
      const began = performance.now()
      assert.deepStrictEqual(names(huge), [])
      assert.isBelow(performance.now() - began, 30_000)
    }
  })
})

describe("the sentence with a hole", () => {
  const greeting =
    "Hello {{first_name}}, this is the clinic. It is long since your last visit on {{last_visit}}. Will you come?"
  const said = (template: string, name: string, variables = {}, isSpokenFirst = false) => {
    const needed = analyse(template, budget).needs.find((need) => need.name === name)
    assert.isDefined(needed)
    return sentenceWithout({ template, needed, variables, isSpokenFirst }, budget)
  }

  it("is the one in which the variable would stand, with all else filled in", () => {
    assert.strictEqual(said(greeting, "last_visit", { first_name: "Ada" }), "It is long since your last visit on .")
    assert.strictEqual(said(greeting, "first_name"), "Hello , this is the clinic.")
    assert.strictEqual(said(greeting, "first_name", {}, true), "Hello, this is the clinic.")
    assert.strictEqual(said("For {{ campaign.nam }}, hello.", "campaign.nam"), "For , hello.")
  })

  it("does not begin after a title", () => {
    const visit = "Hello. Your visit to {{dentist}} on {{day}} is due. Will you come?"
    assert.strictEqual(said(visit, "day", { dentist: "Dr. Osei" }), "Your visit to Dr. Osei on  is due.")
    assert.strictEqual(said("This is Mrs. Lam. Come on {{day}}.", "day"), "Come on .")
  })

  it("is null where the value is changed beyond recognition, or the template takes too long", () => {
    assert.isNull(said("Come {{ day | size }}.", "day"))
    assert.isNull(said("{% for i in (1..10000000) %}{{ x }}{% for j in (1..10000000) %}x{% endfor %}{% endfor %}", "x"))
  })
})
