/** Turns a token into the person it is about: the provider's tokens, and in development those of its own login. */
import { Context, Effect, Layer, Option } from "effect"
import type { LocalJWKSet } from "jose"
import { type Identity, type IssuerUnreachable, Unauthenticated } from "../domain/Principal.ts"
import type { BearerToken } from "./BearerToken.ts"
import * as Claims from "./Claims.ts"
import { DevelopmentLogin } from "./DevelopmentLogin.ts"
import { OidcKeys } from "./OidcKeys.ts"
import { OidcSettings } from "./OidcSettings.ts"
import * as SignedToken from "./SignedToken.ts"

export class OidcVerifier extends Context.Service<
  OidcVerifier,
  { readonly verify: (token: BearerToken) => Effect.Effect<Identity, Unauthenticated | IssuerUnreachable> }
>()("identity/OidcVerifier") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const settings = yield* OidcSettings
      const development = yield* DevelopmentLogin
      const keys = yield* OidcKeys
      const claims = yield* Claims.ClaimSettings

      const payloadOf = Effect.fnUntraced(function* (token: BearerToken) {
        if (Option.isSome(development) && token.issuer === development.value.issuer) {
          return yield* SignedToken.verify(token, development.value.keys, development.value)
        }
        const expected = Option.filter(settings, ({ issuer }) => issuer === token.issuer)
        // Said before any key is asked for: foreign tokens cost the issuer nothing.
        if (Option.isNone(expected))
          return yield* new Unauthenticated({ reason: "The bearer token is of another issuer" })
        const judge = (by: LocalJWKSet) => SignedToken.verify(token, by, expected.value)
        return yield* Effect.flatMap(keys.current, judge).pipe(
          Effect.catchTag("UnknownKey", () => Effect.flatMap(keys.afterUnknownKey, judge)),
        )
      })

      const verify = Effect.fn("OidcVerifier.verify")(
        function* (token: BearerToken) {
          const identity = Claims.identityOf(token.issuer, yield* payloadOf(token), claims)
          if (Option.isNone(identity))
            return yield* new Unauthenticated({ reason: "The bearer token names no subject" })
          return identity.value
        },
        Effect.catchTag(
          "UnknownKey",
          () => new Unauthenticated({ reason: "The bearer token is signed by a key that its issuer does not publish" }),
        ),
      )
      return { verify }
    }),
  )
}
