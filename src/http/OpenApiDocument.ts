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

/** Adds the headers that the edge reads, and the servers under which every path stands (decisions §1). */
export const openApiDocument = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => ({
  ...spec,
  servers: [
    { url: "/", description: "Every path as documented." },
    { url: "/hub-api", description: "The same paths under the prefix." },
  ],
  paths: Object.fromEntries(
    Object.entries(spec.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item as Record<string, OpenApi.OpenAPISpecOperation>).map(([method, operation]) => {
          const isProtected = (operation.security ?? []).length > 0
          const headers = [
            ...(isProtected ? [path.startsWith("/api/admin/") ? adminHeader : accountHeader] : []),
            ...(isProtected && method === "post" ? [idempotencyHeader] : []),
          ]
          return [method, { ...operation, parameters: [...(operation.parameters ?? []), ...headers] }]
        }),
      ),
    ]),
  ) as OpenApi.OpenAPISpec["paths"],
})
