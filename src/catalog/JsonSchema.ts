/**
 * The door to JSON Schema 2020-12: what a tenant writes as a schema is judged before it is compiled, and what is
 * compiled takes time that is linear in the value, since it runs in everybody's process.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import formatsPlugin from "ajv-formats"
import { Effect, JsonPointer, type Schema } from "effect"
import { RE2JS } from "re2js"
import { Invalid, type Issue } from "../domain/Refusals.ts"
import { faultsOf } from "./SchemaLimits.ts"

/** RE2 never backtracks: `^(a+)+$` on 30 characters took the engine of the language 5.8 s. */
export const linearRegExp = (pattern: string) => {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  return {
    test: (text: string) => compiled.matcher(text).find(),
    // The compiler of schemas takes two patterns with the same text for one.
    toString: () => `/${pattern}/u`,
  }
}
const regExpEngine = Object.assign((pattern: string, _flags: string) => linearRegExp(pattern), { code: "linearRegExp" })

// A CommonJS package: its default export arrives as the module or as the function, by who loads it.
const addFormats = "default" in formatsPlugin ? formatsPlugin.default : formatsPlugin

const instance = (options: { readonly meta: boolean }) => {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    logger: false,
    meta: options.meta,
    validateSchema: options.meta,
    addUsedSchema: false,
    code: { regExp: regExpEngine },
  })
  addFormats(ajv)
  return ajv
}

/** Knows the meta-schema and compiles nothing else: whatever an instance compiles stays in it for ever. */
const meta = instance({ meta: true })

export const isKnownFormat = (format: string): boolean => Object.hasOwn(meta.formats, format)

/** Refuses, under the field's pointer, what is no JSON Schema of an object or goes beyond the limits. */
export const check = Effect.fn("JsonSchema.check")(function* (pointer: string, schema: Schema.JsonObject) {
  const under = (faults: ReadonlyArray<Issue>) =>
    new Invalid({ errors: faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer })) })
  const faults = faultsOf(schema, { isKnownFormat, compilePattern: linearRegExp })
  if (faults.length > 0) return yield* under(faults)
  if (meta.validateSchema(own(schema)) !== true)
    return yield* under((meta.errors ?? []).slice(0, mostFaults).map(issueOf))
  if (schema["type"] !== "object") return yield* under([{ pointer: "/type", detail: 'must be "object"' }])
  yield* Effect.try({ try: () => compile(schema), catch: (cause) => under([{ pointer: "", detail: sentence(cause) }]) })
})

/** As many faults as anybody reads: a value of a megabyte may have as many as it has items. */
const mostFaults = 50

/** The faults of a value, as pointers into it; none: it fits. */
export type Validator = (value: Schema.Json) => ReadonlyArray<Issue>

/** By the schema's own object: a call's kit is compiled once, and forgotten with it. */
const validators = new WeakMap<Schema.JsonObject, Validator>()

/** Compiles a schema that `check` has passed. */
export const validator = (schema: Schema.JsonObject): Validator => {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const validate = compile(schema)
  const made: Validator = (value) => (validate(value) ? [] : (validate.errors ?? []).slice(0, mostFaults).map(issueOf))
  validators.set(schema, made)
  return made
}

/** An instance for each schema (0.5 ms), so that nothing of a schema outlives its validator. */
const compile = (schema: Schema.JsonObject): ValidateFunction => instance({ meta: false }).compile(own(schema))

/** A schema's own name and dialect say nothing here: it is read as 2020-12 and is not referred to from elsewhere. */
const own = ({ $id: _, $schema: __, ...schema }: Schema.JsonObject): Schema.JsonObject => schema

const issueOf = ({ instancePath, keyword, message, params }: ErrorObject): Issue => {
  const missing: unknown = keyword === "required" ? params["missingProperty"] : undefined
  const unknown: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"]
  if (typeof missing === "string") {
    return { pointer: `${instancePath}/${JsonPointer.escapeToken(missing)}`, detail: "is required" }
  }
  if (typeof unknown === "string") {
    return { pointer: `${instancePath}/${JsonPointer.escapeToken(unknown)}`, detail: "is not a known property" }
  }
  const allowed: unknown = params["allowedValues"]
  const choice = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(", ")}` : ""
  return { pointer: instancePath, detail: (message ?? "does not fit the schema") + choice }
}

const sentence = (cause: unknown): string =>
  `is no usable JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`
