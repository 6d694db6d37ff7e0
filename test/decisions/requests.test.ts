import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { callOf } from "../support/RpcOperations.ts"
import type { Problem } from "../support/Contract.ts"
import { campaignForm, everything, made } from "../support/Fixtures.ts"
import { type Answer, type Client, TestServer } from "../support/TestServer.ts"

const faultsOf = ({ body, status }: Answer): ReadonlyArray<readonly [string, string]> => {
  assert.strictEqual(status, 400, JSON.stringify(body))
  return (body as Problem).errors!.map(({ detail, pointer }) => [pointer, detail])
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "requests are strict (decisions §2)",
  (it) => {
    const asOwner = (test: (owner: Client, server: TestServer["Service"]) => Promise<void>) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        yield* Effect.promise(async () => test(await server.ownerOf("strict"), server))
      })

    it.effect("an unknown query parameter is a 400 that names it and the known ones", () =>
      asOwner(async (owner, server) => {
        const { campaign } = await everything(owner, "queries")
        assert.deepStrictEqual(faultsOf(await owner.get(`/api/v1/campaigns/${campaign.id}/contacts?staus=failed`)), [
          [
            "/query/staus",
            "is not a query parameter of this operation, which takes page, page_size, status, outcome, disposition, search",
          ],
        ])
        assert.deepStrictEqual(faultsOf(await owner.get(`/api/v1/campaigns/${campaign.id}?a~/b=1&c=2`)), [
          ["/query/a~0~1b", "is not a query parameter of this operation, which takes none"],
          ["/query/c", "is not a query parameter of this operation, which takes none"],
        ])
        const form = campaignForm({ name: "x" }, "phone_number\n+14155550100\n")
        const created = await owner.request("POST", "/api/v1/campaigns?start=true", { body: form })
        assert.deepStrictEqual(faultsOf(created)[0]?.[0], "/query/start")
        assert.strictEqual((await (await server.admin()).get("/api/admin/accounts?slug=x")).status, 400)
        assert.strictEqual((await server.request("GET", "/api/accounts?page=1")).status, 400)
        // A caller that is not admitted learns of the token first.
        assert.strictEqual((await owner.get("/api/tools?nonsense=1", { token: null })).status, 401)
        const listed = await callOf(owner, "campaigns.contacts.list", { campaign_id: campaign.id, staus: "failed" })
        assert.deepStrictEqual(listed.body.error?.data.errors, [{ pointer: "/staus", detail: "is not a known field" }])
      }),
    )

    it.effect("an integer that a double would round is refused where it stands, and is never stored", () =>
      asOwner(async (owner) => {
        const json = { "content-type": "application/json" }
        const limit = "is an integer beyond 9007199254740991 and would be rounded; send it as a string"
        const tool = (value: string) =>
          `{"name":"big","description":"d","implementation_type":"http","implementation_config":{"url":"https://a.example"},"schema":{"type":"object","properties":{"id":{"const":${value}}}}}`
        const post = (body: string) => owner.request("POST", "/api/tools", { body, headers: json })
        const at = "/schema/properties/id/const"
        assert.deepStrictEqual(faultsOf(await post(tool("9007199254740993"))), [[at, limit]])
        assert.deepStrictEqual(faultsOf(await post(tool("1e400"))), [[at, "is too large a number"]])
        const largest = made(await post(tool("9007199254740991")))
        assert.nestedPropertyVal(largest.schema, "properties.id.const", 9007199254740991)
        for (const page of ["9007199254740993", "1e400", "1e9999"]) {
          assert.strictEqual((await owner.get(`/api/tools?page=${page}`)).status, 400, page)
        }
        assert.strictEqual((await owner.get("/api/v1/events?after=9007199254740993")).status, 400)
        const form = campaignForm(
          { name: "x", max_concurrent_calls: "9007199254740993" },
          "phone_number\n+14155550100\n",
        )
        const created = await owner.request("POST", "/api/v1/campaigns", { body: form })
        assert.include(
          created.body.errors!.map(({ pointer }) => pointer),
          "/max_concurrent_calls",
        )
        const called = await owner.request("POST", "/trpc/tools.create", {
          body: tool("-9007199254740993"),
          headers: json,
        })
        assert.deepStrictEqual(called.body.error?.data.errors, [{ pointer: at, detail: limit }])
      }),
    )

    it.effect("an Idempotency-Key replays an answer to its own caller alone", () =>
      asOwner(async (owner, server) => {
        const login = await server.request("POST", "/api/login", {
          body: { email: "other@strict.example", account: "strict" },
        })
        const options = { headers: { "idempotency-key": "shared-key" } }
        const body = { name: "Import", scopes: ["read"] }
        const first = made(await owner.post("/api/v1/api-keys", body, options))
        const again = await owner.post("/api/v1/api-keys", body, options)
        assert.deepStrictEqual([again.body, again.headers.get("idempotent-replayed")], [first, "true"])
        const other = await owner.post("/api/v1/api-keys", body, { ...options, token: made(login).access_token })
        assert.strictEqual(other.headers.get("idempotent-replayed"), null)
        assert.notStrictEqual(made(other).key, first.key)
        // A renewed token is the same person's.
        const renewed = await (await server.ownerOf("strict")).post("/api/v1/api-keys", body, options)
        assert.strictEqual(renewed.body.key, first.key)
        const admin = await server.admin()
        const account = { slug: "once-more", name: "Once more" }
        made(await admin.post("/api/admin/accounts", account, options))
        assert.strictEqual((await admin.post("/api/admin/accounts", account, options)).status, 201)
      }),
    )

    it.effect("a replayed answer has its Location under the prefix of its own request", () =>
      asOwner(async (owner) => {
        const create = async (prefix: string, key: string) => {
          const options = { headers: { "idempotency-key": key } }
          const answer = await owner.post(`${prefix}/api/faqs`, { question: "q", answer: "a" }, options)
          assert.strictEqual(answer.status, 201)
          return answer.headers.get("location")
        }
        for (const [first, second] of [
          ["", "/hub-api"],
          ["/hub-api", ""],
        ] as const) {
          const key = `prefix-${first.length}`
          const place = (await create(first, key))?.slice(first.length)
          assert.strictEqual(await create(second, key), `${second}${place}`)
          assert.strictEqual(await create(first, key), `${first}${place}`)
        }
      }),
    )

    it.effect("each fault is reported once, in a sentence, at its place", () =>
      asOwner(async (owner) => {
        const post = (path: string, body: string) =>
          owner.request("POST", path, { body, headers: { "content-type": "application/json" } })
        const said = async (path: string, body: string): Promise<string> => {
          const answer = await post(path, body)
          assert.strictEqual(answer.status, 400, JSON.stringify(answer.body))
          return answer.body.detail!
        }
        assert.strictEqual(await said("/api/tools", "[]"), "The body must be an object")
        assert.strictEqual(await said("/api/tools", '"x"'), "The body must be an object")
        assert.strictEqual(
          await said("/api/tools", '{"name":"x" "y"}'),
          "The body is not valid JSON: see line 1, column 13",
        )
        assert.strictEqual(await said("/api/tools", "{"), "The body is not valid JSON: see line 1, column 2")
        assert.strictEqual(await said("/api/tools", ""), "The body is not valid JSON: it ends too early")
        assert.strictEqual(
          await said("/api/tools", String.raw`{"name":"\ud800"}`),
          "/name has half of a surrogate pair, which is not a character",
        )
        assert.strictEqual(await said("/api/v1/api-keys", '{"name":"x","scopes":"read"}'), "/scopes must be an array")
        assert.strictEqual(
          await said("/api/v1/api-keys", '{"name":"x","scopes":["read"],"expires_at":"tomorrow"}'),
          "/expires_at must be an RFC 3339 timestamp, such as 2026-11-21T10:00:00Z",
        )
        const keys = await callOf(owner, "apiKeys.create", { name: "x", scopes: ["read"], expires_at: "tomorrow" })
        assert.deepStrictEqual(keys.body.error?.data.errors, [
          { pointer: "/expires_at", detail: "must be an RFC 3339 timestamp, such as 2026-11-21T10:00:00Z" },
        ])
        const { body } = await owner.put(`/api/agents/${(await everything(owner, "more", "+141555502")).agent.id}`, {
          language: 5,
          interruptible: "yes",
          temperature: 3,
          voice: { speed: "fast" },
        })
        assert.deepStrictEqual(body.errors, [
          { pointer: "/language", detail: "must be a string" },
          { pointer: "/voice/speed", detail: "must be a number" },
          { pointer: "/temperature", detail: "must be between 0 and 2" },
          { pointer: "/interruptible", detail: "must be true or false" },
        ])
      }),
    )
  },
)
