import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { get, type IncomingHttpHeaders } from "node:http"
import { buffer } from "node:stream/consumers"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { campaignForm, everything, made } from "../../support/Fixtures.ts"
import { type Client, TestServer } from "../../support/TestServer.ts"

interface Raw {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** As it came over the wire: `fetch` would unpack it. */
const raw = async (url: string, headers: Record<string, string>): Promise<Raw> => {
  const [response] = await once(get(url, { headers, agent: false }), "response")
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes }

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("compression and caching", (it) => {
  const asOwner = (test: (owner: Client, ask: (path: string, accept?: string) => Promise<Raw>) => Promise<void>) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* Effect.promise(async () => {
        const owner = await server.ownerOf("packed")
        const identity = { authorization: `Bearer ${owner.token}`, "x-account-id": owner.account }
        await test(owner, (path, accept) =>
          raw(server.url + path, accept === undefined ? identity : { ...identity, "accept-encoding": accept }),
        )
      })
    })

  it.effect("JSON is packed as the client accepts it, and says that it depends on it", () =>
    asOwner(async (_, ask) => {
      const plain = await ask("/api/tools")
      assert.strictEqual(plain.headers["content-encoding"], undefined)
      assert.strictEqual(plain.headers.vary, "Accept-Encoding")
      const cases = [
        ["gzip", "gzip"],
        ["br", "br"],
        ["gzip, deflate, br", "br"],
        ["br;q=0.5, gzip;q=0.8", "gzip"],
        ["br;q=0, gzip", "gzip"],
        ["*", "gzip"],
        ["GZIP", "gzip"],
        ["deflate, zstd", "identity"],
        ["identity", "identity"],
        ["gzip;q=0", "identity"],
        ["gzip;q=nonsense, ,;", "identity"],
        ["gzip;q=nonsense, br", "br"],
        ["gzip;q=0, *", "identity"],
        ["gzip;q=0, br;q=0.1, *", "br"],
      ] as const
      for (const [accept, coding] of cases) {
        const { bytes, headers, status } = await ask("/api/tools", accept)
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["content-encoding"] ?? "identity", coding, accept)
        assert.strictEqual(Number(headers["content-length"]), bytes.length, accept)
        assert.strictEqual(unpack[coding](bytes).toString(), plain.bytes.toString(), accept)
        if (coding !== "identity") assert.isBelow(bytes.length, plain.bytes.length / 2)
      }
    }),
  )

  it.effect("a streamed CSV is packed as it goes; what is small goes as it is", () =>
    asOwner(async (owner, ask) => {
      const { agent, number } = await everything(owner, "packed")
      const rows = Array.from({ length: 2_500 }, (_, at) => `+1415555${String(at + 1000)},Name ${at}`)
      const form = campaignForm(
        { name: "c", agent_id: agent.id, phone_number_id: number.id },
        ["phone_number,first_name", ...rows].join("\n"),
      )
      const { id } = made(await owner.request("POST", "/api/v1/campaigns", { body: form }))
      const path = `/api/v1/campaigns/${id}/results.csv` as const
      const plain = await ask(path)
      for (const coding of ["gzip", "br"] as const) {
        const { bytes, headers } = await ask(path, coding)
        assert.strictEqual(headers["content-encoding"], coding)
        assert.strictEqual(headers["content-type"], "text/csv; charset=utf-8")
        assert.include(headers["content-disposition"], "attachment")
        assert.isTrue(unpack[coding](bytes).equals(plain.bytes))
        assert.isBelow(bytes.length, plain.bytes.length / 4)
      }
      assert.strictEqual((await ask("/healthz", "gzip")).headers["content-encoding"], undefined)
    }),
  )

  it.effect("an answer that shows a secret is for no cache, a repeated one included", () =>
    asOwner(async (owner) => {
      const options = { headers: { "idempotency-key": "no-store" } }
      const key = { name: "k", scopes: ["read"] }
      for (const answer of [
        await owner.post("/api/v1/api-keys", key, options),
        await owner.post("/api/v1/api-keys", key, options),
        await owner.post("/api/v1/webhooks", { url: "https://a.invalid", events: ["*"] }),
        await owner.post("/api/login", { email: "x@packed.example", account: "packed" }),
        await owner.post("/trpc/apiKeys.create", key),
      ]) {
        assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      }
      assert.strictEqual((await owner.get("/api/tools")).headers.get("cache-control"), null)
    }),
  )

  it.effect("the OpenAPI document has an ETag, and is not sent again to a client that has it", () =>
    asOwner(async (owner, ask) => {
      const { headers } = await ask("/openapi.json", "br")
      assert.match(String(headers.etag), /^"[\w-]{20,}"$/)
      assert.strictEqual(headers["cache-control"], "no-cache")
      const again = await owner.get("/openapi.json", { headers: { "if-none-match": String(headers.etag) } })
      assert.deepStrictEqual([again.status, again.body], [304, undefined])
      assert.strictEqual((await owner.get("/openapi.json", { headers: { "if-none-match": '"x"' } })).status, 200)
    }),
  )
})
