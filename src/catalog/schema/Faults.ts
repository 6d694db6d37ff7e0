/** The faults of a value by a schema: pointers into the value, each with the rest of a sentence about that place. */
import type { EvaluationPlugin, ValidationContext } from "@hyperjump/json-schema/experimental"
import * as Instance from "@hyperjump/json-schema/instance/experimental"
import { JsonPointer } from "effect"
import type { Issue } from "../../domain/Refusals.ts"

/**
 * The maximum number of faults. A value of a megabyte may have a fault in each item, but a client reads only the first
 * few.
 */
const mostFaults = 50

/** The faults found inside a keyword or a schema; the library makes one context for each. */
interface Context extends ValidationContext {
  faults?: Array<Issue>
}

/** Collects faults while the library walks a schema. A branching keyword such as `anyOf` counts as one fault. */
export class Faults implements EvaluationPlugin<Context> {
  found: ReadonlyArray<Issue> = []

  afterKeyword: NonNullable<EvaluationPlugin<Context>["afterKeyword"]> = (
    [id, location, operand],
    instance,
    inner,
    isValid,
    outer,
    { simpleApplicator: passesOn = false },
  ) => {
    if (isValid) return
    const faults = passesOn ? (inner.faults ?? []) : faultsBy(id, operand, instance, location)
    outer.faults = merge(outer.faults ?? [], faults)
  }

  afterSchema: NonNullable<EvaluationPlugin<Context>["afterSchema"]> = (location, instance, context, isValid) => {
    if (!isValid && context.ast[location] === false) {
      const isRest = /\/(?:additional|unevaluated)Properties$/.test(location)
      context.faults = [{ pointer: instance.pointer, detail: isRest ? "is not a known property" : "is not allowed" }]
    }
    this.found = context.faults ?? []
  }
}

/** Adds faults without repetitions: a schema that is composed of others reports the same fault in each part. */
const merge = (before: ReadonlyArray<Issue>, faults: ReadonlyArray<Issue>): Array<Issue> => {
  const isNew = ({ detail, pointer }: Issue) =>
    !before.some((known) => known.pointer === pointer && known.detail === detail)
  return [...before, ...faults.filter(isNew)].slice(0, mostFaults)
}

const faultsBy = (
  id: string,
  operand: unknown,
  instance: Instance.JsonNode,
  location: string,
): ReadonlyArray<Issue> => {
  const { pointer } = instance
  const keyword = location.slice(location.lastIndexOf("/") + 1)
  if (id.endsWith("/required")) return findMissing(operand, instance, "is required")
  if (keyword === "dependentRequired" || keyword === "dependencies") {
    return [{ pointer, detail: "lacks a property that another of its properties requires" }]
  }
  const words = Object.hasOwn(sentences, keyword) ? sentences[keyword]?.(operand) : undefined
  return [{ pointer, detail: words ?? `does not fit ${keyword}` }]
}

const findMissing = (names: unknown, instance: Instance.JsonNode, detail: string): ReadonlyArray<Issue> =>
  (names as ReadonlyArray<string>)
    .filter((name) => !Instance.has(name, instance))
    .map((name) => ({ pointer: `${instance.pointer}/${JsonPointer.escapeToken(name)}`, detail }))

/** The sentence about a fault, by keyword. `operand` is the keyword's value in the library's form. */
const sentences: Readonly<Record<string, (operand: unknown) => string>> = {
  type: (types) => `must be ${[types].flat().join(" or ")}`,
  // The library stores the choices as JSON.
  enum: (values) =>
    `must be equal to one of the allowed values: ${shorten((values as ReadonlyArray<string>).join(", "))}`,
  const: (value) => `must be ${shorten(String(value))}`,
  multipleOf: (of) => `must be a multiple of ${String(of)}`,
  maximum: (limit) => `must be <= ${String(limit)}`,
  exclusiveMaximum: (limit) => `must be < ${String(limit)}`,
  minimum: (limit) => `must be >= ${String(limit)}`,
  exclusiveMinimum: (limit) => `must be > ${String(limit)}`,
  maxLength: (limit) => `must have at most ${String(limit)} characters`,
  minLength: (limit) => `must have at least ${String(limit)} characters`,
  pattern: (pattern) => `must match the pattern ${shorten((pattern as RegExp).source)}`,
  format: (format) => `must match format "${String(format)}"`,
  maxItems: (limit) => `must have at most ${String(limit)} items`,
  minItems: (limit) => `must have at least ${String(limit)} items`,
  uniqueItems: () => "must not have the same item twice",
  contains: () => "must contain the right number of items that fit contains",
  maxProperties: (limit) => `must have at most ${String(limit)} properties`,
  minProperties: (limit) => `must have at least ${String(limit)} properties`,
  anyOf: () => "must fit a schema in anyOf",
  oneOf: () => "must fit exactly one schema in oneOf",
  not: () => "must not fit the schema in not",
}

const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text)
