/** The paths for operators, which are outside the contract, as the OpenAPI document describes them. */

const json = (schema: object) => ({ "application/json": { schema } })

const status = (value: string) => ({
  type: "object",
  properties: { status: { type: "string", const: value, description: "The state of the process." } },
  required: ["status"],
})

const tags = ["Operations"]

export const operationsTag = {
  name: "Operations",
  description: "Endpoints for operators and load balancers. They need no account.",
}

export const operationPaths = {
  "/healthz": {
    get: {
      tags,
      operationId: "operations.healthz",
      summary: "Check that the process is alive",
      description: "Answers 200 as long as the process runs, including while it drains.",
      parameters: [],
      security: [],
      responses: { "200": { description: "The process is alive.", content: json(status("ok")) } },
    },
  },
  "/readyz": {
    get: {
      tags,
      operationId: "operations.readyz",
      summary: "Check that the process is ready for requests",
      description:
        "Answers 200 if the database answers, the process is not draining, and no process of an earlier release serves while accounts are migrated. `checks` reports the state of each capability; a missing sandbox or missing speech does not make the process unready.",
      parameters: [],
      security: [],
      responses: {
        "200": {
          description: "The process is ready.",
          content: json({
            type: "object",
            properties: {
              ...status("ready").properties,
              checks: {
                type: "object",
                additionalProperties: { type: "string" },
                description: "The state of each capability, by its name.",
              },
            },
            required: ["status", "checks"],
          }),
        },
        "503": {
          description:
            "The process is draining, waits for the migration of accounts, or does not reach the database. `Retry-After` says when to ask again.",
          headers: {
            "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait before the next request." },
          },
          content: {
            ...json({
              type: "object",
              properties: { status: { type: "string", description: "Why the process is not ready." } },
              required: ["status"],
            }),
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
        "Returns the metrics in Prometheus' text format. If `PARLEY_METRICS_TOKEN` is set, send `Authorization: Bearer <PARLEY_METRICS_TOKEN>`. In production without that setting, every request is a 401.",
      parameters: [],
      security: [{}, { metrics: [] }],
      responses: {
        "200": {
          description: "The metrics of the process.",
          content: { "text/plain": { schema: { type: "string" } } },
        },
        "401": {
          description: "The token is missing or wrong.",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  },
}
