import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import fc from "fast-check"
import { boundaries, type JsonSchema, odd } from "../support/Boundaries.ts"
import { bodiesNear, operationOf, pathOf, resolve } from "../support/RpcBodies.ts"
import {
  endpointOf,
  endpoints,
  metaOf,
  needsOf,
  operations,
  procedures,
  restAlone,
  routerAlone,
} from "../support/RpcOperations.ts"

describe("the router and the REST surface", () => {
  it("have the same operations, but for those that say why not", () => {
    const mapped = operations.map(({ rest }) => rest)
    assert.deepStrictEqual(
      [...endpoints.keys()].filter((name) => !mapped.includes(name) && !(name in restAlone)),
      [],
    )
    const known = operations.map(({ procedure }) => procedure)
    assert.deepStrictEqual(
      [...procedures.keys()].filter(
        (path) => !known.includes(path) && !routerAlone.some(({ begins }) => path.startsWith(begins)),
      ),
      [],
    )
  })

  it.each(operations)("$procedure asks of its caller what $rest asks", ({ procedure, rest }) => {
    assert.strictEqual(metaOf(procedure).needs, needsOf(endpointOf(rest)))
  })
})

const isTaken = (schema: Schema.Top | undefined, value: unknown): boolean =>
  schema === undefined ||
  Exit.isSuccess(
    Schema.decodeUnknownExit(schema as Schema.Codec<unknown>, { onExcessProperty: "error" })(
      value,
    ) as Exit.Exit<unknown>,
  )

const withBodies = operations.filter(({ rest }) => endpointOf(rest).payload.size > 0)
const withQueries = operations.filter(({ rest }) => endpointOf(rest).query !== undefined)

const runs = { numRuns: 600, seed: 20_261_121 }

describe("a body", () => {
  it.each(withBodies)("of $procedure is taken if, and only if, $rest takes it", (operation) => {
    const { input } = metaOf(operation.procedure)
    const [payload] = [...endpointOf(operation.rest).payload.values()].flatMap(
      ({ schemas }) => schemas as ReadonlyArray<Schema.Top>,
    )
    let taken = 0
    let refused = 0
    fc.assert(
      fc.property(bodiesNear(operation), (body) => {
        const verdict = input.safeParse({ ...pathOf(operation), ...body })
        const expected = isTaken(payload, body)
        if (expected) taken++
        else refused++
        assert.strictEqual(verdict.success, expected, JSON.stringify({ body, error: verdict.error?.issues }))
      }),
      runs,
    )
    // A test that only ever meets one verdict proves little.
    assert.isAbove(Math.min(taken, refused), 20)
  })
})

describe("a query", () => {
  it.each(withQueries)("of $procedure is taken if, and only if, $rest takes it", (operation) => {
    const { input } = metaOf(operation.procedure)
    const { query } = endpointOf(operation.rest)
    const fields = operationOf(endpointOf(operation.rest)).parameters.filter((parameter) => parameter.in === "query")
    for (const { name, schema } of fields) {
      const of = schema as JsonSchema
      const isNumber = of.type === "integer" || ["against", "after", "limit"].includes(name)
      const isFlag = name === "is_default"
      const values = [
        ...boundaries(of, resolve),
        ...odd,
        100,
        101,
        1_000,
        1_001,
        86_400,
        86_401,
        "x".repeat(200),
        "x".repeat(201),
      ]
      for (const value of values) {
        if (typeof value !== (isNumber ? "number" : isFlag ? "boolean" : "string")) continue
        const named = name === "issuer" || name === "subject" ? { issuer: "i", subject: "s" } : {}
        const sent = { ...named, [name]: value }
        const verdict = input.safeParse({ ...pathOf(operation), ...sent })
        const expected = isTaken(
          query,
          Object.fromEntries(Object.entries(sent).map(([key, one]) => [key, String(one)])),
        )
        assert.strictEqual(verdict.success, expected, JSON.stringify({ sent, error: verdict.error?.issues }))
      }
    }
  })
})
