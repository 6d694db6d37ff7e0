/**
 * The one text of a JSON value, as RFC 8785 defines it: keys in the order of their UTF-16 code units, numbers as
 * ECMAScript writes them, no spaces. A hash over it depends neither on the order in which a database returns keys nor
 * on its version.
 */
import type { Schema } from "effect"

/** Members that are undefined are left out, as by `JSON.stringify`. */
type Written = Schema.Json | { readonly [key: string]: Written | undefined }

export const canonicalJson = (value: Written): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, member]) => (member === undefined ? [] : [`${JSON.stringify(key)}:${canonicalJson(member)}`]))
  return `{${members.join(",")}}`
}
