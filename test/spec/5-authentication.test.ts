import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { request as rawRequest } from "node:http"
import { type Client, TestServer } from "../support/TestServer.ts"

const path = "/api/faqs"
const wellFormedSlugs = ["a", "0", "acme", "a_b-c", "0-9", "a".repeat(63)]
const malformedSlugs = ["", "A", "Acme", "-a", "_a", "a b", "a.b", "a/b", "ä", "a".repeat(64), "demo,demo"]

/** As it stands on the wire: `fetch` would fold repeated headers. */
const status = (url: string, headers: ReadonlyArray<string>) =>
  new Promise<number>((resolve, reject) => {
    const asked = rawRequest(url, { headers: ["Host", "localhost", ...headers] as never }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.on("error", reject)
    asked.end()
  })

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })("authentication (spec §5)", (it) => {
  const setting = Effect.gen(function* () {
    const server = yield* TestServer
    const owner: Client = yield* Effect.promise(() => server.ownerOf("demo"))
    return { server, owner }
  })
  const eventually = <A>(run: () => Promise<A>) => Effect.promise(run)

  it.effect("every protected endpoint needs both headers", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* setting
      yield* eventually(async () => {
        assert.strictEqual((await owner.get(path)).status, 200)
        const noAccount = await owner.get(path, { account: null })
        assert.deepInclude(noAccount.body, { status: 400, code: "invalid_account" })
        const noToken = await owner.get(path, { token: null })
        assert.deepInclude(noToken.body, { status: 401, code: "unauthenticated" })
        assert.strictEqual(noToken.headers.get("www-authenticate"), "Bearer")
        assert.strictEqual((await server.request("GET", path)).status, 400)
      })
    }),
  )

  it.effect("any other text for a token is a 401", () =>
    Effect.gen(function* () {
      const { owner } = yield* setting
      yield* eventually(async () => {
        const [head, body, signature = ""] = owner.token.split(".")
        const flipped = `${signature.slice(0, 10)}${signature[10] === "A" ? "B" : "A"}${signature.slice(11)}`
        for (const token of [
          "x",
          "a.b.c",
          "pak_",
          `pak_abcdefghijkl_${"0".repeat(36)}`,
          `${head}.${body}.`,
          `${head}.${body}.${flipped}`,
          `${owner.token}=`,
        ]) {
          assert.strictEqual((await owner.get(path, { token })).status, 401, token)
        }
        for (const authorization of ["", "Bearer", "Basic YTpi", owner.token, `Token ${owner.token}`]) {
          assert.strictEqual((await owner.get(path, { token: null, headers: { authorization } })).status, 401)
        }
        // The scheme is compared without regard to case (RFC 9110).
        const lower = await owner.get(path, { token: null, headers: { authorization: `bearer ${owner.token}` } })
        assert.strictEqual(lower.status, 200)
      })
    }),
  )

  it.effect("a slug that does not match the expression is a 400 at the edge, with any token or none", () =>
    Effect.gen(function* () {
      const { owner } = yield* setting
      yield* eventually(async () => {
        for (const account of malformedSlugs) {
          const headers = { "x-account-id": Buffer.from(account).toString("latin1") }
          for (const token of [owner.token, "nonsense", null]) {
            const answer = await owner.get(path, { token, account: null, headers })
            assert.strictEqual(answer.status, 400, account)
            assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
          }
        }
        for (const account of wellFormedSlugs) {
          assert.strictEqual((await owner.get(path, { account })).status, 404, account)
        }
      })
    }),
  )

  it.effect("a repeated X-Account-ID or Authorization header is a 400", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* setting
      yield* eventually(async () => {
        const url = `${server.url}${path}`
        const [account, token] = [
          ["X-Account-ID", "demo"],
          ["Authorization", `Bearer ${owner.token}`],
        ]
        assert.strictEqual(await status(url, [...account!, ...token!]), 200)
        assert.strictEqual(await status(url, [...account!, ...account!, ...token!]), 400)
        assert.strictEqual(await status(url, [...account!, ...token!, ...token!]), 400)
      })
    }),
  )

  it.effect("platform-admin is refused with 403, before the token is looked at", () =>
    Effect.gen(function* () {
      const { owner } = yield* setting
      yield* eventually(async () => {
        for (const token of [owner.token, "nonsense", null]) {
          const answer = await owner.get(path, { token, account: "platform-admin" })
          assert.deepInclude(answer.body, { status: 403, code: "reserved_account" })
        }
      })
    }),
  )

  it.effect("admin-only endpoints without X-Admin: true are a 403", () =>
    Effect.gen(function* () {
      const { server } = yield* setting
      yield* eventually(async () => {
        const admin = await server.admin()
        const ask = (headers: Record<string, string>) => admin.get("/api/admin/accounts", { account: null, headers })
        assert.strictEqual((await ask({ "x-admin": "true" })).status, 200)
        for (const value of ["false", "1", "yes", ""]) {
          assert.deepInclude((await ask({ "x-admin": value })).body, { status: 403, code: "admin_required" }, value)
        }
        const { token } = admin
        const without = await server.request("GET", "/api/admin/accounts", { token })
        assert.deepInclude(without.body, { status: 403, code: "admin_required" })
        // The header alone does not make the caller an administrator.
        const member = await server.ownerOf("demo")
        const claimed = await member.get("/api/admin/accounts", { headers: { "x-admin": "true" } })
        assert.deepInclude(claimed.body, { status: 403, code: "admin_required" })
        const stranger = await server.request("GET", "/api/admin/accounts", { headers: { "x-admin": "true" } })
        assert.strictEqual(stranger.status, 401)
      })
    }),
  )

  it.effect("X-Account-ID may be left out on admin paths, and is checked when it is sent", () =>
    Effect.gen(function* () {
      const { server } = yield* setting
      yield* eventually(async () => {
        const admin = await server.admin()
        const ask = (account: string | null) => admin.get("/api/admin/accounts", { account })
        assert.strictEqual((await ask(null)).status, 200)
        assert.strictEqual((await ask("NOT A SLUG")).status, 400)
        assert.deepInclude((await ask("platform-admin")).body, { status: 403, code: "reserved_account" })
        assert.deepInclude((await ask("nowhere")).body, { status: 404, code: "account_not_found" })
        assert.strictEqual((await ask("demo")).status, 200)
      })
    }),
  )

  it.effect("the checks come in the order that is written down", () =>
    Effect.gen(function* () {
      const { owner, server } = yield* setting
      yield* eventually(async () => {
        const other = await server.ownerOf("order")
        const viewer = await viewerOf(server, "demo")
        const ask = async (
          options: Parameters<Client["request"]>[2],
          [method, at]: readonly [string, string] = ["POST", path],
        ) => {
          const { body } = await owner.request(method, at, { body: "{", ...options })
          return `${body.status} ${body.code}`
        }
        const bad = { account: "NO SLUG", token: "nonsense" }
        assert.strictEqual(await ask(bad, ["POST", "/api/nowhere"]), "404 route_not_found")
        assert.strictEqual(await ask(bad, ["PATCH", path]), "405 method_not_allowed")
        assert.strictEqual(await ask(bad), "400 invalid_account")
        assert.strictEqual(await ask({ ...bad, account: "platform-admin" }), "403 reserved_account")
        assert.strictEqual(await ask({ ...bad, account: "nowhere" }), "401 unauthenticated")
        assert.strictEqual(await ask({ account: "nowhere" }), "404 account_not_found")
        assert.strictEqual(await ask({ token: other.token }), "403 not_a_member")
        assert.strictEqual(await ask({ token: viewer }), "403 missing_role")
        assert.strictEqual(await ask({}), "415 unsupported_media_type")
        const json = { "content-type": "application/json" }
        assert.strictEqual(await ask({ headers: json }), "400 invalid_request")
        const at = ["PUT", `${path}/nowhere`] as const
        assert.strictEqual(await ask({ headers: json }, at), "400 invalid_request")
        assert.strictEqual(await ask({ body: {} }, at), "404 not_found")
      })
    }),
  )

  it.effect("both headers under /hub-api too", () =>
    Effect.gen(function* () {
      const { owner } = yield* setting
      yield* eventually(async () => {
        assert.strictEqual((await owner.get(`/hub-api${path}`)).status, 200)
        assert.strictEqual((await owner.get(`/hub-api${path}`, { token: null })).status, 401)
        assert.strictEqual((await owner.get(`/hub-api${path}`, { account: null })).status, 400)
      })
    }),
  )

  it.effect("public endpoints need no header at all (spec §4)", () =>
    Effect.gen(function* () {
      const { server } = yield* setting
      yield* eventually(async () => {
        assert.strictEqual((await server.request("GET", "/api/accounts")).status, 200)
        assert.strictEqual((await server.request("GET", "/api/accounts/validate/demo")).status, 200)
        const config = await server.request("GET", "/api/v1/widget/config?key=pk_live_nothing")
        assert.deepInclude(config.body, { status: 401, code: "unauthenticated" })
        assert.strictEqual((await server.request("GET", "/api/user/org")).status, 401)
      })
    }),
  )
})

const viewerOf = async (server: TestServer["Service"], account: string): Promise<string> => {
  const stranger = await server.ownerOf("home-of-viewer")
  const admin = await server.admin()
  await admin.post(`/api/admin/accounts/${account}/members`, { email: "owner@home-of-viewer.example", role: "viewer" })
  return stranger.token
}
