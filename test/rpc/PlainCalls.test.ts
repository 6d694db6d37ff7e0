import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { odd } from "../support/Boundaries.ts"
import { everything } from "../support/Fixtures.ts"
import { procedures } from "../support/RpcOperations.ts"
import { type Answer, onServer, TestServer } from "../support/TestServer.ts"

/** Requests of one call or of several. */
const requests = 400

/** tRPC heeds no such parameter, but a request with it is left to tRPC. */
const leftToTrpc = "x=1"

/** Two answers to the same question, a moment apart. */
const without = (...names: ReadonlyArray<string>) =>
  function reduced(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(reduced)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => (names.includes(name) ? [] : [[name, reduced(field)]])),
    )
  }
const lasting = without("at", "used", "expires_at", "access_token", "prepared_at")

const said = ({ body, headers, status }: Answer) => ({
  status,
  body: lasting(body),
  headers: ["content-type", "www-authenticate", "allow", "retry-after", "x-request-id"].map((name) =>
    headers.get(name),
  ),
})

/** Subscriptions stream, and are tRPC's; what changes something is asked for what it refuses. */
const paths = [...procedures].flatMap(([path, { _def }]) => (_def.type === "subscription" ? [] : [path]))
const queries = paths.filter((path) => procedures.get(path)?._def.type === "query")
const strange = ["agents", "agents.nothing", "constructor", "agents.get.call", "agents%2Eget", "", "calls.live"]

it.layer(TestServer.layer, { timeout: "300 seconds", excludeTestServices: true })(
  "a call that needs no stream",
  (it) => {
    it.effect(
      "is answered word for word as tRPC would: alone, in a batch, by POST, and when something is wrong with it",
      () =>
        onServer(async (server) => {
          const owner = await server.ownerOf("plain")
          const all: ReadonlyArray<{
            readonly id?: string
            readonly name?: string
            readonly phone_number?: string | null
          }> = Object.values(await everything(owner, "plain"))
          const known = all.flatMap((made) => [made.id, made.name].filter((key) => key !== undefined))
          const key = fc.constantFrom(...known, "nobody")
          const input = fc.oneof(
            { weight: 4, arbitrary: key.map((id) => ({ id, agent_id: id, campaign_id: id, webhook_id: id })) },
            { weight: 2, arbitrary: fc.constantFrom<unknown>(undefined, {}, { page: 0, page_size: 2 }) },
            { weight: 1, arbitrary: fc.constantFrom<unknown>(...odd, { page: "x" }, { nothing: 1 }, [1]) },
          )
          const call = (from: ReadonlyArray<string>) => fc.tuple(fc.constantFrom(...from), input)
          const asked = fc.record({
            calls: fc.oneof(
              { weight: 6, arbitrary: fc.array(call(queries), { minLength: 1, maxLength: 3 }) },
              { weight: 1, arbitrary: fc.array(call([...paths, ...strange]), { minLength: 1, maxLength: 3 }) },
              { weight: 1, arbitrary: fc.array(call(strange), { minLength: 1, maxLength: 3 }) },
            ),
            isBatch: fc.boolean(),
            isPost: fc.boolean(),
            token: fc.oneof({ weight: 9, arbitrary: fc.constant(owner.token) }, fc.constantFrom("nonsense", null)),
            // No name, no JSON, and a key that stands twice.
            text: fc.oneof(
              { weight: 9, arbitrary: fc.constant(undefined) },
              fc.constantFrom("", "{", "[]", "7", `{"0":1,"0":2}`),
            ),
          })
          const seen = new Set<number>()
          for (const { calls, isBatch, isPost, text, token } of fc.sample(asked, {
            numRuns: requests,
            seed: 20_261_121,
          })) {
            const inputs = isBatch ? Object.fromEntries(calls.map(([, each], at) => [at, each])) : calls[0]?.[1]
            const json = text ?? JSON.stringify(inputs)
            const names = (isBatch ? calls : calls.slice(0, 1)).map(([path]) => path).join(",")
            // An accepted change is skipped: the second call would change something else and answer differently.
            const changes = calls.some(([path]) => procedures.get(path)?._def.type === "mutation")
            if (changes && isPost && token === owner.token && text === undefined) continue
            // A live view that begins does not end.
            const isLive = !isBatch && procedures.get(names)?._def.type === "subscription"
            if (isLive && token === owner.token) continue
            const ask = (...beside: ReadonlyArray<string>) => {
              const inUrl = isPost || json === undefined ? [] : [`input=${encodeURIComponent(json)}`]
              const query = [...(isBatch ? ["batch=1"] : []), ...inUrl, ...beside].join("&")
              const headers = {
                "x-request-id": "request-of-both",
                ...(isPost && { "content-type": "application/json" }),
              }
              const body = isPost && json !== undefined ? { body: json } : {}
              return owner.request(isPost ? "POST" : "GET", `/trpc/${names}?${query}`, { token, headers, ...body })
            }
            const askBoth = async () => [await ask(), await ask(leftToTrpc)] as const
            let [plain, whole] = await askBoth()
            // The account may change in between, such as when a webhook's first delivery fails: then both are asked again.
            if (!isDeepStrictEqual(said(plain), said(whole))) [plain, whole] = await askBoth()
            assert.deepStrictEqual(said(plain), said(whole), `${isPost ? "POST" : "GET"} ${names} ${json}`)
            seen.add(plain.status)
          }
          assert.includeMembers([...seen], [200, 207, 400, 401, 404])
        }),
      300_000,
    )
  },
)
