/** The formats of texts and numbers: those of JSON Schema 2020-12 but for international ones, and OpenAPI's. */
import type { Schema } from "effect"
import { fullFormats } from "ajv-formats/dist/formats.js"
import type { Budget } from "../../offload/Budget.ts"

const formats = new Map<string, unknown>(Object.entries(fullFormats))

export const isKnownFormat = (format: string): boolean => formats.has(format)

/** A value of another type than the format is of fits it. */
export const hasFormat = (value: Schema.Json, format: string, budget: Budget): boolean => {
  const found = formats.get(format)
  const { type = "string", validate } = rulesOf(found)
  if (validate === undefined || typeof value !== type) return true
  // Some of these expressions try each character as a beginning.
  if (typeof value === "string") budget.spend(20 + value.length ** 2 / 8)
  return validate instanceof RegExp ? validate.test(String(value)) : validate(value as never)
}

interface Rules {
  readonly type?: string
  readonly validate?: RegExp | ((value: never) => boolean)
}

const rulesOf = (found: unknown): Rules => {
  if (found instanceof RegExp || typeof found === "function") return { validate: found as RegExp }
  return typeof found === "object" && found !== null ? (found as Rules) : {}
}
