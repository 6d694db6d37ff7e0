/**
 * Caches the issuer's public keys and its token endpoint, which OidcDocuments fetches, and fetches them again when keys
 * are rotated.
 */
import { Clock, Context, Duration, Effect, Fiber, Layer, Option, Semaphore } from "effect"
import { HttpClient } from "effect/http"
import type { LocalJWKSet } from "jose"
import { IssuerUnreachable } from "../domain/Principal.ts"
import { fetchIssuer } from "./OidcDocuments.ts"
import { OidcSettings } from "./OidcSettings.ts"

/**
 * The shortest time between two fetches because of an unknown `kid`. A stranger can put an unknown `kid` into tokens,
 * so such tokens cost the issuer at most two requests in this time.
 */
const refetchAfter = Duration.seconds(30)
/** The shortest time between two fetches while no keys are known. */
const retryAfter = Duration.seconds(5)
/**
 * The age at which the keys are fetched again, so that a key that the issuer has withdrawn is not trusted for ever. The
 * old keys are used until the fetch succeeds.
 */
const staleAfter = Duration.minutes(10)

export class OidcKeys extends Context.Service<
  OidcKeys,
  {
    readonly current: Effect.Effect<LocalJWKSet, IssuerUnreachable>
    /**
     * The issuer's keys after they were fetched again, at most every 30 s: for a token that no key of `current` fits.
     */
    readonly afterUnknownKey: Effect.Effect<LocalJWKSet, IssuerUnreachable>
    /**
     * The endpoint at which browsers exchange codes for tokens. It may be at another origin than the issuer's.
     * Undefined if it cannot be trusted.
     */
    readonly tokenEndpoint: Effect.Effect<URL | undefined, IssuerUnreachable>
  }
>()("identity/OidcKeys") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const settings = yield* OidcSettings
      const client = yield* HttpClient.HttpClient
      const scope = yield* Effect.scope
      const one = yield* Semaphore.make(1)
      let known:
        | { readonly keys: LocalJWKSet; readonly tokenEndpoint: URL | undefined; readonly at: number }
        | undefined
      let triedAt = Number.NEGATIVE_INFINITY
      let refetchedAt = Number.NEGATIVE_INFINITY

      const attempt = Effect.fnUntraced(function* (now: number) {
        if (Option.isNone(settings)) return
        triedAt = now
        const found = yield* tryFetch(settings.value.issuer, client)
        if (found !== undefined) known = { ...found, at: now }
      })

      /**
       * Runs one fetch at a time. A fiber that waited for another's fetch checks again whether it still needs one. The
       * fetch runs in a fiber of the layer, so that a client that disconnects does not end it for the other waiters.
       */
      const attemptIf = (needed: (now: number) => boolean) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (needed(now)) yield* attempt(now)
        }).pipe(Semaphore.withPermit(one), Effect.forkIn(scope))

      const isMissing = (now: number) => known === undefined && longer(now - triedAt, retryAfter)
      const isStale = (now: number) =>
        known !== undefined && longer(now - known.at, staleAfter) && longer(now - triedAt, refetchAfter)

      const present = Effect.suspend(() =>
        known === undefined
          ? new IssuerUnreachable({ retry_after_seconds: Duration.toSeconds(retryAfter) })
          : Effect.succeed(known),
      )
      const keys = Effect.map(present, (known) => known.keys)
      const current = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (known === undefined) yield* Effect.flatMap(attemptIf(isMissing), Fiber.join)
        else if (isStale(now)) yield* attemptIf(isStale)
        return yield* present
      })
      return {
        current: Effect.map(current, (known) => known.keys),
        tokenEndpoint: Effect.map(current, (known) => known.tokenEndpoint),
        afterUnknownKey: Effect.andThen(
          attemptIf((now) => {
            if (!longer(now - refetchedAt, refetchAfter)) return false
            refetchedAt = now
            return true
          }).pipe(Effect.flatMap(Fiber.join)),
          keys,
        ),
      }
    }),
  )
}

const longer = (milliseconds: number, than: Duration.Duration): boolean => milliseconds >= Duration.toMillis(than)

const tryFetch = (issuer: string, client: HttpClient.HttpClient) =>
  fetchIssuer(issuer).pipe(
    Effect.provideService(HttpClient.HttpClient, client),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("fetching the identity provider's keys failed", cause), undefined),
    ),
    Effect.annotateLogs({ issuer }),
  )
