/** The OpenAPI document as it is served: adds what the contract cannot express for every path. */
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { CampaignSnapshot } from "../domain/CampaignSnapshot.ts"
import { Api } from "./Api.ts"
import { described } from "./edge/Problem.ts"
import { introduction } from "./OpenApiIntroduction.ts"
import { operationPaths, operationsTag } from "./OpenApiOperations.ts"
import { codesOf, describeResponses, problemsIn } from "./OpenApiResponses.ts"
import { withSamples } from "./OpenApiSamples.ts"
import { webhooks } from "./OpenApiWebhooks.ts"

const idempotencyHeader = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes a retry safe. Within 24 hours, a request with the same key and the same body returns the first answer again, with `Idempotent-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
} as const

const bearer = {
  type: "http",
  scheme: "bearer",
  description: "An OIDC ID token from the configured issuer, or an API key (`pak_…`).",
} as const

/** Headers that every request of a kind repeats. As security schemes, a generated client takes them only once. */
const securitySchemes = {
  bearer,
  account: {
    type: "apiKey",
    in: "header",
    name: "X-Account-ID",
    description: "The account's slug (`^[a-z0-9][a-z0-9_-]{0,62}$`). It selects the account's database.",
  },
  admin: {
    type: "apiKey",
    in: "header",
    name: "X-Admin",
    description: "Must be `true`. Admin paths require it in addition to the token of a platform administrator.",
  },
  widgetSecretKey: {
    type: "http",
    scheme: "bearer",
    description: "A secret widget key (`sk_live_…`). Send it only from your server.",
  },
  metrics: { type: "http", scheme: "bearer", description: "The value of `PARLEY_METRICS_TOKEN`, if it is set." },
} as const

/** Any error that a path does not list by its status: the edge's own answers (405, 413, 429, 503 …). */
const problem = {
  type: "object",
  description: "An error in the form of RFC 9457. `code` is stable; docs/errors.md lists all codes.",
  properties: {
    type: { type: "string", format: "uri", ...described.type },
    title: { type: "string", ...described.title },
    status: { type: "integer", ...described.status },
    code: { type: "string", ...described.code },
    detail: { type: "string", ...described.detail },
    request_id: { type: "string", ...described.request_id },
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

/**
 * Adds the headers that the edge reads and answers everywhere, and the servers under which every path is (decisions
 * §1).
 */
const complete = (generated: object) => {
  const spec = generated as OpenApi.OpenAPISpec
  return {
    ...spec,
    info: { ...spec.info, description: introduction(problemsIn(spec.components.schemas as Schemas)) },
    servers: [
      { url: "/", description: "Paths as documented." },
      { url: "/hub-api", description: "The same paths with the prefix `/hub-api`." },
    ],
    tags: [...new Map([...spec.tags, operationsTag].toReversed().map((tag) => [tag.name, tag])).values()].toReversed(),
    components: {
      ...spec.components,
      schemas: { ...snapshotSchemas, ...spec.components.schemas, Problem: problem },
      securitySchemes,
    },
    paths: withSamples(
      {
        ...Object.fromEntries(
          Object.entries(spec.paths).map(([path, item]) => [
            path,
            Object.fromEntries(
              Object.entries(item as Record<string, OpenApi.OpenAPISpecOperation>).map(([method, operation]) => [
                method,
                documentOperation(path, method, operation, spec.components.schemas as Schemas),
              ]),
            ),
          ]),
        ),
        ...operationPaths,
      },
      spec.components.schemas,
    ),
    webhooks,
  }
}

/** The document of the whole contract. It takes a fifth of a second. */
export const openApiDocument = () => OpenApi.fromApi(Api.annotate(OpenApi.Transform, complete))

type Schemas = Readonly<Record<string, object>>

const documentOperation = (
  path: string,
  method: string,
  operation: OpenApi.OpenAPISpecOperation,
  schemas: Schemas,
) => ({
  ...operation,
  ...(operation.requestBody === undefined ? {} : { requestBody: asForm(operation.requestBody) }),
  parameters: [...operation.parameters.map(describeParameter), ...headersOf(method, operation, schemas)],
  security: securityOf(path, operation),
  responses: {
    ...withSnapshots(describeResponses(responsesOf(method, operation), schemas)),
    default: otherwise,
  },
})

/** The document's own schemas of what a stream's `data:` lines hold. */
const snapshotSchemas = ((): Record<string, object> => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(CampaignSnapshot)
  const text = JSON.stringify({ ...definitions, CampaignSnapshot: definitions["CampaignSnapshot"] ?? schema })
  return JSON.parse(text.replaceAll("#/$defs/", "#/components/schemas/"))
})()

/** OpenAPI 3.1 cannot describe the events of a stream; their schema is named in the text. */
const withSnapshots = (responses: Record<string, unknown>) => {
  const { "200": success, ...others } = responses as Record<string, { readonly content?: Record<string, object> }>
  if (success?.content?.["text/event-stream"] === undefined) return responses
  const stream = {
    schema: {
      type: "string",
      description: "A stream of Server-Sent Events. The `data` of each event is a CampaignSnapshot.",
    },
    "x-event-data": { $ref: "#/components/schemas/CampaignSnapshot" },
  }
  return { "200": { ...success, content: { "text/event-stream": stream } }, ...others }
}

const listFiles: Readonly<Record<string, string>> = {
  contacts: "The contact list as UTF-8 CSV, at most 10 MB. The first row is a header with the column `phone_number`.",
  numbers:
    "The do-not-call list as UTF-8 CSV, at most 32 MB. Without a header, each row has a number, and perhaps a reason behind it.",
}

/**
 * A form has no null: a field without a value is omitted. Fields that contain JSON are marked as such. The generator
 * loses the description of a file.
 */
const asForm = (body: { readonly content: Record<string, unknown> }) => {
  const form = body.content["multipart/form-data"] as { readonly schema: Form } | undefined
  if (form === undefined) return body
  const properties = Object.fromEntries(
    Object.entries(form.schema.properties).map(([name, { anyOf, ...own }]) => {
      const [only, ...rest] = (anyOf ?? []).filter(({ type }) => type !== "null")
      const description = listFiles[name]
      const described = { ...own, ...(description !== undefined && { description }) }
      return [
        name,
        only === undefined || rest.length > 0 ? { ...described, ...(anyOf && { anyOf }) } : { ...only, ...described },
      ]
    }),
  )
  const encoding = Object.fromEntries(
    Object.keys(properties).flatMap((name) => {
      const contentType = name in listFiles ? "text/csv" : name === "calling_window" ? "application/json" : undefined
      return contentType === undefined ? [] : [[name, { contentType }]]
    }),
  )
  return { ...body, content: { "multipart/form-data": { schema: { ...form.schema, properties }, encoding } } }
}

interface Form {
  readonly properties: Record<string, { readonly anyOf?: ReadonlyArray<{ readonly type?: string }> }>
}

const securityOf = (path: string, { security = [] }: OpenApi.OpenAPISpecOperation) => {
  // Its handler checks the token itself, and needs no account.
  if (path === "/api/user/org") return [{ bearer: [] }]
  return security.map((one) =>
    "bearer" in one ? { ...one, ...(path.startsWith("/api/admin/") ? { admin: [] } : { account: [] }) } : one,
  )
}

/**
 * A group's middleware declares its refusals for all operations; only some have a body or an idempotency key that can
 * be refused.
 */
const responsesOf = (method: string, { responses }: OpenApi.OpenAPISpecOperation) => {
  const impossible = {
    get: ["409", "413", "415", "422"],
    delete: ["413", "415", "422"],
    put: ["422"],
  }[method]
  return Object.fromEntries(Object.entries(responses).filter(([status]) => impossible?.includes(status) !== true))
}

/**
 * An operation that honours an idempotency key declares the refusal of a repetition while the first request still runs.
 * Its 409 alone does not tell: an operation may be impossible in a state and still run again for the same key.
 */
const headersOf = (method: string, { responses }: OpenApi.OpenAPISpecOperation, schemas: Schemas) =>
  method === "post" && codesOf(responses["409"] ?? {}, schemas).includes("idempotency_in_progress")
    ? [idempotencyHeader]
    : []

/** In a query every value is text, which the contract expresses by a pattern; readers want the number's type. */
const numbers: Record<string, object> = {
  page: { type: "integer", minimum: 0, default: 0, description: "The page number, from 0. Defaults to 0." },
  page_size: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    description: "Items per page, 1 to 100. Defaults to 50, for contacts of a campaign to 100.",
  },
  bucket_seconds: {
    type: "integer",
    minimum: 1,
    description: "Length of a bucket in seconds. Defaults to 300, at most 86400.",
  },
}

/**
 * Descriptions of parameters. The generator takes those of the text of a query, and loses those of the decoded values.
 */
const descriptions: Record<string, string> = {
  after: "Only events with a higher `seq`. Omit it to begin with the oldest event that is kept.",
  agent_id: "Only entries of the agent with this UUID.",
  against:
    "The version to compare with. Defaults to the preceding version. 0 compares with nothing, so that everything is reported as added.",
  campaign_id: "Only calls of the campaign with this UUID.",
  carrier: "Only numbers of this carrier.",
  category: "Only entries of this category.",
  disposition: "Only calls whose disposition has this `key`.",
  email: "The person's verified email. Give either this, or `issuer` and `subject`.",
  from: "Only calls that began at this time or later. RFC 3339 with a UTC offset.",
  is_default: "`true` returns only built-in entries, `false` only custom ones.",
  issuer: "The `iss` of the person's tokens. Give it together with `subject`.",
  key: "A public widget key (`pk_live_…`).",
  "last-event-id": "The id of the last event that the client received. An EventSource sends it when it reconnects.",
  limit: "The maximum number of events, 1 to 1000. Defaults to 100.",
  subject: "The `sub` of the person's tokens. Give it together with `issuer`.",
  to: "Only calls that began before this time. RFC 3339 with a UTC offset.",
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly description?: string }
}

/** The generator leaves a description in the schema, but readers of OpenAPI show that of the parameter. */
const describeParameter = <P extends Parameter>(parameter: P): P => {
  const number = parameter.in === "query" ? numbers[parameter.name] : undefined
  const { description: own, ...schema }: Parameter["schema"] = number ?? parameter.schema
  const description = (parameter.in === "path" ? undefined : descriptions[parameter.name]) ?? own
  return { ...parameter, schema, ...(description !== undefined && { description }) }
}
