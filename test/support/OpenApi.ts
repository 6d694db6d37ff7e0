/** The served OpenAPI document as tests read it: its operations, and whether a response conforms to it. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Answer } from "./TestServer.ts"

export interface Operation {
  readonly path: string
  readonly method: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>
  readonly security?: ReadonlyArray<object>
}

export interface Parameter {
  readonly description?: string
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: object
}

export interface Document {
  readonly openapi: string
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Record<string, Record<string, Omit<Operation, "path" | "method">>>
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> }
}

export const operationsOf = (document: Document): ReadonlyArray<Operation> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )

interface Described {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<Described>
}

/**
 * Schema properties of the document that have no description, neither their own nor one of the schema they refer to.
 */
export const undescribedProperties = (document: Document): ReadonlyArray<string> => {
  const isDescribed = ({ $ref, anyOf = [], description }: Described): boolean => {
    if (description !== undefined && description.trim() !== "") return true
    if ($ref !== undefined) return isDescribed(document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {})
    const [only, ...others] = anyOf.filter(({ type }) => type !== "null")
    return only !== undefined && others.length === 0 && isDescribed(only)
  }
  const search = (value: unknown, place: string): ReadonlyArray<string> => {
    if (typeof value !== "object" || value === null) return []
    return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => [
      ...(key === "properties" && typeof inner === "object"
        ? Object.entries(inner ?? {}).flatMap(([name, property]: [string, Described]) =>
            isDescribed(property) ? [] : [`${place}/${name}`],
          )
        : []),
      ...(notSchemas.has(key) ? [] : search(inner, `${place}/${key}`)),
    ])
  }
  return search(document, "")
}

/** Keys whose values are examples or code, not schemas. */
const notSchemas = new Set(["examples", "example", "x-codeSamples"])

/** Returns a function that says how a response differs from the document. Its result is undefined if they agree. */
export const makeJudge = (document: Document) => {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema({ ...document, $id: "parley" })
  const compiled = new Map<string, ValidateFunction>()
  const schemaAt = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `parley#${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  return (operation: Operation, answer: Answer): string | undefined => {
    if (answer.status >= 500) return `a ${answer.status}`
    const key = String(answer.status) in operation.responses ? String(answer.status) : "default"
    const response = operation.responses[key]
    if (response === undefined || (key === "default" && answer.status < 400)) return `an undocumented ${answer.status}`
    const type = answer.headers.get("content-type")?.split(";")[0]
    const documented = Object.keys(response.content ?? {}).map((type) => type.split(";")[0])
    if (answer.body === undefined)
      return documented.length === 0 ? undefined : `no body where ${documented} is documented`
    if (type === undefined || !documented.includes(type)) return `a body of ${type} where ${documented} is documented`
    if (!/[/+]json$/u.test(type)) return undefined
    const pointer = [
      "paths",
      operation.path,
      operation.method.toLowerCase(),
      "responses",
      key,
      "content",
      type,
      "schema",
    ]
    const fits = schemaAt(
      pointer.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join(""),
    )
    return fits(answer.body) ? undefined : `a body that does not fit: ${ajv.errorsText(fits.errors)}`
  }
}

/** The example of an operation's JSON body. */
export const exampleBody = (document: Document, operation: Operation): unknown => {
  const schema = operation.requestBody?.content["application/json"]?.schema
  return schema === undefined ? undefined : exampleOf(document, schema)
}

export const exampleOf = (document: Document, schema: object): unknown => {
  const { $ref, anyOf, examples } = schema as {
    $ref?: string
    anyOf?: ReadonlyArray<object>
    examples?: ReadonlyArray<unknown>
  }
  if (examples?.[0] !== undefined) return examples[0]
  if (anyOf !== undefined)
    return anyOf.map((branch) => exampleOf(document, branch)).find((found) => found !== undefined)
  const target = $ref === undefined ? undefined : document.components.schemas[$ref.split("/").at(-1) ?? ""]
  return target === undefined ? undefined : exampleOf(document, target)
}
