/** The keywords of JSON Schema 2020-12 by what stands in them, with the older forms that generators still write. */
import type { Schema } from "effect"

export const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An own member: `schema.required` of a document without it must not be anything that every object inherits. */
export const member = (object: Schema.JsonObject, key: string): Schema.Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

export const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1")

/** Keywords by the form of their operand. `definitions`, `dependencies` and `additionalItems` are draft-07's. */
const keywords = {
  schema: [
    ...["additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "additionalItems"],
    ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
  ],
  "schemas in a list": ["allOf", "anyOf", "oneOf", "prefixItems"],
  "schema or schemas in a list": ["items"],
  "schemas by name": ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
  "schemas or names by name": ["dependencies"],
  names: ["required"],
  "names by name": ["dependentRequired"],
  types: ["type"],
  list: ["enum", "examples"],
  text: [
    ...["$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$comment", "pattern", "format"],
    ...["contentEncoding", "contentMediaType", "title", "description"],
  ],
  number: ["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"],
  "number above 0": ["multipleOf"],
  "whole number": [
    ...["maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains"],
    ...["maxProperties", "minProperties"],
  ],
  "true or false": ["uniqueItems", "deprecated", "readOnly", "writeOnly"],
} as const
export type Form = keyof typeof keywords

export const forms: ReadonlyMap<string, Form> = new Map(
  Object.entries(keywords).flatMap(([form, names]) => names.map((name) => [name, form as Form] as const)),
)

/** Keywords whose schemas judge the same value that the schema around them judges. */
const inPlace = new Set(["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"])

export interface Inner {
  readonly keyword: string
  /** The rest of the pointer. */
  readonly pointer: string
  readonly schema: Schema.Json
  readonly isInPlace: boolean
}

const isSchema = (value: Schema.Json): boolean => typeof value === "boolean" || isObject(value)

/** The schemas directly inside. */
export const innerSchemas = (schema: Schema.JsonObject): ReadonlyArray<Inner> => {
  const found: Array<Inner> = []
  for (const [keyword, operand] of Object.entries(schema)) {
    const form = forms.get(keyword)
    if (form === undefined || !form.startsWith("schema")) continue
    const add = (pointer: string, inner: Schema.Json) => {
      if (isSchema(inner)) found.push({ keyword, pointer, schema: inner, isInPlace: inPlace.has(keyword) })
    }
    if (form.endsWith("by name")) {
      if (!isObject(operand)) continue
      for (const [name, inner] of Object.entries(operand)) add(`/${keyword}/${escapeToken(name)}`, inner)
    } else if (Array.isArray(operand)) {
      for (const [at, inner] of (operand as Schema.JsonArray).entries()) add(`/${keyword}/${at}`, inner)
    } else add(`/${keyword}`, operand)
  }
  return found
}
