/** Numbers as people read them: counts, shares and money, in the user's locale. */

const whole = new Intl.NumberFormat()
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

export const count = (value: number): string => whole.format(value)

/** "8 calls", "1 call". Pass `many` if the plural is not the singular with an s. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** "54%". A share above zero that rounds to 0 is "<1%", and one below the whole is never "100%". */
export const share = (part: number, of: number): string => {
  if (of === 0) return "0%"
  const percent = (part / of) * 100
  if (percent > 0 && percent < 1) return "<1%"
  return `${Math.min(Math.round(percent), part < of ? 99 : 100)}%`
}

/** Two decimals, or four below ten cents. */
export const money = (amount: number, currency = "USD"): string => {
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount)
}

/** "143 KB". */
export const size = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1000)} KB`
      : `${decimal.format(bytes / 1_000_000)} MB`

/** "1st", "2nd", "3rd". */
export const ordinal = (value: number): string => `${value}${endings[ordinals.select(value)] ?? "th"}`
const ordinals = new Intl.PluralRules("en", { type: "ordinal" })
const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" }

/** "Nora, Sam and Iris". */
export const joinNames = (names: ReadonlyArray<string>): string =>
  new Intl.ListFormat("en", { style: "long", type: "conjunction" }).format(names)
