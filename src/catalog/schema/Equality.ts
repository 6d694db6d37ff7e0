/** JSON values that are the same by JSON Schema: numbers by value, objects without regard to the order of their keys. */
import type { Schema } from "effect"
import type { Budget } from "../../offload/Budget.ts"

/** The same text for the same value, and for no other. */
export const canonical = (value: Schema.Json, budget: Budget): string => {
  if (typeof value === "string") {
    budget.spend(1 + value.length / 8)
    return JSON.stringify(value)
  }
  budget.spend(8)
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Schema.Json) => canonical(item, budget)).join(",")}]`
  budget.spend(Object.keys(value).length * 8)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item, budget)}`).join(",")}}`
}

export const isEqual = (a: Schema.Json, b: Schema.Json, budget: Budget): boolean => {
  budget.spend(1)
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item: Schema.Json, at) => isEqual(item, b[at] as Schema.Json, budget))
  }
  const [left, right] = [a as Schema.JsonObject, b as Schema.JsonObject]
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && isEqual(left[key] as Schema.Json, right[key] as Schema.Json, budget),
    )
  )
}

/** Exactly, as the numbers are written: 0.0075 is a multiple of 0.0001, though not of their nearest binary fractions. */
export const isMultiple = (value: number, of: number): boolean => {
  if (Number.isInteger(value) && Number.isInteger(of) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) {
    return value % of === 0
  }
  const [a, b] = [decimalOf(value), decimalOf(of)]
  const shift = Math.min(a.exponent, b.exponent)
  const scaled = ({ digits, exponent }: typeof a) => digits * 10n ** BigInt(exponent - shift)
  return scaled(a) % scaled(b) === 0n
}

const decimalOf = (value: number) => {
  const [, sign = "", whole = "0", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent: Number(exponent) - fraction.length }
}
