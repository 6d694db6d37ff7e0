/** The paths for operators, which stand outside of the contract, as the OpenAPI document describes them. */

const json = (schema: object) => ({ "application/json": { schema } })

const status = (value: string) => ({
  type: "object",
  properties: { status: { type: "string", const: value } },
  required: ["status"],
})

const tags = ["Operations"]

export const operationsTag = {
  name: "Operations",
  description: "For operators and load balancers. No account, no page.",
}

export const operationPaths = {
  "/healthz": {
    get: {
      tags,
      operationId: "operations.healthz",
      summary: "Is the process alive?",
      description: "Answers as long as the process does, also while it drains.",
      parameters: [],
      security: [],
      responses: { "200": { description: "It is alive.", content: json(status("ok")) } },
    },
  },
  "/readyz": {
    get: {
      tags,
      operationId: "operations.readyz",
      summary: "Is the process ready for requests?",
      description:
        "Ready when migrations are applied, the database answers and no drain has begun. `checks` says what else is there; a missing sandbox or voice keeps no request out.",
      parameters: [],
      security: [],
      responses: {
        "200": {
          description: "It is ready.",
          content: json({
            type: "object",
            properties: {
              status: { type: "string", const: "ready" },
              checks: { type: "object", additionalProperties: { type: "string" } },
            },
            required: ["status", "checks"],
          }),
        },
        "503": {
          description: "It is draining, or the database is not reachable. `Retry-After` says when to ask again.",
          headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds." } },
          content: {
            ...json({ type: "object", properties: { status: { type: "string" } }, required: ["status"] }),
            "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
          },
        },
      },
    },
  },
  "/metrics": {
    get: {
      tags,
      operationId: "operations.metrics",
      summary: "Read the metrics of the process",
      description:
        "Prometheus' text format. In production it takes `Authorization: Bearer <PARLEY_METRICS_TOKEN>`, or is for this machine alone.",
      parameters: [],
      security: [{}, { metrics: [] }],
      responses: {
        "200": { description: "The metrics.", content: { "text/plain": { schema: { type: "string" } } } },
        "401": {
          description: "The token is missing or wrong.",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  },
}
