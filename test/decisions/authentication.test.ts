import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { decodeJwt, decodeProtectedHeader } from "jose"
import * as OidcProvider from "../support/OidcProvider.ts"
import { type Client, TestServer } from "../support/TestServer.ts"

const people = {
  ada: {
    email: "Ada@Example.com",
    email_verified: true,
    name: "Ada",
    accounts: ["demo", { slug: "acme", role: "viewer" }],
  },
  bob: { email: "bob@example.com", email_verified: true, accounts: [{ slug: "acme", role: "owner" }] },
  carl: { email: "carl@example.com", email_verified: true, name: "Carl" },
  dora: { email: "dora@example.com", email_verified: false },
  root: { email: "root@example.com", email_verified: true, roles: ["parley-admin"] },
  boss: { email: "boss@example.com", email_verified: true },
  mallory: { email: "boss@example.com", email_verified: false },
} satisfies OidcProvider.People

class Provider extends Context.Service<Provider, OidcProvider.OidcProvider>()("test/Provider") {
  static readonly layer = Layer.effect(
    this,
    Effect.acquireRelease(
      Effect.promise(() => OidcProvider.start(people)),
      (provider) => Effect.sync(provider.close),
    ),
  )
}

/** A production server: nothing but the provider's tokens and API keys open it. */
const production = Layer.unwrap(
  Effect.map(Provider, (provider) =>
    TestServer.layerWith({
      PARLEY_ENV: "production",
      PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
      OIDC_ISSUER: provider.url,
      OIDC_AUDIENCE: "parley",
      PARLEY_ADMINS: "boss@example.com",
    }),
  ),
).pipe(Layer.provideMerge(Provider.layer))

it.layer(production, { timeout: "120 seconds", excludeTestServices: true })(
  "tokens of a real OpenID provider, in production (decisions §3)",
  (it) => {
    const setting = Effect.gen(function* () {
      const provider = yield* Provider
      const server = yield* TestServer
      const as = (token: string, account: string | null = "demo") => ({
        get: (path: string) => server.request("GET", path, { token, account }),
        admin: (method: string, path: string, body?: unknown) =>
          server.request(method, path, { token, headers: { "x-admin": "true" }, body }),
      })
      return { provider, server, as }
    })
    const eventually = <A>(run: () => Promise<A>) => Effect.promise(run)

    it.effect("claims, the membership table and PARLEY_ADMINS decide what a person may open", () =>
      Effect.gen(function* () {
        const { as, provider, server } = yield* setting
        yield* eventually(async () => {
          const root = as(await provider.signIn("root"))
          for (const slug of ["demo", "acme"]) {
            assert.strictEqual((await root.admin("POST", "/api/admin/accounts", { slug })).status, 201)
          }

          const ada = await provider.signIn("ada")
          assert.strictEqual((await as(ada).get("/api/faqs")).status, 200)
          assert.deepStrictEqual<unknown>((await as(ada, null).get("/api/user/org")).body, {
            subject: "ada",
            email: "ada@example.com",
            name: "Ada",
            accounts: [
              { slug: "acme", name: "Acme", role: "viewer" },
              { slug: "demo", name: "Demo", role: "member" },
            ],
          })

          // By the table: a verified email lets in, an unverified one does not.
          const [carl, dora] = [await provider.signIn("carl"), await provider.signIn("dora")]
          assert.strictEqual((await as(carl).get("/api/faqs")).body.code, "not_a_member")
          const members = "/api/admin/accounts/demo/members"
          for (const email of ["CARL@example.com", "dora@example.com"]) {
            assert.strictEqual((await root.admin("POST", members, { email, role: "viewer" })).status, 201)
          }
          assert.strictEqual((await as(carl).get("/api/faqs")).status, 200)
          assert.strictEqual((await as(dora).get("/api/faqs")).body.code, "not_a_member")
          // By issuer and subject, whatever the email.
          const named = { issuer: provider.url, subject: "dora", role: "viewer" }
          assert.strictEqual((await root.admin("POST", members, named)).status, 201)
          assert.strictEqual((await as(dora).get("/api/faqs")).status, 200)
          const foreign = { issuer: "https://id.example", subject: "bob", role: "viewer" }
          assert.strictEqual((await root.admin("POST", members, foreign)).status, 201)
          assert.strictEqual((await as(await provider.signIn("bob")).get("/api/faqs")).body.code, "not_a_member")

          // Administrators: by the role in the token, by PARLEY_ADMINS, and by nothing else.
          const [boss, mallory] = [await provider.signIn("boss"), await provider.signIn("mallory")]
          assert.strictEqual((await as(boss).admin("GET", "/api/admin/accounts")).status, 200)
          assert.strictEqual((await as(mallory).admin("GET", "/api/admin/accounts")).body.code, "admin_required")
          assert.strictEqual((await as(ada).admin("GET", "/api/admin/accounts")).body.code, "admin_required")

          // The provider vouches for it, but it was issued for another application.
          const elsewhere = await provider.signIn("ada", "elsewhere")
          assert.strictEqual(decodeJwt(elsewhere).aud, "elsewhere")
          assert.strictEqual((await as(elsewhere).get("/api/faqs")).status, 401)
          // Nothing of a development is here.
          const login = await server.request("POST", "/api/login", { body: { email: "a@b.example", account: "demo" } })
          assert.strictEqual(login.status, 404)
          assert.strictEqual((await server.request("POST", "/api/login", { body: "{" })).status, 404)
        })
      }),
    )

    it.effect("of claim and table the higher role counts", () =>
      Effect.gen(function* () {
        const { as, provider, server } = yield* setting
        yield* eventually(async () => {
          const root = as(await provider.signIn("root"))
          const ada = await provider.signIn("ada")
          const create = () =>
            server.request("POST", "/api/faqs", { token: ada, account: "acme", body: { question: "Q?", answer: "A." } })
          assert.strictEqual((await create()).body.code, "missing_role")
          const members = "/api/admin/accounts/acme/members"
          await root.admin("POST", members, { email: "ada@example.com", role: "member" })
          assert.strictEqual((await create()).status, 201)
          assert.strictEqual((await root.admin("DELETE", `${members}?email=ada%40example.com`)).status, 204)
          assert.strictEqual((await create()).body.code, "missing_role")
        })
      }),
    )

    it.effect("the provider exchanges its key: the new one is found, the old one holds while it is published", () =>
      Effect.gen(function* () {
        const { as, provider } = yield* setting
        yield* eventually(async () => {
          const before = await provider.signIn("ada")
          assert.strictEqual((await as(before).get("/api/faqs")).status, 200)
          await provider.addKey()
          const after = await provider.signIn("ada")
          assert.notStrictEqual(decodeProtectedHeader(after).kid, decodeProtectedHeader(before).kid)
          assert.strictEqual((await as(after).get("/api/faqs")).status, 200)
          assert.strictEqual((await as(before).get("/api/faqs")).status, 200)
          // A second exchange within 30 s waits: anyone can invent a `kid`.
          await provider.addKey()
          assert.strictEqual((await as(await provider.signIn("ada")).get("/api/faqs")).status, 401)
          assert.strictEqual((await as(after).get("/api/faqs")).status, 200)
        })
      }),
    )
  },
)

it.layer(TestServer.layer, { timeout: "120 seconds", excludeTestServices: true })(
  "the development login (decisions §3 and §6)",
  (it) => {
    const login = (body: unknown) =>
      Effect.flatMap(TestServer, (server) => Effect.promise(() => server.request("POST", "/api/login", { body })))

    it.effect("signs in as the owner of an account that exists", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const signedIn = yield* login({ email: "Dev@Example.com", account: "demo" })
        assert.strictEqual(signedIn.status, 200)
        const { access_token, account, expires_in, token_type } = signedIn.body
        assert.deepStrictEqual({ account, token_type }, { account: "demo", token_type: "Bearer" })
        assert.isAbove(expires_in!, 0)
        const org = yield* Effect.promise(() => server.request("GET", "/api/user/org", { token: access_token! }))
        assert.deepStrictEqual(org.body.accounts, [{ slug: "demo", name: "Demo", role: "owner" }])
        assert.strictEqual(org.body.email, "dev@example.com")
      }),
    )

    it.effect("an unknown account is a 404, a malformed request a 400", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* login({ email: "dev@example.com", account: "nowhere" })).status, 404)
        assert.strictEqual((yield* login({ email: "dev@example.com", account: "platform-admin" })).status, 404)
        for (const body of [
          {},
          { email: "dev@example.com" },
          { email: "nobody", account: "demo" },
          { email: "dev@example.com", account: "NOT A SLUG" },
          { email: "dev@example.com", account: "demo", password: "x" },
        ]) {
          assert.strictEqual((yield* login(body)).status, 400, JSON.stringify(body))
        }
      }),
    )

    it.effect("with admin it signs in as a platform administrator, and only then", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const ask = (token: string) =>
          server.request("GET", "/api/admin/accounts", { token, headers: { "x-admin": "true" } })
        const [admin, owner] = [
          yield* login({ email: "root@example.com", admin: true }),
          yield* login({ email: "owner@example.com", account: "demo" }),
        ]
        assert.isNull(admin.body.account)
        assert.strictEqual((yield* Effect.promise(() => ask(admin.body.access_token!))).status, 200)
        assert.strictEqual((yield* Effect.promise(() => ask(owner.body.access_token!))).body.code, "admin_required")
      }),
    )

    it.effect("one server's token opens nothing on another: its key was made at boot", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const other = Context.get(yield* Layer.build(Layer.fresh(TestServer.layer)), TestServer)
        const owner: Client = yield* Effect.promise(() => other.ownerOf("demo"))
        const answer = yield* Effect.promise(() =>
          server.request("GET", "/api/faqs", { token: owner.token, account: "demo" }),
        )
        assert.strictEqual(answer.status, 401)
      }),
    )
  },
)
