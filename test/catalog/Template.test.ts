import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engine, parse } from "../../src/catalog/Liquid.ts"
import * as Template from "../../src/catalog/Template.ts"
import { analyse } from "../../src/catalog/TemplateVariables.ts"
import { fillTemplates } from "../../src/catalog/TemplateWork.ts"
import { Budget, OutOfSteps } from "../../src/offload/Budget.ts"
import { inlineSteps } from "../../src/offload/Offload.ts"

const refusal = (text: string) => Effect.flip(Template.check("/system_prompt", text))
const render = (text: string, variables: object) =>
  Effect.promise(async () => String(await engine.parseAndRender(text, variables)))

describe("a prompt's template", () => {
  it.effect("a fault says where it is, under the field's pointer", () =>
    Effect.gen(function* () {
      const refused = yield* refusal("Hello\n{{ name")
      const errors = refused._tag === "Invalid" ? refused.errors : []
      assert.strictEqual(errors[0]?.pointer, "/system_prompt")
      assert.strictEqual(errors[0]?.detail, "line 2: {{ is never closed")
    }),
  )

  it.effect.each([
    ["Hi\n\n{% if name", "line 3: {% is never closed"],
    ["Hi\n{% if name %}you", "line 2: {% if %} has no {% endif %}"],
    ["{% greet %}", "line 1: there is no tag greet"],
    ["{{ name | shout }}", "line 1: there is no filter shout"],
  ] as const)("a fault names what stands in the text: %s", ([text, said]) =>
    Effect.map(refusal(text), (refused) => {
      assert.strictEqual(refused._tag === "Invalid" ? refused.errors[0]?.detail : refused._tag, said)
    }),
  )

  it.effect("tags that read files are no tags", () =>
    Effect.forEach(["include", "render", "layout", "block"], (tag) => refusal(`{% ${tag} 'x' %}`)),
  )

  it.live("what is too long or nested too deeply is refused, not a crash", () =>
    Effect.gen(function* () {
      yield* refusal("x".repeat(300_000))
      yield* refusal(`${"{% if a %}".repeat(9_000)}x`)
    }),
  )

  it.effect("a variable that is missing renders as nothing, and own properties alone are seen", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* render("[{{ a }}{{ b.constructor }}{{ b.toString }}]", { b: {} }), "[]")
      assert.strictEqual(yield* render('{{ first_name | default: "there" }}', {}), "there")
    }),
  )

  it.effect("a loop without measure is stopped", () =>
    Effect.gen(function* () {
      const endless = "{% for i in (1..100000000) %}{% for j in (1..100000000) %}x{% endfor %}{% endfor %}"
      const before = performance.now()
      const exit = yield* Effect.exit(Effect.tryPromise(() => engine.parseAndRender(endless)))
      assert.strictEqual(exit._tag, "Failure")
      assert.isBelow(performance.now() - before, 60_000)
    }),
  )

  it.live.each([
    ['{{ "now" | date: format | size }}', { format: "%A".repeat(300) }],
    [
      '{{ v | split: "" | where_exp: "x", condition | size }}',
      { v: "ab".repeat(500), condition: "x == 'b' and x == 'b'" },
    ],
    ['{{ v | split: "" | find_index: path }}', { v: "ab".repeat(500), path: "size.size.size" }],
  ] as const)(
    "a filter that takes much time and little memory is run in a worker, with the same result: %s",
    ([text, variables]) =>
      Effect.gen(function* () {
        assert.throws(() => fillTemplates({ templates: [text], variables }, new Budget(inlineSteps)), OutOfSteps)
        assert.strictEqual(yield* Template.render(text, variables), yield* render(text, variables))
      }),
  )

  it.each([
    ["arguments", `{{ a | append: ${"b,".repeat(20_000)}b }}`],
    ["arguments in brackets", `{{ a | append: ${'["!"],'.repeat(5_000)}b }}`],
    ["conditions", `{% if ${"a and ".repeat(6_000)}a %}x{% endif %}`],
  ])("one with thousands of %s is not parsed in this process, and not analysed at all", (_, text) => {
    assert.throws(() => parse(text, new Budget(inlineSteps)), OutOfSteps)
    assert.deepStrictEqual(analyse(text, new Budget(inlineSteps)), { names: [], needs: [] })
  })

  it.effect("one that is kept keeps nothing of a rendering, and comes again when many others came between", () =>
    Effect.gen(function* () {
      const template = "{% assign who = name %}{{ who }} {% increment n %}{% cycle 'a', 'b' %}"
      const texts = ["Ada", "Bo"].map((name) => Template.render(template, { name }))
      assert.deepStrictEqual(yield* Effect.all(texts), ["Ada 0a", "Bo 0a"])
      const others = Array.from({ length: 500 }, (_, at) => Template.render(`${at} {{ name }}`, { name: "Ada" }))
      assert.strictEqual((yield* Effect.all(others))[499], "499 Ada")
      assert.deepStrictEqual(yield* Effect.all(texts), ["Ada 0a", "Bo 0a"])
    }),
  )
})
