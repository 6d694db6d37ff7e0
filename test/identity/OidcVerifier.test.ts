import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { OidcVerifier } from "../../src/identity/OidcVerifier.ts"
import * as Identity from "../../src/identity/Room.ts"
import * as Issuer from "../support/Issuer.ts"

/** 2026-11-21T10:00:00Z, in seconds. */
const now = 1_795_255_200

const judge = (text: string) => Effect.flatMap(OidcVerifier, ({ verify }) => verify(text))
const tagOf = (text: string) =>
  judge(text).pipe(Effect.match({ onSuccess: ({ _tag }) => _tag as string, onFailure: ({ _tag }) => _tag as string }))

/** A verifier that believes `issuer`, and nothing else of the environment. */
const believing = (issuer: Issuer.Issuer, env: Record<string, string> = {}) =>
  Identity.tokens.pipe(
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: "parley, other-client", ...env }),
      ),
    ),
  )

const withIssuer = <A, E>(
  test: (issuer: Issuer.Issuer) => Effect.Effect<A, E, OidcVerifier>,
  env: Record<string, string> = {},
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now * 1000)
    const issuer = yield* Issuer.make
    return yield* Effect.provide(test(issuer), believing(issuer, env))
  })

describe("a token of the identity provider (decisions §3)", () => {
  it.effect("is believed when the issuer's published key signed it: RS256, ES256 and EdDSA", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const keys = yield* Effect.all([
          Issuer.newKey("r", "RS256"),
          Issuer.newKey("e", "ES256"),
          Issuer.newKey("d", "EdDSA"),
        ])
        issuer.published = keys.map((key) => key.publicJwk)
        for (const key of keys) {
          const person = yield* judge(
            yield* issuer.sign(key, now, { email: "Ada@Example.com", email_verified: true, name: "Ada" }),
          )
          assert.deepInclude(person, { issuer: issuer.url, subject: "ada", email: "ada@example.com", name: "Ada" })
        }
        assert.strictEqual(issuer.asked.get(Issuer.jwksPath), 1)
      }),
    ),
  )

  it.effect("is refused when a claim does not fit; times have 60 s of leeway and no more", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const key = yield* Issuer.newKey("k")
        issuer.published = [key.publicJwk]
        const cases: ReadonlyArray<readonly [string, Record<string, unknown>, boolean]> = [
          ["as it should be", {}, true],
          ["one audience of a list", { aud: ["elsewhere", "other-client"] }, true],
          ["another audience", { aud: "elsewhere" }, false],
          ["no audience", { aud: undefined }, false],
          ["another issuer", { iss: "https://id.example" }, false],
          ["the issuer with a slash", { iss: `${issuer.url}/` }, false],
          ["no subject", { sub: undefined }, false],
          ["an empty subject", { sub: "" }, false],
          ["no expiry", { exp: undefined }, false],
          ["an expiry that is text", { exp: String(now + 300) }, false],
          ["expired 59 s ago", { exp: now - 59 }, true],
          ["expired 61 s ago", { exp: now - 61 }, false],
          ["valid 59 s from now", { nbf: now + 59 }, true],
          ["valid 61 s from now", { nbf: now + 61 }, false],
          ["issued 59 s from now", { iat: now + 59 }, true],
          ["issued 61 s from now", { iat: now + 61 }, false],
          ["no time of issue", { iat: undefined }, false],
        ]
        for (const [name, claims, believed] of cases) {
          const tag = yield* tagOf(yield* issuer.sign(key, now, claims))
          assert.strictEqual(tag, believed ? "Person" : "Unauthenticated", name)
        }
      }),
    ),
  )

  it.effect("is refused when it was tampered with or signed by anything but the published key", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const rsa = yield* Issuer.newKey("k", "RS256")
        const thief = yield* Issuer.newKey("k", "RS256")
        issuer.published = [rsa.publicJwk]
        const good = yield* issuer.sign(rsa, now)
        const [head = "", body = "", signature = ""] = good.split(".")
        const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
        const claims = { iss: issuer.url, aud: "parley", sub: "root", iat: now, exp: now + 300 }
        const pem = yield* Effect.promise(async () =>
          exportSPKI((await importJWK(rsa.publicJwk, "RS256")) as CryptoKey),
        )
        const hostile: Record<string, string> = {
          "another's signature under the same kid": yield* issuer.sign(thief, now),
          "another payload": `${head}.${encode({ ...claims })}.${signature}`,
          "a cut signature": `${head}.${body}.${signature.slice(0, 100)}`,
          "alg none": new UnsecuredJWT(claims).encode(),
          "HS256 with the public key for a secret": yield* Effect.promise(() =>
            new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "k" }).sign(new TextEncoder().encode(pem)),
          ),
          "its own key in the header": yield* issuer.sign(thief, now, {}, { jwk: thief.publicJwk }),
          "its key's place in the header": yield* issuer.sign(thief, now, {}, { jku: `${issuer.url}/evil` }),
          "another alg for the same key": `${encode({ alg: "RS512", kid: "k" })}.${body}.${signature}`,
          padding: `${good}=`,
        }
        assert.strictEqual(yield* tagOf(good), "Person")
        for (const [name, token] of Object.entries(hostile)) {
          assert.strictEqual(yield* tagOf(token), "Unauthenticated", name)
        }
        assert.isUndefined(issuer.asked.get("/evil"))
      }),
    ),
  )

  it.effect("that was believed is refused all the same when its time is over", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const key = yield* Issuer.newKey("k")
        issuer.published = [key.publicJwk]
        const token = yield* issuer.sign(key, now, { exp: now + 60 })
        assert.strictEqual(yield* tagOf(token), "Person")
        yield* TestClock.adjust("119 seconds")
        assert.strictEqual(yield* tagOf(token), "Person")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* tagOf(token), "Unauthenticated")
      }),
    ),
  )

  it.effect("an unusable key is not used, though it is published", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const key = yield* Issuer.newKey("k")
        issuer.published = [{ ...key.publicJwk, use: "enc" }]
        assert.strictEqual(yield* tagOf(yield* issuer.sign(key, now)), "Unauthenticated")
      }),
    ),
  )
})

describe("the issuer's keys (decisions §3)", () => {
  it.effect("are kept; unknown kids fetch new ones at most once in 30 s, from whichever client they come", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const [first, second, third, foreign] = yield* Effect.all([
          Issuer.newKey("1"),
          Issuer.newKey("2"),
          Issuer.newKey("3"),
          Issuer.newKey("foreign"),
        ])
        const fetches = () => issuer.asked.get(Issuer.jwksPath)
        issuer.published = [first.publicJwk]
        const old = yield* issuer.sign(first, now)
        yield* Effect.all(
          Array.from({ length: 20 }, () => judge(old)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(fetches(), 1)

        // The issuer exchanges its key: the new one is found at once, by one look for all who ask.
        issuer.published = [second.publicJwk, first.publicJwk]
        const fresh = yield* issuer.sign(second, now)
        yield* Effect.all(
          Array.from({ length: 20 }, () => judge(fresh)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(fetches(), 2)
        assert.strictEqual(yield* tagOf(old), "Person")

        // Invented kids cause no further request within the 30 s, not even for a real one.
        issuer.published = [third.publicJwk, second.publicJwk]
        const invented = yield* issuer.sign(foreign, now)
        const newest = yield* issuer.sign(third, now)
        for (const token of [invented, newest, invented]) assert.strictEqual(yield* tagOf(token), "Unauthenticated")
        assert.strictEqual(fetches(), 2)

        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(yield* tagOf(newest), "Person")
        assert.strictEqual(fetches(), 3)
        // And the withdrawn key no longer opens anything.
        assert.strictEqual(yield* tagOf(old), "Unauthenticated")
      }),
    ),
  )

  it.effect("that were withdrawn are forgotten after ten minutes, without anybody waiting for it", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const [first, second] = yield* Effect.all([Issuer.newKey("1"), Issuer.newKey("2")])
        issuer.published = [first.publicJwk]
        const stolen = yield* issuer.sign(first, now, { exp: now + 3600 })
        assert.strictEqual(yield* tagOf(stolen), "Person")
        issuer.published = [second.publicJwk]
        yield* TestClock.adjust("10 minutes")
        // The answer does not wait for the look; the look is there soon after.
        assert.strictEqual(yield* tagOf(stolen), "Person")
        yield* Effect.repeat(
          Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
          {
            until: () => issuer.asked.get(Issuer.jwksPath) === 2,
          },
        )
        const refused = yield* Effect.repeat(
          Effect.andThen(
            Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
            tagOf(stolen),
          ),
          { until: (tag) => tag !== "Person" },
        )
        assert.strictEqual(refused, "Unauthenticated")
      }),
    ),
  )

  it.effect("cannot be had: 503 and not 401, until they can; the server starts all the same", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const key = yield* Issuer.newKey("k")
        issuer.published = [key.publicJwk]
        const token = yield* issuer.sign(key, now)
        const failures: Record<string, NonNullable<Issuer.Issuer["instead"]>> = {
          "a 500": (_, response) => response.writeHead(500).end(),
          "a hang-up": (_, response) => response.destroy(),
          "no JSON": (_, response) => response.end("<html>"),
          "another issuer's document": (_, response) =>
            Issuer.json(response, { issuer: "https://evil.example", jwks_uri: `${issuer.url}/jwks` }),
          "keys at a place that is not loopback, over plain http": (_, response) =>
            Issuer.json(response, { issuer: issuer.url, jwks_uri: "http://192.0.2.1/jwks" }),
          "a redirect": (_, response) => response.writeHead(302, { location: `${issuer.url}/elsewhere` }).end(),
          "an endless document": (_, response) =>
            response.end(JSON.stringify({ keys: [], filler: "x".repeat(300_000) })),
        }
        for (const [name, instead] of Object.entries(failures)) {
          issuer.instead = instead
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual(yield* tagOf(token), "IssuerUnreachable", name)
        }
        assert.isUndefined(issuer.asked.get("/elsewhere"))
        // Not asked again at once: five seconds lie between two attempts.
        issuer.instead = undefined
        assert.strictEqual(yield* tagOf(token), "IssuerUnreachable")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* tagOf(token), "Person")
      }),
    ),
  )

  it.effect("stay in use while the issuer is down", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        const key = yield* Issuer.newKey("k")
        issuer.published = [key.publicJwk]
        const token = yield* issuer.sign(key, now, { exp: now + 7200 })
        assert.strictEqual(yield* tagOf(token), "Person")
        issuer.instead = (_, response) => response.destroy()
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* tagOf(token), "Person")
      }),
    ),
  )

  it.effect("an issuer that does not answer is given up after 5 s", () =>
    withIssuer((issuer) =>
      Effect.gen(function* () {
        issuer.instead = () => {}
        const key = yield* Issuer.newKey("k")
        const waiting = yield* Effect.forkChild(tagOf(yield* issuer.sign(key, now)), { startImmediately: true })
        yield* Effect.repeat(
          Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
          {
            until: () => issuer.asked.size > 0,
          },
        )
        yield* TestClock.adjust(Duration.seconds(5))
        assert.strictEqual(yield* Fiber.join(waiting), "IssuerUnreachable")
      }),
    ),
  )
})

describe("what the environment says of the issuer (decisions §6)", () => {
  const starts = (env: Record<string, string>) =>
    Effect.exit(
      Effect.scoped(
        Layer.build(Identity.tokens.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))),
      ),
    ).pipe(Effect.map(Exit.isSuccess))
  const aud = { OIDC_AUDIENCE: "parley" }

  it.effect.each([
    ["https", { OIDC_ISSUER: "https://id.example.com/realms/a", ...aud }, true],
    ["http on 127.0.0.1", { OIDC_ISSUER: "http://127.0.0.1:9000", ...aud }, true],
    ["http on localhost", { OIDC_ISSUER: "http://localhost:9000", ...aud }, true],
    ["http on ::1", { OIDC_ISSUER: "http://[::1]:9000", ...aud }, true],
    ["http elsewhere", { OIDC_ISSUER: "http://id.example.com", ...aud }, false],
    ["http on a name that begins like loopback", { OIDC_ISSUER: "http://127.0.0.1.example.com", ...aud }, false],
    ["http on localhost.example.com", { OIDC_ISSUER: "http://localhost.example.com", ...aud }, false],
    ["ftp", { OIDC_ISSUER: "ftp://id.example.com", ...aud }, false],
    ["no URL", { OIDC_ISSUER: "id.example.com", ...aud }, false],
    ["credentials in it", { OIDC_ISSUER: "https://a:b@id.example.com", ...aud }, false],
    ["a query", { OIDC_ISSUER: "https://id.example.com?x=1", ...aud }, false],
    ["no audience", { OIDC_ISSUER: "https://id.example.com" }, false],
    ["an audience of commas", { OIDC_ISSUER: "https://id.example.com", OIDC_AUDIENCE: " , " }, false],
    ["none in development", {}, true],
    ["none in production", { PARLEY_ENV: "production", ...aud }, false],
  ] as const)("%s", ([, env, expected]) => Effect.map(starts(env), (started) => assert.strictEqual(started, expected)))
})

describe("the login of a development (decisions §3)", () => {
  const forged = Effect.gen(function* () {
    const key = yield* Issuer.newKey("k", "EdDSA")
    return yield* Effect.promise(() =>
      new SignJWT({ email: "a@b.example", email_verified: true, roles: ["parley-admin"] })
        .setProtectedHeader({ alg: "EdDSA" })
        .setIssuer("parley:development")
        .setAudience("parley")
        .setSubject("a@b.example")
        .setIssuedAt(now)
        .setExpirationTime(now + 60)
        .sign(key.privateKey),
    )
  })

  it.effect("signs with a key of its own, so that no other issuer's token passes for it", () =>
    withIssuer(() => Effect.map(Effect.flatMap(forged, tagOf), (tag) => assert.strictEqual(tag, "Unauthenticated"))),
  )

  it.effect("is unknown in production", () =>
    withIssuer(
      () =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(Effect.flatMap(forged, judge))
          assert.strictEqual(refused.message, "The bearer token comes from another issuer")
        }),
      { PARLEY_ENV: "production" },
    ),
  )
})
