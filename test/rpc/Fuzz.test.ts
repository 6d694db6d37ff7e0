import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { odd } from "../support/Boundaries.ts"
import type { RpcBody } from "../support/Contract.ts"
import { everything } from "../support/Fixtures.ts"
import { bodiesNear, pathOf } from "../support/RpcBodies.ts"
import { callOf, endpointOf, metaOf, operations, procedures } from "../support/RpcOperations.ts"
import { type AnswerOf, type Client, onServer, TestServer } from "../support/TestServer.ts"

/** Calls a procedure; with some ninety of them that is some two thousand in all. */
const rounds = 24

/** Ids, names and numbers that are there, so that calls get past the look-up. */
const someIds = async (client: Client): Promise<ReadonlyArray<string>> => {
  const all = await everything(client, "fuzz")
  return Object.values(all).flatMap(
    (made: { readonly id?: string; readonly name?: string; readonly phone_number?: string | null }) =>
      [made.id, made.name, made.phone_number].filter((value) => typeof value === "string"),
  )
}

const keyNames = [
  ...["id", "agent_id", "campaign_id", "contact_id", "webhook_id", "delivery_id", "slug", "account", "phone_number"],
  ...["tool_name", "playbook_id", "faq_id", "version", "run_id", "page", "page_size", "search", "status", "etag"],
]

const inputsOf = (procedure: string, ids: ReadonlyArray<string>): fc.Arbitrary<unknown> => {
  const value = fc.oneof(fc.constantFrom(...odd), fc.constantFrom("none", ...ids))
  const keyed = fc.dictionary(fc.constantFrom(...keyNames), value, { maxKeys: 6 })
  const operation = operations.find((operation) => operation.procedure === procedure)
  const named =
    operation === undefined
      ? keyed
      : fc.record(Object.fromEntries(Object.keys(pathOf(operation)).map((name) => [name, fc.constantFrom(...ids)])))
  const hasBody = operation !== undefined && endpointOf(operation.rest).payload.size > 0
  const body = hasBody ? bodiesNear(operation) : fc.constant({})
  return fc.oneof(
    { weight: 1, arbitrary: fc.oneof(fc.constant(undefined), fc.constantFrom(...odd), fc.jsonValue({ maxDepth: 3 })) },
    { weight: 2, arbitrary: fc.tuple(keyed, body).map(([keys, rest]) => ({ ...rest, ...keys })) },
    { weight: 4, arbitrary: fc.tuple(named, body).map(([keys, rest]) => ({ ...rest, ...keys })) },
  )
}

/** What of an answer no client could make sense of. */
const faultOf = ({ body, status }: AnswerOf<RpcBody>): string | undefined => {
  if (status >= 500) return `a ${status}`
  if (status < 400) return body?.result === undefined ? "no result" : undefined
  const data = body?.error?.data
  const isProblem = (["type", "title", "code", "detail", "request_id"] as const).every(
    (field) => typeof data?.[field] === "string",
  )
  return isProblem && data?.status === status ? undefined : "an error without its problem"
}

it.layer(TestServer.layer, { timeout: "300 seconds", excludeTestServices: true })("bad input to the router", (it) => {
  it.effect(
    "of thousands of generated calls none is answered by a 5xx, and every refusal is a problem",
    () =>
      onServer(async (server) => {
        const [owner, admin] = [await server.ownerOf("fuzzed"), await server.admin()]
        const ids = await someIds(owner)
        const faults: Array<string> = []
        let [sent, taken] = [0, 0]
        for (const [procedure, { _def }] of procedures) {
          if (_def.type === "subscription") continue
          const client = metaOf(procedure).needs === "administrator" ? admin : owner
          for (const input of fc.sample(inputsOf(procedure, ids), { numRuns: rounds, seed: 20_261_121 })) {
            const answer = await callOf(client, procedure, input)
            sent++
            if (answer.status < 300) taken++
            const fault = faultOf(answer)
            if (fault !== undefined) {
              faults.push(`${procedure} ${JSON.stringify(input)} got ${fault}: ${JSON.stringify(answer.body)}`)
            }
          }
        }
        assert.deepStrictEqual(faults.slice(0, 10), [], `${faults.length} faults`)
        assert.isAbove(sent, 2_000)
        // A fuzz that only ever meets the door proves nothing of the rooms behind it.
        assert.isAbove(taken / sent, 0.1)
      }),
    300_000,
  )

  it.effect("of what is no call at all, every refusal is a problem of REST's", () =>
    onServer(async (server) => {
      const owner = await server.ownerOf("protocol")
      const json = { "content-type": "application/json" }
      const post = (path: string, body: string, headers: Record<string, string> = json) =>
        owner.request("POST", `/trpc/${path}`, { body, headers })
      const deep = `{"name":"x","system_prompt":"x","outcome_schema":${'{"a":'.repeat(31)}1${"}".repeat(31)}}`
      const attempts = [
        ["no JSON", 400, "invalid_request", await post("agents.create", "{")],
        ["a key twice", 400, "invalid_request", await post("agents.create", '{"name":"a","name":"b"}')],
        ["U+0000", 400, "invalid_request", await post("agents.create", '{"name":"a\\u0000"}')],
        ["a lone surrogate", 400, "invalid_request", await post("agents.create", '{"name":"\\ud800"}')],
        ["too deep", 400, "invalid_request", await post("agents.create", deep.replace('{"a":1}', '{"a":{"b":1}}'))],
        ["too long", 413, "body_too_large", await post("agents.create", `{"name":"${"x".repeat(1024 * 1024)}"}`)],
        [
          "another type",
          415,
          "unsupported_media_type",
          await post("agents.create", "{}", { "content-type": "text/plain" }),
        ],
        [
          "no type",
          415,
          "unsupported_media_type",
          await owner.request("POST", "/trpc/agents.create", { body: new Uint8Array([123, 125]) }),
        ],
        [
          "U+0000 in a query",
          400,
          "invalid_request",
          await owner.get(`/trpc/agents.get?input=${encodeURIComponent('{"id":"\\u0000"}')}`),
        ],
        ["no JSON in a query", 400, "invalid_request", await owner.get("/trpc/agents.get?input={")],
        [
          "a form",
          415,
          "unsupported_media_type",
          await owner.request("POST", "/trpc/agents.create", { body: new FormData() }),
        ],
        ["no procedure", 404, "route_not_found", await owner.get("/trpc/nothing.here")],
        ["a mutation by GET", 405, "method_not_allowed", await owner.get("/trpc/agents.create")],
        ["another method", 405, "method_not_allowed", await owner.request("PUT", "/trpc/agents.list")],
        ["a subscription in a batch", 400, "invalid_request", await owner.get("/trpc/calls.live?batch=1")],
      ] as const
      for (const [name, status, code, answer] of attempts) {
        const { error } = [answer.body as RpcBody | ReadonlyArray<RpcBody>].flat()[0]!
        assert.strictEqual(error?.data.code, code, `${name}: ${JSON.stringify(answer.body)}`)
        assert.strictEqual(answer.status, status, name)
        assert.strictEqual(error?.data.request_id, answer.headers.get("x-request-id"), name)
      }
    }),
  )
})
