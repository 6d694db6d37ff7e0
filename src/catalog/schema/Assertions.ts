/** Keywords that judge a value by itself. Each answers what is wrong, as the end of a sentence about the value. */
import type { Schema } from "effect"
import type { Budget } from "../../offload/Budget.ts"
import { isEqual, isMultiple, canonical } from "./Equality.ts"
import { hasFormat } from "./Formats.ts"
import { isObject } from "./Keywords.ts"
import type { Patterns } from "./Patterns.ts"

/** What is wrong; `undefined`: nothing. `operand` has its keyword's form, which was checked before. */
type Assertion = (
  operand: never,
  value: Schema.Json,
  work: { readonly budget: Budget; readonly patterns: Patterns },
) => string | undefined

const typeOf = (value: Schema.Json): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

const isOfType = (value: Schema.Json, type: string): boolean =>
  type === "integer" ? Number.isInteger(value) : typeOf(value) === type

const numeric =
  (holds: (value: number, limit: number) => boolean, words: string): Assertion =>
  (limit: number, value) =>
    typeof value !== "number" || holds(value, limit) ? undefined : `must be ${words} ${limit}`

const sized =
  (sizeOf: (value: Schema.Json, budget: Budget) => number | undefined, most: boolean, words: string): Assertion =>
  (limit: number, value, { budget }) => {
    const size = sizeOf(value, budget)
    if (size === undefined || (most ? size <= limit : size >= limit)) return undefined
    return `must NOT have ${most ? "more" : "fewer"} than ${limit} ${words}`
  }

/** In characters, not in UTF-16's halves of them. */
const lengthOf = (value: Schema.Json, budget: Budget) => {
  if (typeof value !== "string") return undefined
  budget.spend(value.length / 8)
  let length = value.length
  for (let at = 0; at < value.length - 1; at++) if (isPair(value, at)) length -= 1
  return length
}
const isPair = (text: string, at: number) =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00

const itemsOf = (value: Schema.Json) => (Array.isArray(value) ? value.length : undefined)
const membersOf = (value: Schema.Json, budget: Budget) => {
  if (!isObject(value)) return undefined
  const { length } = Object.keys(value)
  budget.spend(length)
  return length
}

const repeated = (items: ReadonlyArray<Schema.Json>, budget: Budget): readonly [number, number] | undefined => {
  const seen = new Map<string, number>()
  for (const [at, item] of items.entries()) {
    const text = canonical(item, budget)
    const before = seen.get(text)
    if (before !== undefined) return [before, at]
    seen.set(text, at)
  }
  return undefined
}

const longestChoice = 500
const choiceOf = (values: ReadonlyArray<Schema.Json>): string => {
  const text = values.map((value) => JSON.stringify(value)).join(", ")
  return text.length > longestChoice ? `${text.slice(0, longestChoice)}…` : text
}

export const assertions: Readonly<Record<string, Assertion>> = {
  type: (types: string | ReadonlyArray<string>, value) => {
    const allowed = typeof types === "string" ? [types] : types
    return allowed.some((type) => isOfType(value, type)) ? undefined : `must be ${allowed.join(" or ")}`
  },
  enum: (values: ReadonlyArray<Schema.Json>, value, { budget }) =>
    values.some((each) => isEqual(value, each, budget))
      ? undefined
      : `must be equal to one of the allowed values: ${choiceOf(values)}`,
  const: (wanted: Schema.Json, value, { budget }) =>
    isEqual(value, wanted, budget) ? undefined : `must be ${choiceOf([wanted])}`,
  multipleOf: (of: number, value, { budget }) => {
    if (typeof value !== "number") return undefined
    budget.spend(Number.isInteger(value) && Number.isInteger(of) && Math.abs(value) < 2 ** 53 ? 1 : 200)
    return isMultiple(value, of) ? undefined : `must be a multiple of ${of}`
  },
  maximum: numeric((value, limit) => value <= limit, "<="),
  exclusiveMaximum: numeric((value, limit) => value < limit, "<"),
  minimum: numeric((value, limit) => value >= limit, ">="),
  exclusiveMinimum: numeric((value, limit) => value > limit, ">"),
  maxLength: sized(lengthOf, true, "characters"),
  minLength: sized(lengthOf, false, "characters"),
  pattern: (pattern: string, value, { budget, patterns }) =>
    typeof value !== "string" || patterns.isIn(value, pattern, budget) ? undefined : `must match pattern "${pattern}"`,
  format: (format: string, value, { budget }) =>
    hasFormat(value, format, budget) ? undefined : `must match format "${format}"`,
  maxItems: sized(itemsOf, true, "items"),
  minItems: sized(itemsOf, false, "items"),
  uniqueItems: (unique: boolean, value, { budget }) => {
    const same = unique && Array.isArray(value) ? repeated(value, budget) : undefined
    return same === undefined
      ? undefined
      : `must NOT have the same item twice: items ${same[0]} and ${same[1]} are equal`
  },
  maxProperties: sized(membersOf, true, "properties"),
  minProperties: sized(membersOf, false, "properties"),
}
