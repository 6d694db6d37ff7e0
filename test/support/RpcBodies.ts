/** Bodies for the operations behind procedures, both valid and invalid, generated from the OpenAPI document. */
import type { HttpApiEndpoint } from "effect/http-api"
import fc from "fast-check"
import { openApiDocument } from "../../src/http/OpenApiDocument.ts"
import { boundaries, type JsonSchema, odd, type Resolve } from "./Boundaries.ts"
import { type Document, exampleBody, operationsOf } from "./OpenApi.ts"
import { endpointOf, type Operation } from "./RpcOperations.ts"

export const document = openApiDocument() as unknown as Document
export const resolve: Resolve = (pointer) =>
  pointer
    .split("/")
    .slice(1)
    .reduce<Record<string, any>>((at, key) => at[key], document) as JsonSchema
const documented = new Map(
  operationsOf(document).map((operation) => [`${operation.method} ${operation.path}`, operation]),
)

export const operationOf = (endpoint: HttpApiEndpoint.Top) => {
  const operation = documented.get(`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`)
  if (operation === undefined) throw new Error(`${endpoint.path} is not documented`)
  return operation
}

/** Valid path parameters, so that only the body is judged. */
export const pathOf = ({ params, rest }: Operation): Record<string, string> =>
  Object.fromEntries(
    operationOf(endpointOf(rest))
      .parameters.filter((parameter) => parameter.in === "path")
      .map(({ name }) => [params[name] ?? name, name === "account" ? "demo" : "x"]),
  )

/** The documented example with some fields set to values at the limits, and possibly with other fields. */
export const bodiesNear = (operation: Operation): fc.Arbitrary<Record<string, unknown>> => {
  const rest = operationOf(endpointOf(operation.rest))
  const example = exampleBody(document, rest) as Record<string, unknown>
  const schema = rest.requestBody?.content["application/json"]?.schema as JsonSchema
  const whole = schema.$ref === undefined ? schema : resolve(schema.$ref)
  const properties = whole.properties ?? {}
  const taken = Object.values(operation.params).concat("id", "slug", "etag")
  const changes = Object.entries(properties).flatMap(([name, property]) => {
    const values = [...boundaries(property, resolve), ...odd]
    return [fc.record({ name: fc.constant(name), value: fc.constantFrom(...values), isGone: fc.boolean() })]
  })
  const other = fc.record({
    name: fc.constantFrom("unknown_field", "Name", "constructor", "created_at"),
    value: fc.constantFrom(...odd),
    isGone: fc.constant(false),
  })
  return fc
    .array(fc.oneof({ weight: 12, arbitrary: fc.oneof(...changes) }, { weight: 1, arbitrary: other }), { maxLength: 3 })
    .map((made) => {
      const body = { ...example }
      for (const { isGone, name, value } of made) {
        if (isGone && name in example) delete body[name]
        else if (!taken.includes(name)) body[name] = value
      }
      return body
    })
}
