/**
 * Verifies that a token is signed by one of these keys, meant for this audience, and valid now. Identity tokens are
 * verified only here.
 */
import { Clock, Effect, Schema } from "effect"
import { errors, type JWTPayload, jwtVerify, type LocalJWKSet } from "jose"
import { Unauthenticated } from "../domain/Principal.ts"
import { algorithms, type BearerToken } from "./BearerToken.ts"

/** The tolerance for times, in seconds, since the clocks of two machines differ (decisions §3). */
export const leewaySeconds = 60

/** No key of the set fits the token. Only for this fault are the issuer's keys fetched again. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", {}) {}

export interface Expected {
  readonly issuer: string
  readonly audience: ReadonlyArray<string>
}

export const verify = Effect.fnUntraced(function* (token: BearerToken, keys: LocalJWKSet, expected: Expected) {
  const now = yield* Clock.currentTimeMillis
  const payload = yield* Effect.tryPromise({
    try: () =>
      jwtVerify(token.text, keys, {
        algorithms: [...algorithms],
        issuer: expected.issuer,
        audience: [...expected.audience],
        clockTolerance: leewaySeconds,
        currentDate: new Date(now),
        requiredClaims: ["sub", "exp", "iat"],
      }),
    catch: (cause) => faultOf(token, cause),
  }).pipe(Effect.map((verified): JWTPayload => verified.payload))
  // jose checks `iat` only together with a maximum age.
  if ((payload.iat ?? 0) > now / 1000 + leewaySeconds) return yield* refuse("was issued in the future")
  return payload
})

const refuse = (fault: string) => new Unauthenticated({ detail: `The bearer token ${fault}` })

const faultOf = (token: BearerToken, cause: unknown): Unauthenticated | UnknownKey => {
  if (cause instanceof errors.JWTExpired) return refuse("has expired")
  if (cause instanceof errors.JWTClaimValidationFailed) return refuse(`has an invalid claim: ${cause.claim}`)
  if (cause instanceof errors.JWKSNoMatchingKey) return new UnknownKey()
  if (cause instanceof errors.JWSSignatureVerificationFailed) {
    // Without a `kid`, only an invalid signature shows that a key was replaced.
    return token.kid === undefined ? new UnknownKey() : refuse("has an invalid signature")
  }
  return refuse("is not valid")
}
