/**
 * What a tenant's JSON Schema may be made of, judged without compiling it. A schema is code of the tenant's that runs
 * in everybody's process: 20,000 properties overflow the compiler's stack, and references that double at each step
 * take 2^n steps on a value of one.
 */
import { JsonPointer, type Schema } from "effect"
import type { Issue } from "../domain/Refusals.ts"

const maximumBytes = 64 * 1024
const maximumDepth = 16
const maximumProperties = 200
/** Subschemas that one value may have to pass, with every reference written out. */
const maximumSteps = 10_000

const single = [
  ...["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
]
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"]
const maps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const definitions = new Set(["$defs", "definitions"])
/** Names of places other than by JSON pointer; a pointer within the schema says the same. */
const unsupported = ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"]

export interface Knowledge {
  readonly isKnownFormat: (format: string) => boolean
  /** Throws when the engine does not know the pattern. */
  readonly compilePattern: (pattern: string) => unknown
}

/** Faults as pointers into the schema; none: it may be compiled. */
export const faultsOf = (schema: Schema.JsonObject, knowledge: Knowledge): ReadonlyArray<Issue> => {
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > maximumBytes) return [{ pointer: "", detail: `must have at most 64 KiB; it has ${bytes} bytes` }]
  const found = new Inspection(schema, knowledge)
  found.visit(schema, "", 0)
  if (found.faults.length === 0) found.countSteps()
  return found.faults
}

class Inspection {
  readonly faults: Array<Issue> = []
  private readonly root: Schema.JsonObject
  private readonly knowledge: Knowledge
  private properties = 0
  /** Every schema inside by its pointer, made when the first reference asks. */
  private places: ReadonlyMap<string, Schema.Json> | undefined

  constructor(root: Schema.JsonObject, knowledge: Knowledge) {
    this.root = root
    this.knowledge = knowledge
  }

  private refuse(pointer: string, detail: string): void {
    this.faults.push({ pointer, detail })
  }

  visit(schema: Schema.Json, pointer: string, depth: number): void {
    if (!isObject(schema)) return
    if (depth > maximumDepth) return this.refuse(pointer, `must not be nested deeper than ${maximumDepth} schemas`)
    for (const name of unsupported) {
      if (schema[name] !== undefined) this.refuse(`${pointer}/${name}`, "is not supported; refer by JSON pointer")
    }
    if (depth > 0 && schema["$id"] !== undefined) this.refuse(`${pointer}/$id`, "is not supported inside a schema")
    this.visitReference(schema["$ref"], `${pointer}/$ref`)
    const { format, pattern } = schema
    if (typeof format === "string" && !this.knowledge.isKnownFormat(format)) {
      this.refuse(`${pointer}/format`, `is no known format: ${format}`)
    }
    if (typeof pattern === "string") this.visitPattern(pattern, `${pointer}/pattern`)
    for (const pattern of Object.keys(objectAt(schema, "patternProperties"))) {
      this.visitPattern(pattern, `${pointer}/patternProperties/${JsonPointer.escapeToken(pattern)}`)
    }
    const before = this.properties
    this.properties += Object.keys(objectAt(schema, "properties")).length
    if (before <= maximumProperties && this.properties > maximumProperties) {
      this.refuse(`${pointer}/properties`, `must not bring the schema to more than ${maximumProperties} properties`)
    }
    if (this.properties > maximumProperties) return
    for (const [key, inner] of subschemas(schema)) this.visit(inner, `${pointer}${key}`, depth + 1)
  }

  private visitReference(reference: Schema.Json | undefined, pointer: string): void {
    if (typeof reference !== "string") return
    if (!reference.startsWith("#"))
      return this.refuse(pointer, "must be a reference within the schema, beginning with #")
    if (this.resolve(reference) === undefined) this.refuse(pointer, `refers to nothing: ${reference}`)
  }

  private visitPattern(pattern: string, pointer: string): void {
    try {
      this.knowledge.compilePattern(pattern)
    } catch {
      this.refuse(pointer, "must be a regular expression of RE2: no look-around, no back-references")
    }
  }

  /** Only what stands where a schema stands may be referred to, so that `visit` has seen all of it. */
  private resolve(reference: string): Schema.Json | undefined {
    if (reference === "#") return this.root
    if (!reference.startsWith("#/")) return undefined
    this.places ??= placesIn(this.root)
    return this.places.get(decodeFragment(reference))
  }

  /** A schema that leads back to itself, or fans out too far, is refused: its time would not be linear. */
  countSteps(): void {
    const known = new Map<Schema.Json, number>()
    const open = new Set<Schema.Json>()
    const count = (schema: Schema.Json): number => {
      if (!isObject(schema)) return 1
      const before = known.get(schema)
      if (before !== undefined) return before
      if (open.has(schema)) return Number.POSITIVE_INFINITY
      open.add(schema)
      const { $ref } = schema
      let steps = 1 + (typeof $ref === "string" ? count(this.resolve($ref) ?? true) : 0)
      for (const [key, inner] of subschemas(schema)) {
        if (!definitions.has(key.split("/")[1] ?? "")) steps += count(inner)
      }
      open.delete(schema)
      known.set(schema, steps)
      return steps
    }
    const steps = count(this.root)
    if (steps === Number.POSITIVE_INFINITY) this.refuse("", "must not refer back to itself")
    else if (steps > maximumSteps) this.refuse("", `must not unfold to more than ${maximumSteps} schemas`)
  }
}

const placesIn = (root: Schema.JsonObject): ReadonlyMap<string, Schema.Json> => {
  const found = new Map<string, Schema.Json>()
  const add = (schema: Schema.Json, pointer: string, depth: number): void => {
    found.set(pointer, schema)
    if (!isObject(schema) || depth > maximumDepth) return
    for (const [key, inner] of subschemas(schema)) add(inner, pointer + key, depth + 1)
  }
  add(root, "", 0)
  return found
}

/** The schemas directly inside, each by the rest of its pointer. */
const subschemas = (schema: Schema.JsonObject): ReadonlyArray<readonly [string, Schema.Json]> => [
  ...single.flatMap((key) => (schema[key] === undefined ? [] : [[`/${key}`, schema[key]] as const])),
  ...lists.flatMap((key) => {
    const list = schema[key]
    return Array.isArray(list) ? list.map((inner: Schema.Json, at) => [`/${key}/${at}`, inner] as const) : []
  }),
  ...maps.flatMap((key) =>
    Object.entries(objectAt(schema, key)).map(
      ([name, inner]) => [`/${key}/${JsonPointer.escapeToken(name)}`, inner] as const,
    ),
  ),
]

const decodeFragment = (reference: string): string => {
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return reference.slice(1)
  }
}

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectAt = (schema: Schema.JsonObject, key: string): Schema.JsonObject => {
  const value = schema[key]
  return isObject(value) ? value : {}
}
