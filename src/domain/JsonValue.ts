/** JSON of unknown shape: reading it, and making it storable in PostgreSQL. */
import type { Schema } from "effect"

export const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first of these members that is a text and not blank, trimmed; undefined if there is none. */
export const textIn = (value: Schema.Json | undefined, ...names: ReadonlyArray<string>): string | undefined => {
  if (!isObject(value)) return undefined
  for (const name of names) {
    const text = value[name]
    if (typeof text === "string" && text.trim() !== "") return text.trim()
  }
  return undefined
}

/** The text without what `jsonb` refuses: texts of people, models and tools may contain U+0000 and lone surrogates. */
export const storableText = (text: string): string => text.replaceAll("\0", "").toWellFormed()

export const storable = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") return storableText(value)
  // JSON has no NaN and no Infinity; JSON.stringify would make a null of them too.
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(storable)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]))
}
