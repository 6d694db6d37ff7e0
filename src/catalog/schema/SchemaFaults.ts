/**
 * What a tenant's JSON Schema may be made of. Whatever passes can be judged by, and judging at one place of a value
 * ends: how long it takes for a whole value, a budget or a deadline says.
 */
import type { Schema } from "effect"
import type { Issue } from "../../domain/Refusals.ts"
import type { Budget } from "../../offload/Budget.ts"
import { isKnownFormat } from "./Formats.ts"
import { escapeToken, type Form, forms, innerSchemas, isObject, member } from "./Keywords.ts"
import { Patterns } from "./Patterns.ts"
import { Places } from "./Places.ts"

const maximumDepth = 16
const maximumProperties = 200
/** Schemas that one place of a value may have to pass, with every reference written out. */
const maximumSteps = 10_000
/** References and schemas one behind the other, at one place. */
const longestChain = 64
/** As many faults as anybody reads. */
const mostFaults = 50

const recursive = ["$recursiveRef", "$recursiveAnchor"]

/** Faults as pointers into the schema; none: values can be judged by it. Throws `OutOfSteps`. */
export const faultsInSchema = (schema: Schema.JsonObject, budget: Budget): ReadonlyArray<Issue> => {
  const inspection = new Inspection(schema, budget)
  inspection.visit(schema, "", 0)
  if (inspection.faults.length === 0) inspection.followReferences()
  if (inspection.faults.length === 0) inspection.countSteps()
  return inspection.faults.slice(0, mostFaults)
}

class Inspection {
  readonly faults: Array<Issue> = []
  private readonly root: Schema.JsonObject
  private readonly budget: Budget
  private readonly patterns = new Patterns()
  private readonly references: Array<{ readonly schema: Schema.JsonObject; readonly pointer: string }> = []
  private places: Places | undefined
  private properties = 0

  constructor(root: Schema.JsonObject, budget: Budget) {
    this.root = root
    this.budget = budget
  }

  private refuse(pointer: string, detail: string): void {
    this.faults.push({ pointer, detail })
  }

  visit(schema: Schema.Json, pointer: string, depth: number): void {
    this.budget.spend(20)
    if (!isObject(schema) || this.faults.length >= mostFaults) return
    if (depth > maximumDepth) return this.refuse(pointer, `must not be nested deeper than ${maximumDepth} schemas`)
    for (const [keyword, operand] of Object.entries(schema)) {
      this.budget.spend(5)
      this.visitKeyword(keyword, operand, `${pointer}/${escapeToken(keyword)}`)
    }
    if (referencesOf(schema).length > 0) this.references.push({ schema, pointer })
    const before = this.properties
    this.properties += Object.keys(objectAt(schema, "properties")).length
    if (before <= maximumProperties && this.properties > maximumProperties) {
      this.refuse(`${pointer}/properties`, `must not bring the schema to more than ${maximumProperties} properties`)
    }
    if (this.properties > maximumProperties) return
    for (const inner of innerSchemas(schema)) this.visit(inner.schema, `${pointer}${inner.pointer}`, depth + 1)
  }

  private visitKeyword(keyword: string, operand: Schema.Json, pointer: string): void {
    if (recursive.includes(keyword)) return this.refuse(pointer, "is not supported; use $dynamicRef and $dynamicAnchor")
    const form = forms.get(keyword)
    if (form === undefined) return
    if (!hasForm(operand, form)) return this.refuse(pointer, `must be ${words[form]}`)
    if (keyword === "pattern") this.visitPattern(String(operand), pointer)
    if (keyword === "format" && !isKnownFormat(String(operand))) {
      this.refuse(pointer, `is no known format: ${String(operand).slice(0, 100)}`)
    }
    if (keyword !== "patternProperties" || !isObject(operand)) return
    for (const pattern of Object.keys(operand)) this.visitPattern(pattern, `${pointer}/${escapeToken(pattern)}`)
  }

  private visitPattern(pattern: string, pointer: string): void {
    if (!this.patterns.isKnown(pattern, this.budget)) {
      this.refuse(pointer, "must be a regular expression of RE2: no look-around, no back-references")
    }
  }

  /** Only what stands in the schema, where a schema stands, may be referred to: nothing is fetched. */
  followReferences(): void {
    const places = (this.places = new Places(this.root, this.budget))
    for (const { pointer, schema } of this.references) {
      for (const [keyword, reference] of referencesOf(schema)) {
        if (places.find(reference, places.resourceOf(schema)) === undefined) {
          const detail = "must refer to a schema inside of this one; nothing is fetched from elsewhere"
          this.refuse(`${pointer}/${keyword}`, detail)
        }
      }
    }
  }

  /**
   * A reference may lead back to where it stands only by a part of the value, which ends, as in a tree of comments. One
   * that leads back at the same place would never end, and those that fan out there double with each step.
   */
  countSteps(): void {
    const { places } = this
    if (places === undefined) return
    const known = new Map<Schema.Json, number>()
    const open = new Set<Schema.Json>()
    let most = 0
    const count = (schema: Schema.Json): number => {
      if (!isObject(schema)) return 1
      const before = known.get(schema)
      if (before !== undefined) return before
      if (open.has(schema)) return Number.POSITIVE_INFINITY
      if (open.size === longestChain) return maximumSteps + 1
      this.budget.spend(20)
      open.add(schema)
      let steps = 1
      for (const [, reference] of referencesOf(schema)) {
        steps += count(places.find(reference, places.resourceOf(schema))?.schema ?? true)
      }
      for (const inner of innerSchemas(schema)) if (inner.isInPlace) steps += count(inner.schema)
      open.delete(schema)
      known.set(schema, steps)
      most = Math.max(most, steps)
      return steps
    }
    const countAll = (schema: Schema.Json): void => {
      count(schema)
      if (isObject(schema)) for (const inner of innerSchemas(schema)) countAll(inner.schema)
    }
    countAll(this.root)
    if (most === Number.POSITIVE_INFINITY) {
      this.refuse("", "must not refer back to itself without a property or an item in between")
    } else if (most > maximumSteps) {
      const detail = `must not unfold to more than ${maximumSteps} schemas for one value, nor to more than ${longestChain} inside of each other`
      this.refuse("", detail)
    }
  }
}

const referencesOf = (schema: Schema.JsonObject): ReadonlyArray<readonly [string, string]> =>
  ["$ref", "$dynamicRef"].flatMap((keyword) => {
    const reference = member(schema, keyword)
    return typeof reference === "string" ? [[keyword, reference] as const] : []
  })

const objectAt = (schema: Schema.JsonObject, keyword: string): Schema.JsonObject => {
  const value = member(schema, keyword)
  return isObject(value) ? value : {}
}

const types = new Set(["null", "boolean", "object", "array", "number", "string", "integer"])

const words: Record<Form, string> = {
  schema: "a schema: an object, true or false",
  "schemas in a list": "a list of schemas, with one at least",
  "schema or schemas in a list": "a schema, or a list of schemas",
  "schemas by name": "an object of schemas",
  "schemas or names by name": "an object of schemas or lists of names",
  names: "a list of texts, each once",
  "names by name": "an object of lists of names",
  types: `one of ${[...types].join(", ")}, or a list of them`,
  list: "a list",
  text: "a text",
  number: "a number",
  "number above 0": "a number above 0",
  "whole number": "a whole number, 0 or more",
  "true or false": "true or false",
}

const isSchema = (value: Schema.Json): boolean => typeof value === "boolean" || isObject(value)

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const areNames = (value: Schema.Json): boolean =>
  isList(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length

const areTypes = (value: Schema.Json): boolean => isList(value) && areNames(value) && value.every(isType)

const isType = (value: Schema.Json): boolean => typeof value === "string" && types.has(value)

const membersAre = (value: Schema.Json, test: (member: Schema.Json) => boolean): boolean =>
  isObject(value) && Object.values(value).every(test)

const hasForm = (operand: Schema.Json, form: Form): boolean => {
  switch (form) {
    case "schema":
      return isSchema(operand)
    case "schemas in a list":
      return isList(operand) && operand.length > 0 && operand.every(isSchema)
    case "schema or schemas in a list":
      return isSchema(operand) || (isList(operand) && operand.every(isSchema))
    case "schemas by name":
      return membersAre(operand, isSchema)
    case "schemas or names by name":
      return membersAre(operand, (value) => isSchema(value) || areNames(value))
    case "names":
      return areNames(operand)
    case "names by name":
      return membersAre(operand, areNames)
    case "types":
      return isType(operand) || areTypes(operand)
    case "list":
      return isList(operand)
    case "text":
      return typeof operand === "string"
    case "number":
      return typeof operand === "number"
    case "number above 0":
      return typeof operand === "number" && operand > 0
    case "whole number":
      return Number.isInteger(operand) && Number(operand) >= 0
    case "true or false":
      return typeof operand === "boolean"
  }
}
