import { assert, it } from "@effect/vitest"
import { createTRPCClient, httpBatchLink, httpBatchStreamLink } from "@trpc/client"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { AppRouter } from "../../src/rpc/Router.ts"
import type { RpcBody } from "../support/Contract.ts"
import { inAccountOfItsOwn } from "../support/Campaigner.ts"
import { made } from "../support/Fixtures.ts"
import { headersOf, refusalOf, single } from "../support/RpcClient.ts"
import { TestServer } from "../support/TestServer.ts"
import { until } from "../support/Until.ts"

const agent = { name: "Rosa", system_prompt: "You are Rosa." }

const server = TestServer.layerWith({ PARLEY_HTTP_TOOL_ALLOW_LOOPBACK: "1" })

it.layer(server, { timeout: "180 seconds", excludeTestServices: true })("a request to the router", (it) => {
  it.effect("may hold many calls, each with an answer of its own, in one piece or as they come", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const link = { url: `${url}/hub-api/trpc`, headers: headersOf(owner) }
      for (const links of [[httpBatchLink(link)], [httpBatchStreamLink(link)]]) {
        const rpc = createTRPCClient<AppRouter>({ links })
        const [list, refused, me] = await Promise.all([
          rpc.agents.list.query(),
          refusalOf(rpc.agents.get.query({ id: "nobody" })),
          rpc.auth.whoami.query(),
        ])
        assert.strictEqual(list.page_size, 50)
        assert.strictEqual(refused.code, "not_found")
        assert.strictEqual(me.accounts.length, 1)
      }
      const names = Array.from({ length: 101 }, () => "auth.accounts").join(",")
      assert.strictEqual((await owner.get(`/trpc/${names}?batch=1`)).status, 400)
    }),
  )

  it.effect("with an Idempotency-Key does once what it asks for, and answers the same again", () =>
    inAccountOfItsOwn(async (_, owner) => {
      const headers = { "idempotency-key": "make-rosa" }
      const make = (body: object) => owner.request("POST", "/trpc/agents.create", { body, headers })
      const [first, again] = [await make(agent), await make(agent)]
      assert.strictEqual(first.status, 200)
      assert.deepStrictEqual(again.body, first.body)
      const other = await make({ ...agent, name: "Other" })
      assert.strictEqual(other.status, 422)
      assert.strictEqual(other.body.error?.data.code, "idempotency_key_reused")
      // The contract's own POST with that key is another operation.
      assert.strictEqual((await owner.request("POST", "/api/agents", { body: agent, headers })).status, 409)
      const batch = { 0: agent, 1: agent }
      const two = await owner.request("POST", "/trpc/agents.create,agents.create?batch=1", { body: batch, headers })
      assert.strictEqual(
        (two.body as unknown as ReadonlyArray<RpcBody>)[0]?.error?.data.errors?.[0]?.pointer,
        "/headers/idempotency-key",
      )
    }),
  )

  it.effect("is looked at in REST's order: account, token, membership, role, body, resource", () =>
    inAccountOfItsOwn(async (_, owner, { account, admin }) => {
      const viewer = "viewer@example.com"
      made(await admin.post(`${account}/members`, { email: viewer, role: "viewer" }))
      const key = made(await owner.post("/api/v1/api-keys", { name: "k", scopes: ["write"] })).key
      const call = (options: object) => owner.request("POST", "/trpc/agents.update", { body: "{", ...options })
      const json = { headers: { "content-type": "application/json" } }
      const steps = [
        [400, "invalid_account", await call({ account: null })],
        [400, "invalid_account", await call({ account: "NO" })],
        [403, "reserved_account", await call({ account: "platform-admin" })],
        [401, "unauthenticated", await call({ token: null })],
        [404, "account_not_found", await call({ account: "nowhere" })],
        [403, "not_a_member", await call({ account: "demo" })],
        [403, "missing_scope", await owner.get("/trpc/agents.list", { token: key })],
        [415, "unsupported_media_type", await call({})],
        [400, "invalid_request", await call(json)],
        [400, "invalid_request", await call({ ...json, body: { id: "nobody", nothing: 1 } })],
        [404, "not_found", await call({ ...json, body: { id: "nobody", name: "x" } })],
        [403, "admin_required", await owner.get("/trpc/accounts.list")],
      ] as const
      for (const [status, code, answer] of steps) {
        assert.strictEqual(answer.body.error?.data.code, code)
        assert.strictEqual(answer.status, status, code)
      }
      assert.strictEqual(steps[3][2].headers.get("www-authenticate"), "Bearer")
      assert.strictEqual((await admin.get("/trpc/accounts.list")).status, 200)
    }),
  )

  it.effect("is for pages of no other origin, and takes its request id from who sends one", () =>
    inAccountOfItsOwn(async (_, owner) => {
      const headers = { origin: "https://evil.example", "x-request-id": "request-of-mine" }
      const answer = await owner.get("/trpc/agents.get?input=%7B%22id%22%3A%22x%22%7D", { headers })
      assert.isNull(answer.headers.get("access-control-allow-origin"))
      assert.strictEqual(answer.body.error?.data.request_id, "request-of-mine")
      const preflight = { ...headers, "access-control-request-method": "POST" }
      assert.isAtLeast((await owner.request("OPTIONS", "/trpc/agents.get", { headers: preflight })).status, 400)
    }),
  )

  it.effect("that its client leaves is interrupted, down to what it waited for", () =>
    inAccountOfItsOwn(async (_, owner, { url }) => {
      const seen = { asked: false, left: false }
      const slow = createServer((_, response) => {
        seen.asked = true
        response.once("close", () => (seen.left = true))
      })
      await once(slow.listen(0, "127.0.0.1"), "listening")
      const { port } = slow.address() as AddressInfo
      const implementation_config = { url: `http://127.0.0.1:${port}/never`, timeout_ms: 60_000 }
      const tool = { name: "slow", description: "Takes its time.", implementation_type: "http", implementation_config }
      const { id } = made(await owner.post("/api/tools", tool))
      const tab = new AbortController()
      const call = single(url, headersOf(owner)).tools.invoke.mutate({ id }, { signal: tab.signal })
      const failed = call.catch((error: unknown) => error)
      await until(() => seen.asked)
      tab.abort()
      await until(() => seen.left)
      assert.instanceOf(await failed, Error)
      slow.close()
    }),
  )
})
