import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { OidcKeys } from "../../src/identity/OidcKeys.ts"
import * as Identity from "../../src/identity/Room.ts"
import * as Issuer from "../support/Issuer.ts"

const tokenEndpointOf = Effect.fnUntraced(function* (token_endpoint: unknown) {
  const issuer = yield* Issuer.make
  const key = yield* Issuer.newKey("k")
  issuer.instead = (path, response) =>
    Issuer.json(
      response,
      path === Issuer.jwksPath
        ? { keys: [key.publicJwk] }
        : { issuer: issuer.url, jwks_uri: `${issuer.url}${Issuer.jwksPath}`, token_endpoint },
    )
  const env = ConfigProvider.fromEnvRecord({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: "parley" })
  return yield* OidcKeys.use(({ tokenEndpoint }) => tokenEndpoint).pipe(
    Effect.provide(Identity.tokens.pipe(Layer.provide(ConfigProvider.layer(env)))),
  )
}, Effect.scoped)

describe("where the issuer exchanges codes", () => {
  it.live.each([
    ["another origin over TLS", "https://tokens.example/token", "https://tokens.example"],
    ["another port of loopback, for an issuer on loopback", "http://127.0.0.1:9/token", "http://127.0.0.1:9"],
    ["elsewhere without TLS", "http://tokens.example/token", undefined],
    ["no place of the web", "javascript:alert(1)", undefined],
    ["no URL", "; script-src *", undefined],
    ["left out", undefined, undefined],
  ] as const)("%s", ([, endpoint, origin]) =>
    Effect.map(tokenEndpointOf(endpoint), (found) => assert.strictEqual(found?.origin, origin)),
  )
})
