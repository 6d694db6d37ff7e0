/** The OpenAPI document as it is served: what the contract cannot say of every path is added here. */
import type { OpenApi } from "effect/http-api"

const accountHeader = {
  name: "X-Account-ID",
  in: "header",
  required: true,
  description: "The account's slug: it chooses the database (spec §5).",
  schema: { type: "string", pattern: "^[a-z0-9][a-z0-9_-]{0,62}$" },
  example: "demo",
} as const

const adminHeader = {
  name: "X-Admin",
  in: "header",
  required: true,
  description: "Admin paths ask for it beside the token of a platform administrator.",
  schema: { type: "string", enum: ["true"] },
  example: "true",
} as const

const idempotencyHeader = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "The same key with the same body within 24 hours answers the first answer again, with `Idempotent-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
} as const

const bearer = {
  type: "http",
  scheme: "bearer",
  description: "An OIDC ID token of the configured issuer, or an API key (`pak_…`).",
} as const

/** Any error that a path does not list by its status: what the edge answers to everybody (405, 413, 429, 503 …). */
const problem = {
  type: "object",
  description: "RFC 9457. `code` is stable and listed in docs/errors.md.",
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string" },
    detail: { type: "string" },
    request_id: { type: "string" },
  },
  required: ["type", "title", "status", "code", "detail", "request_id"],
  examples: [
    {
      type: "https://parley.dev/problems/rate-limited",
      title: "Too many requests",
      status: 429,
      code: "rate_limited",
      detail: "More than 60000 requests in this minute. Wait until 2026-11-21T10:01:00.000Z.",
      request_id: "8d4c4a5e-3f0e-4a53-9a3c-3f1f3c6f5a52",
    },
  ],
}

const otherwise = {
  description: "Any other error.",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
}

/** Adds what the edge reads and answers everywhere, and the servers under which every path stands (decisions §1). */
export const openApiDocument = (generated: object) => {
  const spec = generated as OpenApi.OpenAPISpec
  return {
    ...spec,
    servers: [
      { url: "/", description: "Every path as documented." },
      { url: "/hub-api", description: "The same paths under the prefix." },
    ],
    components: {
      ...spec.components,
      schemas: { ...spec.components.schemas, Problem: problem },
      securitySchemes: { bearer },
    },
    paths: Object.fromEntries(
      Object.entries(spec.paths).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item as Record<string, OpenApi.OpenAPISpecOperation>).map(([method, operation]) => [
            method,
            {
              ...operation,
              parameters: [...operation.parameters.map(plainly), ...headersOf(path, method, operation)],
              responses: { ...responsesOf(method, operation), default: otherwise },
            },
          ]),
        ),
      ]),
    ),
  }
}

/** A group's middleware is declared for all of its operations; what it refuses of a body, or of a key, only some have. */
const responsesOf = (method: string, { responses }: OpenApi.OpenAPISpecOperation) => {
  const impossible = {
    get: ["409", "413", "415", "422"],
    delete: ["413", "415", "422"],
    put: ["422"],
  }[method]
  return Object.fromEntries(Object.entries(responses).filter(([status]) => impossible?.includes(status) !== true))
}

const headersOf = (path: string, method: string, operation: OpenApi.OpenAPISpecOperation) => {
  if ((operation.security ?? []).length === 0) return []
  const chooses = path.startsWith("/api/admin/") ? adminHeader : accountHeader
  return method === "post" ? [chooses, idempotencyHeader] : [chooses]
}

/** In a query every value is text, and the contract says so by a pattern; a reader wants the number. */
const numbers: Record<string, object> = {
  page: { type: "integer", minimum: 0, default: 0, description: "The page, from 0." },
  page_size: { type: "integer", minimum: 1, maximum: 100, description: "Items a page." },
  bucket_seconds: { type: "integer", minimum: 1, description: "Length of a bucket in seconds." },
}

const plainly = <P extends { readonly name: string; readonly in: string; readonly schema: object }>(
  parameter: P,
): P => {
  const schema = parameter.in === "query" ? numbers[parameter.name] : undefined
  return schema === undefined ? parameter : { ...parameter, schema }
}
