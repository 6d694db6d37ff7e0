/**
 * Amounts of money: decimal texts on the wire, and whole millionths of the currency where they are added or compared.
 * Pure. A sum of floating-point numbers would let a cap be missed by a rounding error.
 */
import { Schema } from "effect"

/** The currency of all amounts of an installation. */
export const currency = "USD"

/** An amount as a text, such as `50.00`. Its millionths are exact in a JavaScript number. */
export const Amount = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?$/u, {
    message: "must be a decimal amount such as 50.00, with at most 9 digits before the point and 6 after",
  }),
)

const perUnit = 1_000_000
const decimals = 6

/** An amount in millionths. */
export const microsOf = (amount: string): number => {
  const [units = "", fraction = ""] = amount.split(".")
  return Number(units) * perUnit + Number(fraction.padEnd(decimals, "0"))
}

/** Millionths as an amount with two decimals, and more only if it has them. */
export const amountOf = (micros: number): string => {
  const fraction = String(micros % perUnit).padStart(decimals, "0")
  return `${Math.floor(micros / perUnit)}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/u, "")}`
}

/** The same amount in the form in which Parley shows it: `50` and `50.000` become `50.00`. */
export const canonical = (amount: string): string => amountOf(microsOf(amount))
export const canonicalOrNull = (amount: string | null | undefined): string | null =>
  typeof amount === "string" ? canonical(amount) : null

/** Millionths as the number of a call's `cost`, and back. */
export const numberOf = (micros: number): number => micros / perUnit
export const microsFrom = (number: number): number => Math.round(number * perUnit)
