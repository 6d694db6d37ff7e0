import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Schema } from "effect"
import * as JsonSchema from "../../src/catalog/JsonSchema.ts"

const faults = (schema: Schema.JsonObject) =>
  JsonSchema.check("/schema", schema).pipe(
    Effect.match({
      onFailure: (refusal) => ("errors" in refusal ? refusal.errors.map(({ pointer }) => pointer) : [refusal.message]),
      onSuccess: () => [] as Array<string>,
    }),
  )

describe("a tenant's JSON Schema", () => {
  it.live("a pattern that backtracks without end is refused by its time, and the event loop goes on meanwhile", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } }
      yield* JsonSchema.check("/schema", schema)
      const refusal = yield* Effect.flip(JsonSchema.faultsOf(schema, { text: `${"a".repeat(100_000)}!` }))
      assert.strictEqual(refusal._tag, "TooCostly")
    }),
  )

  it.effect("two patterns in one schema are two patterns", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } } }
      assert.deepStrictEqual(yield* JsonSchema.faultsOf(schema, { a: "a", b: "b" }), [])
      assert.deepStrictEqual(
        (yield* JsonSchema.faultsOf(schema, { a: "b", b: "a" })).map(({ pointer }) => pointer),
        ["/a", "/b"],
      )
    }),
  )

  it.effect("escapes of the language's own regular expressions are understood", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { pattern: "^\\u0041\\d{2}\\/\\p{Lu}(?<year>\\w+)$" } } }
      assert.deepStrictEqual(yield* JsonSchema.faultsOf(schema, { a: "A12/Ébc" }), [])
      assert.lengthOf(yield* JsonSchema.faultsOf(schema, { a: "A1/Ébc" }), 1)
    }),
  )

  it.effect("faults are pointers into the value, in sentences", () =>
    Effect.gen(function* () {
      const schema = {
        type: "object",
        properties: {
          "a/b": { type: "object", required: ["c"], additionalProperties: false, properties: { c: {} } },
          n: { type: "integer", minimum: 1 },
          of: { enum: ["x", "y"] },
        },
      }
      assert.deepStrictEqual(yield* JsonSchema.faultsOf(schema, { "a/b": { d: 1 }, n: 0, of: "z" }), [
        { pointer: "/a~1b/c", detail: "is required" },
        { pointer: "/a~1b/d", detail: "is not a known property" },
        { pointer: "/n", detail: "must be >= 1" },
        { pointer: "/of", detail: 'must be equal to one of the allowed values: "x", "y"' },
      ])
    }),
  )

  it.effect("the number of reported faults is limited", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { list: { items: { type: "string" } } } }
      assert.lengthOf(yield* JsonSchema.faultsOf(schema, { list: Array.from({ length: 10_000 }, () => 1) }), 50)
    }),
  )

  it.effect("formats are checked, and arguments are not coerced", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { at: { format: "date-time" }, n: { type: "integer" } } }
      assert.deepStrictEqual(yield* JsonSchema.faultsOf(schema, { at: "2026-11-21T10:00:00Z", n: 1 }), [])
      assert.lengthOf(yield* JsonSchema.faultsOf(schema, { at: "tomorrow", n: "1" }), 2)
    }),
  )

  it.effect("a number of 32 bits lies between -2³¹ and 2³¹ - 1", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { n: { type: "integer", format: "int32" } } }
      const isFaulty = (n: number) => Effect.map(JsonSchema.faultsOf(schema, { n }), (faults) => faults.length > 0)
      const verdicts = yield* Effect.forEach([-(2 ** 31) - 1, -(2 ** 31), 2 ** 31 - 1, 2 ** 31], isFaulty)
      assert.deepStrictEqual(verdicts, [true, false, false, true])
    }),
  )

  it.effect("what every object inherits is no member of a value", () =>
    Effect.gen(function* () {
      const schema = { type: "object", required: ["toString"], properties: { constructor: { type: "string" } } }
      assert.deepStrictEqual(
        (yield* JsonSchema.faultsOf(schema, {})).map(({ pointer }) => pointer),
        ["/toString"],
      )
    }),
  )

  it.effect("a reference leads to a schema inside and nowhere else", () =>
    Effect.gen(function* () {
      const to = ($ref: string) => ({ type: "object", properties: { a: { $ref } }, $defs: { "b/c": {} }, default: {} })
      assert.deepStrictEqual(yield* faults(to("#/$defs/b~1c")), [])
      for (const $ref of ["#/$defs/c", "b.json", "https://a.example/b", "file:///etc/passwd", "#c"]) {
        assert.deepStrictEqual(yield* faults(to($ref)), ["/schema/properties/a/$ref"])
      }
    }),
  )

  it.effect("a tree refers to itself by its parts; a schema that leads back at the same place is refused", () =>
    Effect.gen(function* () {
      const tree = {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
      }
      assert.deepStrictEqual(yield* faults(tree), [])
      const value = { name: "a", children: [{ name: "b", children: [{ name: 1 }] }] }
      assert.deepStrictEqual(yield* JsonSchema.faultsOf(tree, value), [
        { pointer: "/children/0/children/0/name", detail: "must be string" },
      ])
      assert.deepStrictEqual(yield* faults({ type: "object", allOf: [{ $ref: "#" }] }), ["/schema"])
    }),
  )

  it.effect("schemas as generators write them are accepted, and judged by", () =>
    Effect.gen(function* () {
      const draft7 = {
        $schema: "http://json-schema.org/draft-07/schema#",
        $id: "https://tools.example/order.json",
        type: "object",
        definitions: { sku: { $id: "#sku", type: "string" }, line: { $ref: "#sku" } },
        properties: {
          pair: { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false },
          line: { $ref: "https://tools.example/order.json#/definitions/line" },
        },
        dependencies: { line: ["pair"] },
      }
      assert.deepStrictEqual(yield* faults(draft7), [])
      assert.deepStrictEqual(yield* JsonSchema.faultsOf(draft7, { pair: [1, "a"], line: "x" }), [])
      assert.deepStrictEqual(
        (yield* JsonSchema.faultsOf(draft7, { pair: ["a", 1, 2], line: 3 })).map(({ pointer }) => pointer),
        ["/pair/0", "/pair/1", "/pair/2", "/line"],
      )
      assert.deepStrictEqual(
        (yield* JsonSchema.faultsOf(draft7, { line: "x" })).map(({ pointer }) => pointer),
        [""],
      )
    }),
  )

  it.effect("what is no schema is told by keyword", () =>
    Effect.gen(function* () {
      const wrong = {
        type: "object",
        properties: { a: { type: "text" }, b: { minimum: "1" }, c: 1, d: { required: "x" }, e: { $recursiveRef: "#" } },
        anyOf: [],
      }
      assert.deepStrictEqual(yield* faults(wrong), [
        "/schema/properties/a/type",
        "/schema/properties/b/minimum",
        "/schema/properties/c",
        "/schema/properties/d/required",
        "/schema/anyOf",
      ])
    }),
  )

  it.live("references that double at each step are refused by their time", () =>
    Effect.gen(function* () {
      const doubling = {
        type: "object",
        properties: { a: { $ref: "#/$defs/s0" } },
        $defs: {
          ...Object.fromEntries(
            Array.from({ length: 40 }, (_, at) => {
              const next = { $ref: `#/$defs/s${at + 1}` }
              return [`s${at}`, { allOf: [next, next] }]
            }),
          ),
          s40: { type: "string" },
        },
      }
      assert.deepStrictEqual(yield* faults(doubling), [])
      assert.strictEqual((yield* Effect.flip(JsonSchema.faultsOf(doubling, { a: "x" })))._tag, "TooCostly")
    }),
  )

  it.effect("no schema changes how another one is read", () =>
    Effect.gen(function* () {
      const draft = "https://json-schema.org/draft/2020-12/schema"
      for (const hostile of [
        { $id: draft, type: "object" },
        { type: "object", $defs: { a: { $id: draft, not: {} } }, properties: { a: { $ref: draft } } },
        { type: "object", $defs: { a: { $id: draft, $vocabulary: {} } } },
        {
          type: "object",
          $schema: "https://own.example/",
          $defs: { a: { $id: "https://own.example/", $vocabulary: {} } },
        },
      ]) {
        yield* faults(hostile)
        assert.deepStrictEqual(yield* faults({ type: "object", minProperties: 1 }), [])
        assert.deepStrictEqual(yield* faults({ type: "object", required: 1 }), ["/schema/required"])
        assert.lengthOf(yield* JsonSchema.faultsOf({ type: "object", minProperties: 1 }, {}), 1)
      }
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
