/**
 * Signing in without an identity provider, only in development. Tokens are signed by a key that is generated at boot
 * and never leaves the process.
 */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { createLocalJWKSet, exportJWK, generateKeyPair, type LocalJWKSet, SignJWT } from "jose"
import { Environment } from "../tenancy/Environment.ts"
import { administratorRole } from "./Administrator.ts"
import { ClaimSettings } from "./Claims.ts"
import type { Issuer } from "./OidcSettings.ts"

/** The lifetime of a token: a working day. A restart generates a new key and ends it sooner. */
const lifetime = Duration.hours(12)

const issuer = "parley:development"
const algorithm = "EdDSA"

export interface DevelopmentTokens extends Issuer {
  readonly keys: LocalJWKSet
  readonly issue: (
    email: string,
    options: { readonly admin: boolean },
  ) => Effect.Effect<{ readonly access_token: string; readonly expires_in: number }>
}

export class DevelopmentLogin extends Context.Service<DevelopmentLogin, Option.Option<DevelopmentTokens>>()(
  "identity/DevelopmentLogin",
) {
  /** None in production, where the key is not even generated. */
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      if ((yield* Environment) !== "development") return Option.none()
      const { roles } = yield* ClaimSettings
      const { privateKey, publicKey } = yield* Effect.promise(() => generateKeyPair(algorithm))
      const keys = createLocalJWKSet({ keys: [yield* Effect.promise(() => exportJWK(publicKey))] })
      const audience = ["parley"]

      const issue = Effect.fn("DevelopmentLogin.issue")(function* (email: string, { admin }: { admin: boolean }) {
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const expires_in = Duration.toSeconds(lifetime)
        const claims = { email, email_verified: true, ...(admin ? { [roles]: [administratorRole] } : {}) }
        const access_token = yield* Effect.promise(() =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: algorithm, typ: "JWT" })
            .setIssuer(issuer)
            .setAudience(audience)
            .setSubject(email)
            .setIssuedAt(now)
            .setExpirationTime(now + expires_in)
            .sign(privateKey),
        )
        return { access_token, expires_in }
      })
      return Option.some({ issuer, audience, keys, issue })
    }),
  )
}
