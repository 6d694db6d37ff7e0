import { assert, it } from "@effect/vitest"
import { Layer } from "effect"
import { randomBytes } from "node:crypto"
import { made } from "../support/Fixtures.ts"
import { sideBySide, TestServer } from "../support/TestServer.ts"
import { busy, options, path, reachesLoopback, test, webhook } from "../support/Webhooks.ts"

it.layer(reachesLoopback, sideBySide)("webhooks (decisions §1 and §2)", (it) => {
  it.effect("the secret is shown in the answer to the creation, and masked from then on", () =>
    test(async ({ endpoint, owner }) => {
      const created = await owner.post(path, { url: endpoint.at("/a"), events: ["call.ended"] })
      assert.strictEqual(created.status, 201)
      assert.match(created.body.secret!, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const { id } = created.body
      assert.strictEqual(created.headers.get("location"), `${path}/${id}`)
      const read = await owner.get(`${path}/${id}`)
      assert.deepStrictEqual(read.body, { ...created.body, secret: "********" })
      assert.strictEqual(read.headers.get("etag"), created.headers.get("etag"))
      assert.deepInclude(read.body, { description: "", enabled: true, disabled_reason: null, events: ["call.ended"] })
      assert.deepStrictEqual<unknown>((await owner.get(path)).body.items, [read.body])
    }),
  )

  it.effect("an update is partial, honours If-Match, and keeps what is sent back as it was read", () =>
    test(async ({ endpoint, owner }) => {
      const { id } = await webhook(owner, endpoint.at("/a"))
      const { body, headers } = await owner.get(`${path}/${id}`)
      const etag = headers.get("etag") ?? ""
      const sent = await owner.put(`${path}/${id}`, { ...body, description: "CRM" }, { headers: { "if-match": etag } })
      assert.strictEqual(sent.status, 200)
      assert.deepInclude(sent.body as object, { description: "CRM", url: body.url, events: ["*"], secret: "********" })
      const late = await owner.put(`${path}/${id}`, { enabled: false }, { headers: { "if-match": etag } })
      assert.deepStrictEqual([late.status, late.body.code], [412, "precondition_failed"])
      assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 204)
      assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 404)
      assert.strictEqual((await owner.get(`${path}/${id}/deliveries`)).status, 404)
    }),
  )

  it.effect("an Idempotency-Key makes one webhook, and shows its secret again", () =>
    test(async ({ endpoint, owner }) => {
      const send = () =>
        owner.post(path, { url: endpoint.at("/a"), events: ["*"] }, { headers: { "idempotency-key": "one" } })
      const [first, again] = [await send(), await send()]
      assert.strictEqual(again.body.secret, first.body.secret)
      assert.strictEqual((await owner.get(path)).body.total, 1)
    }),
  )

  it.effect("only owners manage them; no API key does, and a key that reads may pull events", () =>
    test(async ({ endpoint, owner, server }) => {
      const { id } = await webhook(owner, endpoint.at("/a"))
      const { key } = made(await owner.post("/api/v1/api-keys", { name: "k", scopes: ["read", "write"] }))
      for (const [method, at] of [
        ["GET", path],
        ["POST", path],
        ["GET", `${path}/${id}`],
        ["PUT", `${path}/${id}`],
        ["DELETE", `${path}/${id}`],
        ["GET", `${path}/${id}/deliveries`],
        ["POST", `${path}/${id}/deliveries/${id}/redeliver`],
      ] as const) {
        const refused = await owner.request(method, at, { token: key, body: method === "GET" ? undefined : {} })
        assert.deepStrictEqual([refused.status, refused.body.code], [403, "missing_scope"], `${method} ${at}`)
      }
      assert.strictEqual((await owner.get("/api/v1/events", { token: key })).status, 200)

      const admin = await server.admin()
      const email = "viewer@example.com"
      made(await admin.post(`/api/admin/accounts/${owner.account}/members`, { email, role: "viewer" }))
      const login = await server.request("POST", "/api/login", { body: { email, account: "demo" } })
      const token = made(login).access_token
      const asViewer = { token, account: owner.account }
      assert.strictEqual((await server.request("GET", "/api/v1/events", asViewer)).status, 200)
      const refused = await server.request("GET", path, asViewer)
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "missing_role"])
    }),
  )

  it.effect("what a webhook may be", () =>
    test(async ({ endpoint, owner }) => {
      const url = endpoint.at("/a")
      const events = ["call.ended"]
      for (const body of [
        {},
        { url },
        { events },
        { url, events: [] },
        { url, events: ["call.exploded"] },
        { url, events: ["call.ended", "call.ended"] },
        { url: "", events },
        { url: "not a url", events },
        { url: "ftp://example.com/", events },
        { url: `${url}#part`, events },
        { url: "https://user:password@example.com/", events },
        { url: `https://example.com/${"x".repeat(2_000)}`, events },
        { url, events, secret: "********" },
        { url, events, secret: "plain" },
        { url, events, secret: `whsec_${randomBytes(16).toString("base64")}` },
        { url, events, secret: `whsec_${randomBytes(65).toString("base64")}` },
        { url, events, unknown: true },
      ]) {
        const refused = await owner.post(path, body)
        assert.strictEqual(refused.status, 400, JSON.stringify(body))
        assert.isNotEmpty(refused.body.errors)
      }
      const own = `whsec_${randomBytes(24).toString("base64")}`
      assert.strictEqual((await webhook(owner, url, { secret: own })).secret, own)
    }),
  )

  it.effect("an account has a hundred at most, also when many are created at once", () =>
    test(async ({ endpoint, owner }) => {
      for (let at = 0; at < 98; at++) await webhook(owner, endpoint.at("/a"))
      const create = () => owner.post(path, { url: endpoint.at("/a"), events: ["*"] })
      const statuses = (await Promise.all(Array.from({ length: 16 }, create))).map(({ status }) => status)
      assert.deepStrictEqual(new Set(statuses), new Set([201, 409]))
      assert.strictEqual(made(await owner.get(path)).total, 100)
    }),
  )

  it.effect("another origin never receives a signature of a secret that was replaced before", () =>
    test(async ({ caller, endpoint, owner }) => {
      const { id } = await webhook(owner, endpoint.at("/a"))
      const secret = `whsec_${randomBytes(24).toString("base64")}`
      made(await owner.put(`${path}/${id}`, { secret }))
      const elsewhere = endpoint.at("/b").replace("127.0.0.1", "localhost")
      made(await owner.put(`${path}/${id}`, { url: elsewhere, secret }))
      await caller.through(busy)
      const [got] = await endpoint.until("/b", 1)
      assert.strictEqual(got?.headers["webhook-signature"]?.split(" ").length, 1)
    }),
  )

  it.effect("a URL into a private network is refused with the reason, on creation and on change", () =>
    test(async ({ endpoint, owner }) => {
      const { id } = await webhook(owner, endpoint.at("/a"))
      for (const host of ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00::1]", "0.0.0.0", "100.64.0.1"]) {
        const url = `https://${host}/hook`
        for (const refused of [
          await owner.post(path, { url, events: ["*"] }),
          await owner.put(`${path}/${id}`, { url }),
        ]) {
          assert.strictEqual(refused.status, 400, url)
          assert.strictEqual(refused.body.errors![0]!.pointer, "/url")
          assert.include(refused.body.errors![0]!.detail, "private")
        }
      }
      assert.strictEqual((await owner.get(`${path}/${id}`)).body.url, endpoint.at("/a"))
    }),
  )
})

it.layer(Layer.fresh(TestServer.layer), options)("without PARLEY_HTTP_TOOL_ALLOW_LOOPBACK", (it) => {
  it.effect("no webhook leads to this machine", () =>
    test(async ({ endpoint, owner }) => {
      const url = endpoint.at("/a")
      for (const place of [url, url.replace("127.0.0.1", "localhost"), url.replace("127.0.0.1", "[::1]")]) {
        const refused = await owner.post(path, { url: place, events: ["*"] })
        assert.strictEqual(refused.status, 400, place)
        assert.strictEqual(refused.body.errors![0]!.pointer, "/url")
      }
    }),
  )
})
