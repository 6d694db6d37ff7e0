import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Schema } from "effect"
import * as JsonSchema from "../../src/catalog/JsonSchema.ts"

const faults = (schema: Schema.JsonObject) =>
  JsonSchema.check("/schema", schema).pipe(
    Effect.match({
      onFailure: ({ errors }) => errors.map(({ pointer }) => pointer),
      onSuccess: () => [] as Array<string>,
    }),
  )

describe("a tenant's JSON Schema", () => {
  it.effect("^(a+)+$ on 100,000 characters is answered at once: the engine is linear", () =>
    Effect.gen(function* () {
      const schema = {
        type: "object",
        properties: { text: { type: "string", pattern: "^(a+)+$" } },
        patternProperties: { "^(b+)+$": { type: "integer" } },
      }
      yield* JsonSchema.check("/schema", schema)
      const validate = JsonSchema.validator(schema)
      const before = performance.now()
      assert.lengthOf(validate({ text: `${"a".repeat(100_000)}!` }), 1)
      assert.lengthOf(validate({ [`${"b".repeat(100_000)}!`]: "x" }), 0)
      assert.isBelow(performance.now() - before, 30_000)
    }),
  )

  it("two patterns in one schema are two patterns", () => {
    const schema = { type: "object", properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } } }
    assert.deepStrictEqual(JsonSchema.validator(schema)({ a: "a", b: "b" }), [])
    assert.deepStrictEqual(
      JsonSchema.validator(schema)({ a: "b", b: "a" }).map(({ pointer }) => pointer),
      ["/a", "/b"],
    )
  })

  it("escapes of the language's own regular expressions are understood", () => {
    const schema = { type: "object", properties: { a: { pattern: "^\\u0041\\d{2}\\/\\p{Lu}(?<year>\\w+)$" } } }
    assert.deepStrictEqual(JsonSchema.validator(schema)({ a: "A12/Ébc" }), [])
    assert.lengthOf(JsonSchema.validator(schema)({ a: "A1/Ébc" }), 1)
  })

  it("faults are pointers into the value", () => {
    const schema = {
      type: "object",
      properties: { "a/b": { type: "object", required: ["c"], additionalProperties: false, properties: { c: {} } } },
    }
    assert.deepStrictEqual(JsonSchema.validator(schema)({ "a/b": { d: 1 } }), [
      { pointer: "/a~1b/c", detail: "is required" },
      { pointer: "/a~1b/d", detail: "is not a known property" },
    ])
  })

  it("formats are checked, and arguments are not coerced", () => {
    const schema = { type: "object", properties: { at: { format: "date-time" }, n: { type: "integer" } } }
    const validate = JsonSchema.validator(schema)
    assert.deepStrictEqual(validate({ at: "2026-11-21T10:00:00Z", n: 1 }), [])
    assert.lengthOf(validate({ at: "tomorrow", n: "1" }), 2)
  })

  it("a schema object is compiled once", () => {
    const schema = { type: "object" }
    assert.strictEqual(JsonSchema.validator(schema), JsonSchema.validator(schema))
  })

  it.effect("200 properties pass and 201 do not, wherever they stand", () =>
    Effect.gen(function* () {
      const properties = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, {}]))
      assert.deepStrictEqual(yield* faults({ type: "object", properties: properties(200) }), [])
      const nested = { type: "object", properties: { ...properties(100), last: { properties: properties(100) } } }
      assert.deepStrictEqual(yield* faults(nested), ["/schema/properties/last/properties"])
    }),
  )

  it.effect("16 schemas deep pass and 17 do not", () =>
    Effect.gen(function* () {
      const deep = (levels: number): Schema.JsonObject =>
        levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } }
      assert.deepStrictEqual(yield* faults(deep(16)), [])
      assert.lengthOf(yield* faults(deep(17)), 1)
    }),
  )

  it.effect("a reference leads to a schema inside and nowhere else", () =>
    Effect.gen(function* () {
      const to = ($ref: string) => ({ type: "object", properties: { a: { $ref } }, $defs: { "b/c": {} }, default: {} })
      assert.deepStrictEqual(yield* faults(to("#/$defs/b~1c")), [])
      for (const $ref of ["#/$defs/c", "#/default", "b.json", "https://a.example/b", "file:///etc/passwd", "#c"]) {
        assert.deepStrictEqual(yield* faults(to($ref)), ["/schema/properties/a/$ref"])
      }
    }),
  )

  it.effect("a schema that refers back to itself is refused: time on a value would not be linear", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faults({ type: "object", properties: { child: { $ref: "#" } } }), ["/schema"])
      assert.deepStrictEqual(yield* faults({ type: "object", allOf: [{ $ref: "#" }] }), ["/schema"])
    }),
  )

  it.effect("references that double at each step are refused", () =>
    Effect.gen(function* () {
      const doubling = (steps: number) => ({
        type: "object",
        properties: { a: { $ref: "#/$defs/s0" } },
        $defs: {
          ...Object.fromEntries(
            Array.from({ length: steps }, (_, at) => {
              const next = { $ref: `#/$defs/s${at + 1}` }
              return [`s${at}`, { anyOf: [next, next] }]
            }),
          ),
          [`s${steps}`]: { type: "string" },
        },
      })
      assert.deepStrictEqual(yield* faults(doubling(5)), [])
      assert.deepStrictEqual(yield* faults(doubling(40)), ["/schema"])
    }),
  )

  it.effect("a property may be called like a keyword", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { format: { const: "x" }, pattern: {}, $ref: { type: "string" } } }
      assert.deepStrictEqual(yield* faults(schema), [])
      const odd: Schema.JsonObject = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
      assert.isTrue(Exit.isExit(yield* Effect.exit(JsonSchema.check("/schema", odd))))
    }),
  )
})
