/**
 * Turns a token into the person whom it identifies. It accepts the provider's tokens, and in development those of the
 * development login.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { JWTPayload, LocalJWKSet } from "jose"
import { hash } from "node:crypto"
import { type Identity, type IssuerUnreachable, Unauthenticated } from "../domain/Principal.ts"
import * as BearerToken from "./BearerToken.ts"
import * as Claims from "./Claims.ts"
import { DevelopmentLogin } from "./DevelopmentLogin.ts"
import { OidcKeys } from "./OidcKeys.ts"
import { type Issuer, OidcSettings } from "./OidcSettings.ts"
import * as SignedToken from "./SignedToken.ts"

/** The number of cached results. Verifying a signature costs 50 to 150 µs, as much as the rest of a request. */
const remembered = 10_000

interface Found {
  readonly identity: Identity
  /** The keys that the result holds for. After the issuer's keys were fetched again, the token is verified again. */
  readonly keys: LocalJWKSet
  readonly trust: Trust
  readonly expiresAt: number
}

/** A trusted issuer and the keys that its tokens are signed with. */
interface Trust {
  readonly issuer: Issuer
  readonly current: Effect.Effect<LocalJWKSet, IssuerUnreachable>
  readonly afterUnknownKey: Effect.Effect<LocalJWKSet, IssuerUnreachable>
}

export class OidcVerifier extends Context.Service<
  OidcVerifier,
  { readonly verify: (token: string) => Effect.Effect<Identity, Unauthenticated | IssuerUnreachable> }
>()("identity/OidcVerifier") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const settings = yield* OidcSettings
      const development = yield* DevelopmentLogin
      const provider = yield* OidcKeys
      const claims = yield* Claims.ClaimSettings
      const found = new Map<string, Found>()

      const trusts: ReadonlyArray<Trust> = [
        ...Option.toArray(settings).map((issuer) => ({ issuer, ...provider })),
        ...Option.toArray(development).map((issuer) => {
          const keys = Effect.succeed(issuer.keys)
          return { issuer, current: keys, afterUnknownKey: keys }
        }),
      ]

      const judge = Effect.fnUntraced(function* (token: BearerToken.BearerToken, trust: Trust) {
        const by = (keys: LocalJWKSet) =>
          Effect.map(SignedToken.verify(token, keys, trust.issuer), (payload) => ({ keys, payload }))
        return yield* Effect.flatMap(trust.current, by).pipe(
          Effect.catchTag("UnknownKey", () => Effect.flatMap(trust.afterUnknownKey, by)),
          Effect.catchTag("UnknownKey", () => refuse("is signed by a key that its issuer does not publish")),
        )
      })

      const remember = (digest: string, entry: Found) => {
        const [oldest] = found.size < remembered ? [] : found.keys()
        if (oldest !== undefined) found.delete(oldest)
        found.set(digest, entry)
      }

      const verify = Effect.fnUntraced(function* (text: string) {
        const digest = hash("sha256", text, "base64url")
        const before = found.get(digest)
        if (before !== undefined) {
          const now = yield* Clock.currentTimeMillis
          if (now < before.expiresAt && (yield* before.trust.current) === before.keys) return before.identity
          found.delete(digest)
        }
        const token = yield* Effect.fromResult(BearerToken.parse(text))
        // A foreign token is refused before any key is fetched, so it costs the issuer nothing.
        const trust = trusts.find(({ issuer }) => issuer.issuer === token.issuer)
        if (trust === undefined) return yield* refuse("comes from another issuer")
        const { keys, payload } = yield* judge(token, trust)
        const expiresAt = expiryOf(payload)
        const identity = Claims.identityOf(token.issuer, payload, claims, new Date(expiresAt))
        if (Option.isNone(identity)) return yield* refuse("names no subject")
        remember(digest, { identity: identity.value, keys, trust, expiresAt })
        return identity.value
      })
      return { verify }
    }),
  )
}

const expiryOf = ({ exp = 0 }: JWTPayload): number => (exp + SignedToken.leewaySeconds) * 1000

const refuse = (fault: string) => new Unauthenticated({ detail: `The bearer token ${fault}` })
