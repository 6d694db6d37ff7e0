import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ApiKeyWithText } from "../../src/domain/ApiKey.ts"
import { type Client, TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const path = "/api/v1/api-keys"
const faq = { question: "Q?", answer: "A." }

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "API keys (decisions §2 and §3)",
  (it) => {
    const asOwner = (test: (owner: Client, server: TestServer["Service"]) => Promise<void>) =>
      Effect.gen(function* () {
        const server = yield* TestServer
        yield* Effect.promise(async () => test(await server.ownerOf("acme"), server))
      })
    const newKey = async (owner: Client, scopes: ReadonlyArray<string>, more: object = {}) => {
      const made = await owner.post(path, { name: "Import", scopes, ...more })
      assert.strictEqual(made.status, 201)
      return made.body as typeof ApiKeyWithText.Encoded
    }

    it.effect("a key is shown in the answer to its creation, and never again", () =>
      asOwner(async (owner) => {
        const made = await owner.post(path, { name: "Import", scopes: ["read"], id: "ignored" })
        assert.match(made.body.key!, /^pak_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}$/)
        assert.strictEqual(made.headers.get("location"), `${path}/${made.body.id}`)
        assert.include(made.body.key, made.body.key_id)
        const listed = await owner.get(path)
        assert.strictEqual(listed.body.items![0]!.id, made.body.id)
        assert.notInclude(JSON.stringify(listed.body), made.body.key!.slice(17))
      }),
    )

    it.effect("it does what its scopes say and nothing else", () =>
      asOwner(async (owner) => {
        const [read, write, both] = [
          await newKey(owner, ["read"]),
          await newKey(owner, ["write"]),
          await newKey(owner, ["read", "write"]),
        ]
        const reads = async ({ key: token }: { key: string }) => (await owner.get("/api/faqs", { token })).status
        const writes = async ({ key: token }: { key: string }) => (await owner.post("/api/faqs", faq, { token })).status
        assert.deepStrictEqual([await reads(read), await writes(read)], [200, 403])
        assert.deepStrictEqual([await reads(write), await writes(write)], [403, 201])
        assert.deepStrictEqual([await reads(both), await writes(both)], [200, 201])
        const refused = await owner.post("/api/faqs", faq, { token: read.key })
        assert.deepInclude(refused.body, { status: 403, code: "missing_scope", required: "write" })
      }),
    )

    it.effect("no key manages keys, and none is an administrator or a person", () =>
      asOwner(async (owner, server) => {
        const { id, key: token } = await newKey(owner, ["read", "write", "dial"])
        assert.strictEqual((await owner.get(path, { token })).body.code, "missing_scope")
        assert.strictEqual(
          (await owner.post(path, { name: "x", scopes: ["read"] }, { token })).body.code,
          "missing_scope",
        )
        assert.strictEqual((await owner.delete(`${path}/${id}`, { token })).body?.code, "missing_scope")
        const admin = await server.request("GET", "/api/admin/accounts", { token, headers: { "x-admin": "true" } })
        assert.strictEqual(admin.body.code, "admin_required")
        assert.strictEqual((await server.request("GET", "/api/user/org", { token })).status, 401)
      }),
    )

    it.effect("it opens its own account alone: another's header is a 401, an unknown account's too", () =>
      asOwner(async (owner, server) => {
        await server.ownerOf("globex")
        const { key: token } = await newKey(owner, ["read"])
        assert.strictEqual((await owner.get("/api/faqs", { token })).status, 200)
        for (const account of ["globex", "nowhere"]) {
          const answer = await owner.get("/api/faqs", { token, account })
          assert.deepInclude(answer.body, { status: 401, code: "unauthenticated" })
        }
      }),
    )

    it.effect("a mistyped key is a 401; so is a deleted one", () =>
      asOwner(async (owner) => {
        const { id, key } = await newKey(owner, ["read"])
        const mistyped = `${key!.slice(0, 20)}${key![20] === "a" ? "b" : "a"}${key!.slice(21)}`
        assert.strictEqual((await owner.get("/api/faqs", { token: mistyped })).status, 401)
        assert.strictEqual((await owner.get("/api/faqs", { token: key })).status, 200)
        assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 204)
        assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 404)
        assert.strictEqual((await owner.get("/api/faqs", { token: key })).status, 401)
      }),
    )

    it.effect("one that is deleted while its list arrives imports nothing", () =>
      asOwner(async (owner, { url }) => {
        const { id, key } = await newKey(owner, ["write"])
        const form = new FormData()
        form.append("numbers", new Blob(["phone_number\n+14155550142\n"], { type: "text/csv" }), "numbers.csv")
        const whole = new Response(form)
        const type = whole.headers.get("content-type") ?? ""
        const bytes = new Uint8Array(await whole.arrayBuffer())
        const usedAt = async () => (await owner.get(path)).body.items?.find((one) => one.id === id)?.last_used_at
        const body = new ReadableStream<Uint8Array>({
          start: (sending) => sending.enqueue(bytes.slice(0, -20)),
          pull: async (sending) => {
            await until(async () => typeof (await usedAt()) === "string")
            assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 204)
            sending.enqueue(bytes.slice(-20))
            sending.close()
          },
        })
        const headers = { authorization: `Bearer ${key}`, "x-account-id": owner.account, "content-type": type }
        const request = { method: "POST", headers, body, duplex: "half" } as const
        const answer = await fetch(`${url}/api/v1/suppressions/import`, request)
        assert.strictEqual(answer.status, 401)
        assert.strictEqual((await owner.get("/api/v1/suppressions")).body.total, 0)
      }),
    )

    it.effect("what a new key may be", () =>
      asOwner(async (owner) => {
        const future = "2099-01-01T00:00:00+01:00"
        const made = await newKey(owner, ["read"], { expires_at: future })
        assert.strictEqual(made.expires_at, "2098-12-31T23:00:00.000Z")
        for (const body of [
          {},
          { name: "x" },
          { name: "x", scopes: [] },
          { name: "x", scopes: ["admin"] },
          { name: "x", scopes: ["read", "read"] },
          { name: "", scopes: ["read"] },
          { name: "x", scopes: ["read"], expires_at: "tomorrow" },
          { name: "x", scopes: ["read"], expires_at: "2020-01-01T00:00:00Z" },
          { name: "x", scopes: ["read"], secret: "mine" },
        ]) {
          assert.strictEqual((await owner.post(path, body)).status, 400, JSON.stringify(body))
        }
        for (const id of ["nowhere", "01976c1e-5a00-7000-8000-000000000000"]) {
          assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 404)
        }
      }),
    )

    it.effect("an Idempotency-Key gives the same key again, and keeps it sealed", () =>
      asOwner(async (owner) => {
        const headers = { "idempotency-key": "one-key" }
        const body = { name: "Once", scopes: ["read"] }
        const [first, again] = [await owner.post(path, body, { headers }), await owner.post(path, body, { headers })]
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(again.body.key, first.body.key)
      }),
    )
  },
)
