/**
 * Reads tenants' JSON Schemas and checks values by them, with @hyperjump/json-schema. Runs only in an Offload worker:
 * the library cannot be stopped from inside, so a deadline and a memory limit end costly work.
 */
import { InvalidSchemaError, registerSchema, unregisterSchema } from "@hyperjump/json-schema"
import { compile, type CompiledSchema, getSchema, interpret } from "@hyperjump/json-schema/experimental"
import * as Instance from "@hyperjump/json-schema/instance/experimental"
import { JsonPointer, type Schema } from "effect"
import type { Issue } from "../../domain/Refusals.ts"
import { dialects, implied, isFormatKeyword, knownFormats } from "./Dialects.ts"

/** The base of references in a schema without an `$id`. */
const address = "https://schema.invalid/"

/** Compiled schemas by their text, the least recently used first. */
const readBefore = new Map<string, CompiledSchema>()
/** The number of compiled schemas that are kept. A schema of 64 KiB takes up to a megabyte. */
const mostKept = 32

/** The faults of a schema, as pointers into it. Empty if values can be checked by it. */
export const inspect = async (schema: Schema.JsonObject): Promise<ReadonlyArray<Issue>> => {
  const vocabulary = pointerTo(schema, (key) => key === "$vocabulary")
  if (vocabulary !== undefined)
    return [{ pointer: vocabulary, detail: "is only for meta-schemas, not for the schema of a tool" }]
  try {
    const read = await readSchema(schema)
    const formats = faultsInFormats(read)
    if (formats.length === 0) interpret(read, Instance.fromJs({}))
    return formats
  } catch (cause) {
    return faultsOf(cause, schema)
  }
}

interface Judged {
  /** A schema in which `inspect` found no fault. */
  readonly schema: Schema.JsonObject
  readonly value: Schema.Json
}

/** The faults of a value, as pointers into it, at most 50. Empty if the value fits. */
export const judge = async ({ schema, value }: Judged): Promise<ReadonlyArray<Issue>> => {
  const text = JSON.stringify(schema)
  const read = readBefore.get(text) ?? (await readSchema(schema))
  readBefore.delete(text)
  readBefore.set(text, read)
  const [oldest] = readBefore.keys()
  if (oldest !== undefined && readBefore.size > mostKept) readBefore.delete(oldest)
  return interpret(read, Instance.fromJs(value as never), "FAULTS").errors ?? []
}

const readSchema = async (schema: Schema.JsonObject): Promise<CompiledSchema> => {
  const [first, ...others] = typeof schema["$schema"] === "string" ? [schema["$schema"]] : implied
  try {
    return await readAs(schema, first)
  } catch (cause) {
    // If no draft fits, the faults by the newest draft are reported.
    for (const dialect of others) return await readAs(schema, dialect).catch(() => Promise.reject(cause))
    throw cause
  }
}

const readAs = async (schema: Schema.JsonObject, dialect: string | undefined): Promise<CompiledSchema> => {
  registerSchema(schema as never, address, dialect)
  try {
    return await compile(await getSchema(address))
  } finally {
    unregisterSchema(address)
  }
}

/**
 * Compiles each draft's meta-schema before any tenant's schema: the library caches it, and a tenant may give a schema
 * the same `$id`.
 */
for (const dialect of dialects) await readAs({}, dialect)

const faultsInFormats = ({ ast }: CompiledSchema): ReadonlyArray<Issue> =>
  Object.values(ast).flatMap((keywords) =>
    Array.isArray(keywords)
      ? keywords
          .filter(([id, , operand]) => isFormatKeyword(id) && !knownFormats.has(String(operand)))
          .map(([, location, operand]) => ({
            pointer: decodeURI(location.slice(location.indexOf("#") + 1)),
            detail: `is not a known format: ${String(operand).slice(0, 100)}`,
          }))
      : [],
  )

/** Why a schema could not be read. An unknown error is a fault of the whole schema. */
const faultsOf = (cause: unknown, schema: Schema.JsonObject): ReadonlyArray<Issue> => {
  if (cause instanceof InvalidSchemaError) {
    // The output has the format that Dialects.ts sets for meta-schemas.
    return (cause.output.errors ?? []) as ReadonlyArray<unknown> as ReadonlyArray<Issue>
  }
  if (cause instanceof RangeError) {
    return [{ pointer: "", detail: "must not refer back to itself without a property or an item in between" }]
  }
  const message = cause instanceof Error ? cause.message : String(cause)
  if (/dialect/.test(message)) {
    const detail = "is not a known draft; known are 2020-12, 2019-09, 07, 06 and 04"
    return [{ pointer: pointerTo(schema, (key) => key === "$schema") ?? "", detail }]
  }
  if (/^Unable to load|^No such anchor|^No schema found/.test(message)) {
    const detail = "must refer to a schema inside this one; nothing is fetched from elsewhere"
    return [{ pointer: referenceIn(message, schema) ?? "", detail }]
  }
  return [{ pointer: "", detail: `is not a usable JSON Schema: ${message}` }]
}

/** The pointer of the reference that a message of the library quotes, either as written or made absolute. */
const referenceIn = (message: string, schema: Schema.JsonObject): string | undefined =>
  pointerTo(schema, (key, value) => {
    if (!/^\$(?:dynamicR|r)ef$/.test(key) || typeof value !== "string") return false
    return message.includes(value) || (URL.canParse(value, address) && message.includes(new URL(value, address).href))
  })

/** The pointer of the first member that `fits`, at any depth. */
const pointerTo = (
  value: Schema.Json,
  fits: (key: string, value: Schema.Json) => boolean,
  pointer = "",
): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value as Schema.JsonObject)) {
    const place = `${pointer}/${JsonPointer.escapeToken(key)}`
    const found = fits(key, inner) ? place : pointerTo(inner, fits, place)
    if (found !== undefined) return found
  }
  return undefined
}
