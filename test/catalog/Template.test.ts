import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { engine } from "../../src/catalog/Liquid.ts"
import * as Template from "../../src/catalog/Template.ts"

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
