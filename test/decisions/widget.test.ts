import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { made as created } from "../support/Fixtures.ts"
import { type Answer, type Client, TestServer } from "../support/TestServer.ts"

const path = "/api/v1/widget-keys"
const session = "/api/v1/widget/auth/session"
const token = "/api/v1/widget/auth/token"
const page = "https://www.example.com"
const stranger = "https://evil.example"

interface Keys {
  readonly server: TestServer["Service"]
  readonly owner: Client
  readonly agent: { readonly id: string; readonly name: string }
  readonly pk: string
  readonly sk: string
}

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("the widget (decisions §3)", (it) => {
  let made: Promise<Keys> | undefined
  const makeKeys = async (server: TestServer["Service"]): Promise<Keys> => {
    const owner = await server.ownerOf("harbor")
    const agent = created(
      await owner.post("/api/agents", { name: "Nora", system_prompt: "The secret prompt.", first_message: "Hello." }),
    )
    const common = { name: "Website", agent_id: agent.id }
    const origins = [page, "http://localhost:5173"]
    const { key: pk } = created(await owner.post(path, { ...common, kind: "public", origins }))
    const { key: sk } = created(await owner.post(path, { ...common, kind: "secret" }))
    return { server, owner, agent, pk, sk }
  }
  const withKeys = (test: (keys: Keys) => Promise<void>) =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* Effect.promise(async () => test(await (made ??= makeKeys(server))))
    })
  const allowedOrigin = (answer: Answer) => answer.headers.get("access-control-allow-origin")

  it.effect(
    "keys name their family and are bound to one agent; a public one can be read again, a secret one cannot",
    () =>
      withKeys(async ({ agent, owner, pk, sk }) => {
        assert.match(pk, /^pk_live_[0-9a-f]{32}_[0-9A-Za-z]{30}$/)
        assert.match(sk, /^sk_live_[0-9a-f]{32}_[0-9A-Za-z]{30}$/)
        const listed = (await owner.get(path)).body
        assert.strictEqual(listed.total, 2)
        assert.deepInclude(listed.items![1], { kind: "public", agent_id: agent.id, hint: pk.slice(-4), key: pk })
        assert.deepInclude(listed.items![0], { kind: "secret", key: null, hint: sk.slice(-4) })
        assert.notInclude(JSON.stringify(listed), sk.slice(-30))
      }),
  )

  it.effect("what a new key may be", () =>
    withKeys(async ({ agent, owner }) => {
      const body = { name: "x", kind: "public", agent_id: agent.id, origins: [page] }
      for (const change of [
        { kind: "private" },
        { agent_id: "Nora" },
        { origins: ["*"] },
        { origins: ["www.example.com"] },
        { origins: [`${page}/`] },
        { origins: ["https://*.example.com"] },
        { origins: [page, page] },
        { theme: { color: "red" } },
        { theme: { notice: "" } },
        { theme: { font: "Comic Sans" } },
      ]) {
        assert.strictEqual((await owner.post(path, { ...body, ...change })).status, 400, JSON.stringify(change))
      }
      const unknown = await owner.post(path, { ...body, agent_id: "01976c1e-5a00-7000-8000-000000000000" })
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(unknown.body.errors![0]!.pointer, "/agent_id")
    }),
  )

  it.effect("a page of a permitted origin gets a session of five minutes, without X-Account-ID", () =>
    withKeys(async ({ agent, pk, server }) => {
      const answer = await server.request("POST", session, { body: { key: pk }, headers: { origin: page } })
      assert.strictEqual(answer.status, 200)
      const { session_token, ws_url, ...rest } = answer.body
      assert.deepStrictEqual(rest, { expires_in: 300, agent: { id: agent.id, name: "Nora", language: "en" } })
      assert.isString(session_token)
      assert.strictEqual(ws_url, `${server.url.replace("http", "ws")}/api/v1/widget/ws`)
      assert.strictEqual(allowedOrigin(answer), page)
      assert.strictEqual(answer.headers.get("vary"), "Accept-Encoding, Origin")
    }),
  )

  it.effect("the socket's URL is where the client came in: its host, TLS before us, the prefix", () =>
    withKeys(async ({ pk, server }) => {
      const headers = { origin: page, "x-forwarded-proto": "https" }
      const answer = await server.request("POST", `/hub-api${session}`, { body: { key: pk }, headers })
      assert.strictEqual(answer.body.ws_url, `${server.url.replace("http", "wss")}/hub-api/api/v1/widget/ws`)
      assert.strictEqual(allowedOrigin(answer), page)
    }),
  )

  it.effect("a forbidden origin is a 403, a missing one too, an unknown key a 401; a page can read them", () =>
    withKeys(async ({ pk, server }) => {
      const ask = (key: string, origin?: string) =>
        server.request("POST", session, { body: { key }, headers: origin === undefined ? {} : { origin } })
      for (const origin of [stranger, "https://example.com", "http://www.example.com", `${page}:8443`]) {
        const answer = await ask(pk, origin)
        assert.deepInclude(answer.body, { status: 403, code: "origin_forbidden" }, origin)
        assert.strictEqual(allowedOrigin(answer), origin)
      }
      const none = await ask(pk)
      assert.deepInclude(none.body, { status: 403, code: "origin_forbidden" })
      assert.isNull(allowedOrigin(none))
      const opaque = await ask(pk, "null")
      assert.strictEqual(opaque.status, 403)
      assert.isNull(allowedOrigin(opaque))

      const last = pk.endsWith("0") ? "1" : "0"
      for (const key of [
        "",
        "nonsense",
        "pk_live_x",
        `${pk.slice(0, -1)}${last}`,
        pk.replace(/_[0-9a-f]{32}_/, `_${"0".repeat(32)}_`),
      ]) {
        const answer = await ask(key, page)
        assert.deepInclude(answer.body, { status: 401, code: "unauthenticated" }, key)
        assert.strictEqual(allowedOrigin(answer), page)
      }
      const malformed = await server.request("POST", session, { body: {}, headers: { origin: page } })
      assert.strictEqual(malformed.status, 400)
      assert.strictEqual(allowedOrigin(malformed), page)
    }),
  )

  it.effect("an empty origin list allows none", () =>
    withKeys(async ({ agent, owner, server }) => {
      const { key } = (await owner.post(path, { name: "closed", kind: "public", agent_id: agent.id, origins: [] })).body
      const answer = await server.request("POST", session, { body: { key }, headers: { origin: page } })
      assert.deepInclude(answer.body, { status: 403, code: "origin_forbidden" })
    }),
  )

  it.effect("a customer's server begins a session for a known user with its secret key", () =>
    withKeys(async ({ agent, server, sk }) => {
      const body = { user: { id: "u-17", name: "Ada" }, variables: { first_name: "Ada" } }
      const answer = await server.request("POST", token, { token: sk, body })
      assert.strictEqual(answer.status, 200)
      assert.deepInclude(answer.body, { expires_in: 300, agent: { id: agent.id, name: "Nora", language: "en" } })
      const large = { user: { note: "x".repeat(5000) } }
      assert.strictEqual((await server.request("POST", token, { token: sk, body: large })).status, 400)
    }),
  )

  it.effect("a secret key that comes with an Origin is a 403; a key at the other family's place a 401", () =>
    withKeys(async ({ pk, server, sk }) => {
      const body = { user: { id: "u-17" } }
      const inPage = await server.request("POST", token, { token: sk, body, headers: { origin: page } })
      assert.deepInclude(inPage.body, { status: 403, code: "origin_forbidden" })
      const asPublic = await server.request("POST", session, { body: { key: sk }, headers: { origin: page } })
      assert.strictEqual(asPublic.status, 403)
      assert.strictEqual((await server.request("POST", session, { body: { key: sk } })).status, 401)
      assert.strictEqual((await server.request("POST", token, { token: pk, body })).status, 401)
      assert.strictEqual((await server.request("POST", token, { body })).status, 401)
      // The key is judged before the body is read.
      assert.strictEqual((await server.request("POST", token)).status, 401)
      assert.strictEqual((await server.request("POST", token, { token: pk, body: "{" })).status, 401)
      assert.strictEqual((await server.request("POST", token, { token: "nonsense", body })).status, 401)
    }),
  )

  it.effect("config shows the agent's name, the theme and the greeting, never the prompt", () =>
    withKeys(async ({ agent, pk, server, sk }) => {
      const ask = (key: string, headers: Record<string, string> = { origin: page }) =>
        server.request("GET", `/api/v1/widget/config?key=${key}`, { headers })
      const answer = await ask(pk)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(allowedOrigin(answer), page)
      const { theme, ...rest } = answer.body
      assert.deepStrictEqual(rest, {
        agent: { id: agent.id, name: "Nora", language: "en" },
        greeting: "Hello.",
        features: { chat: true, voice: false },
      })
      assert.isNotEmpty(theme!.notice)
      assert.notInclude(JSON.stringify(answer.body), "secret prompt")
      assert.strictEqual((await ask(pk, {})).status, 200)
      assert.strictEqual((await ask(pk, { origin: stranger })).status, 403)
      assert.strictEqual((await ask(sk, {})).status, 401)
      assert.strictEqual((await server.request("GET", "/api/v1/widget/config")).status, 400)
    }),
  )

  it.effect("CORS: a preflight is answered on widget paths alone, and nothing is ever sent with credentials", () =>
    withKeys(async ({ owner, server }) => {
      const headers = {
        origin: page,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      }
      for (const at of [session, `/hub-api${session}`, "/api/v1/widget/config"]) {
        const preflight = await server.request("OPTIONS", at, { headers })
        assert.strictEqual(preflight.status, 204)
        assert.strictEqual(allowedOrigin(preflight), page)
        assert.include(preflight.headers.get("access-control-allow-methods"), "POST")
        assert.include(preflight.headers.get("access-control-allow-headers"), "content-type")
        assert.isNull(preflight.headers.get("access-control-allow-credentials"))
      }
      for (const at of ["/api/faqs", "/api/accounts", "/api/login", path]) {
        const elsewhere = await server.request("OPTIONS", at, { headers })
        assert.isNull(allowedOrigin(elsewhere), at)
      }
      const read = await owner.get("/api/faqs", { headers: { origin: page } })
      assert.strictEqual(read.status, 200)
      assert.isNull(allowedOrigin(read))
    }),
  )

  it.effect("a deleted key is a 401", () =>
    withKeys(async ({ agent, owner, server }) => {
      const { id, key } = (
        await owner.post(path, { name: "gone", kind: "public", agent_id: agent.id, origins: [page] })
      ).body
      const ask = () => server.request("POST", session, { body: { key }, headers: { origin: page } })
      assert.strictEqual((await ask()).status, 200)
      assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 204)
      assert.strictEqual((await owner.delete(`${path}/${id}`)).status, 404)
      assert.strictEqual((await ask()).status, 401)
    }),
  )

  it.effect("a key opens its own account alone, and closes with it", () =>
    withKeys(async ({ server }) => {
      const owner = await server.ownerOf("closing")
      const agent = (await owner.post("/api/agents", { name: "Nora", system_prompt: "x" })).body
      const { key } = (await owner.post(path, { name: "w", kind: "public", agent_id: agent.id, origins: [page] })).body
      const ask = () => server.request("POST", session, { body: { key }, headers: { origin: page } })
      assert.strictEqual((await ask()).body.agent?.id, agent.id)
      const deleted = created(
        await owner.post(path, { name: "old", kind: "public", agent_id: agent.id, origins: [page] }),
      )
      await owner.delete(`${path}/${deleted.id}`)
      const admin = await server.admin()
      await admin.put("/api/admin/accounts/closing", { status: "suspended" })
      assert.strictEqual((await ask()).body.code, "account_suspended")
      const foreign = await server.request("POST", session, {
        body: { key: deleted.key },
        headers: { origin: page },
      })
      assert.strictEqual(foreign.status, 401, "only who holds a key learns of the suspension")
      await admin.delete("/api/admin/accounts/closing")
      assert.strictEqual((await ask()).status, 401)
    }),
  )
})
