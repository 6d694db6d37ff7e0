import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { inject } from "vitest"
import { dose } from "../support/Dose.ts"
import { everything, made } from "../support/Fixtures.ts"
import { bestOf, longestSaid, mostMs } from "../support/LongestTick.ts"
import { type Document, exampleBody, makeJudge, type Operation, operationsOf } from "../support/OpenApi.ts"
import { emptyFolder, type Process, start } from "../support/Process.ts"
import { type Client, speak, TestServer } from "../support/TestServer.ts"

/** Requests an operation, and all of them. */
const rounds = dose(24, 120)
const atLeast = dose(2_000, 10_000)

/** At the same time; more only wait in the server. */
const atOnce = 8

const odd = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "null",
    "-1",
    "0",
    "1e9",
    "99999999999",
    "NaN",
    "true",
    "..",
    "%",
    "a/b",
    "__proto__",
    "'; --",
    "*",
  ),
  fc.constantFrom(
    "00000000-0000-0000-0000-000000000000",
    "2026-11-21T10:00:00Z",
    "+14155550100",
    "\\",
    "_%",
    "🙂",
    "\u202e",
  ),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 10 }).filter((text) => text.isWellFormed()),
)

const json: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  odd,
  fc.constantFrom(1e308, -0, 2 ** 53, 1.5, [], {}),
)

/** A body near the documented one: the example with fields dropped, added or given odd values. */
const bodyNear = (example: unknown): fc.Arbitrary<unknown> => {
  if (typeof example !== "object" || example === null) return json
  const fields = Object.keys(example)
  const mutation = fc.record({
    field: fc.constantFrom(...fields, "id", "unknown_field"),
    value: json,
    drop: fc.boolean(),
  })
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(example as unknown) },
    { weight: 2, arbitrary: json },
    {
      weight: 6,
      arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }).map((mutations) => {
        const body: Record<string, unknown> = { ...example }
        for (const { drop, field, value } of mutations) {
          if (drop) delete body[field]
          else body[field] = value
        }
        return body
      }),
    },
  )
}

/** `fetch` takes dots as steps in the path, and the request would be another one. */
const segmentOf = (value = ""): string => (["", ".", ".."].includes(value) ? "x" : value)

const requestOf = (document: Document, operation: Operation, ids: ReadonlyArray<string>) => {
  const value = fc.oneof(odd, fc.constantFrom("none", ...ids))
  const named = (kind: "path" | "query") => operation.parameters.filter((parameter) => parameter.in === kind)
  return fc.record({
    path: fc
      .tuple(...named("path").map(() => value))
      .map((values) =>
        named("path").reduce(
          (path, parameter, at) => path.replace(`{${parameter.name}}`, encodeURIComponent(segmentOf(values[at]))),
          operation.path,
        ),
      ),
    query: fc.array(fc.tuple(fc.constantFrom("nothing", ...named("query").map(({ name }) => name)), odd), {
      maxLength: named("query").length === 0 ? 1 : 3,
      size: "xsmall",
    }),
    headers: fc.record(
      {
        "if-match": fc.constantFrom("*", '"1"', "1", 'W/"1"', "~"),
        "idempotency-key": fc.constantFrom("key-1", "key-2", "a b", "x".repeat(300)),
        "x-request-id": fc.constantFrom("sane-request-1", "no", "x".repeat(500)),
      },
      { requiredKeys: [] },
    ),
    body: bodyNear(exampleBody(document, operation)),
    prefix: fc.constantFrom("", "/hub-api"),
  })
}

/** Streams and operations that would end the session's own login are tried elsewhere. */
const left = /^\/api\/v1\/campaigns\/.*\/events$/

/** Ids, names and numbers that are there, so that requests get past the look-up. */
const someIds = async (client: Client): Promise<ReadonlyArray<string>> => {
  const all = await everything(client, "fuzz")
  return Object.values(all).flatMap(
    (made: { readonly id?: string; readonly name?: string; readonly phone_number?: string | null }) =>
      [made.id, made.name, made.phone_number].filter((value) => typeof value === "string"),
  )
}

/** Each of `items` once, some at a time. */
const forEach = async <Item>(items: ReadonlyArray<Item>, run: (item: Item) => Promise<void>): Promise<void> => {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** A process of its own, whose event loop is watched. */
const watched = () => {
  const database = new URL(inject("postgres"))
  database.pathname = `/parley_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  return start({
    DATABASE_URL: database.href,
    PARLEY_DATA_DIR: emptyFolder(),
    PARLEY_REQUESTS_PER_MINUTE: "1000000",
    LOG_LEVEL: "Error",
    LAB_SPEED: "60",
    NODE_OPTIONS: "--import ./test/support/LoopWatch.ts",
  })
}

/** Milliseconds that the process said, during `run`, that its event loop was held at a stretch. */
const longestHold = async (process: Process, run: () => Promise<void>): Promise<number> => {
  const before = process.said().length
  await run()
  return longestSaid(process.said().slice(before))
}

describe("bad input", () => {
  it("of thousands of generated requests none is answered by a 5xx or holds the event loop, and every answer is as documented", async () => {
    const process = watched()
    try {
      const server = speak(await process.ready)
      const document = made(await server.request("GET", "/openapi.json"))
      const judge = makeJudge(document)
      const owner = await server.ownerOf("fuzzed")
      const admin = await server.admin()
      const ids = await someIds(owner)
      const faults: Array<string> = []
      const byClass = new Map<number, number>()
      for (const operation of operationsOf(document).filter(({ path }) => !left.test(path))) {
        const client = operation.path.startsWith("/api/admin/") ? admin : owner
        const generated = fc.sample(requestOf(document, operation, ids), { numRuns: rounds, seed: 20_261_121 })
        const ask = async ({ body, headers, path, prefix, query }: (typeof generated)[number]) => {
          const search = new URLSearchParams(query).toString()
          const payload = operation.requestBody === undefined ? {} : { body: JSON.stringify(body) ?? "" }
          const type: Record<string, string> =
            operation.requestBody === undefined ? {} : { "content-type": "application/json" }
          const answer = await client.request(
            operation.method,
            `${prefix}${path}${search === "" ? "" : `?${search}`}`,
            {
              ...payload,
              headers: { ...type, ...headers },
            },
          )
          const statusClass = Math.floor(answer.status / 100)
          byClass.set(statusClass, (byClass.get(statusClass) ?? 0) + 1)
          const fault = judge(operation, answer)
          if (fault !== undefined) {
            const asked = `${operation.method} ${path}?${search} ${JSON.stringify(body)}`
            faults.push(`${asked} got ${fault} ${JSON.stringify(answer.body)}`)
          }
        }
        // A module that was loaded, or a collection of garbage, does not come again with the same requests.
        const held = await bestOf(() => longestHold(process, () => forEach(generated, ask)))
        if (held >= mostMs) faults.push(`${operation.method} ${operation.path} holds the event loop for ${held} ms`)
      }
      assert.deepStrictEqual(faults.slice(0, 10), [], `${faults.length} faults; the server's log: ${process.said()}`)
      const sent = [...byClass.values()].reduce((sum, count) => sum + count, 0)
      assert.isAtLeast(sent, atLeast)
      // A fuzz that only ever meets the door proves nothing of the rooms behind it.
      assert.isAbove((byClass.get(2) ?? 0) / sent, 0.1)
      assert.strictEqual((await server.request("GET", "/healthz")).status, 200)
    } finally {
      process.child.kill("SIGKILL")
      await process.ended
    }
  }, 600_000)
})

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("the document", (it) => {
  it.effect("every operation has a summary, a description and an example of its body", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const document = made(yield* Effect.promise(() => server.request("GET", "/openapi.json")))
      const operations = operationsOf(document)
      const name = ({ method, path }: Operation) => `${method} ${path}`
      const missing = (what: (operation: Operation) => boolean) => operations.filter(what).map(name)
      assert.strictEqual(document.openapi, "3.1.0")
      assert.deepStrictEqual(
        missing(({ description, summary }) => !summary || !description),
        [],
      )
      assert.deepStrictEqual(
        missing((operation) => {
          const types = Object.keys(operation.requestBody?.content ?? {})
          return types.includes("application/json") && exampleBody(document, operation) === undefined
        }),
        [],
      )
    }),
  )
})
