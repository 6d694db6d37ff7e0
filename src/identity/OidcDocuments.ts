/**
 * Fetches the two documents of an issuer: its discovery document, and the public keys that the discovery document
 * names.
 */
import { Data, Duration, Effect, Option, Schema, Stream } from "effect"
import { HttpClient } from "effect/http"
import { createLocalJWKSet } from "jose"
import { usableKeysFrom } from "./KeySanity.ts"
import { isLoopback } from "./OidcSettings.ts"

/** The time limit for both documents together. A request waits at most this long, and only while no keys are known. */
const timeout = Duration.seconds(5)
/** A real set of keys has a few KiB. */
const maximumBytes = "256 KiB"

class NotFetched extends Data.TaggedError("NotFetched")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

const decodeDiscovery = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      issuer: Schema.String,
      jwks_uri: Schema.String,
      token_endpoint: Schema.optionalKey(Schema.String),
    }),
  ),
)
const parseJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** The issuer's keys and its token endpoint. The endpoint is undefined if it is missing or cannot be trusted. */
export const fetchIssuer = Effect.fnUntraced(function* (issuer: string) {
  const place = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const discovery = yield* Effect.flatMap(fetchDocument(place), decodeDiscovery)
  if (discovery.issuer !== issuer) {
    return yield* new NotFetched({ why: `the discovery document is that of ${discovery.issuer}` })
  }
  if (!isTrusted(issuer, discovery.jwks_uri)) {
    return yield* new NotFetched({ why: `keys are not taken from ${discovery.jwks_uri}` })
  }
  const keys = usableKeysFrom(yield* Effect.flatMap(fetchDocument(discovery.jwks_uri), parseJson))
  if (Option.isNone(keys)) return yield* new NotFetched({ why: `${discovery.jwks_uri} has no set of keys` })
  const { token_endpoint } = discovery
  const tokenEndpoint =
    token_endpoint !== undefined && isTrusted(issuer, token_endpoint) ? new URL(token_endpoint) : undefined
  return { keys: createLocalJWKSet({ keys: [...keys.value] }), tokenEndpoint }
}, Effect.timeout(timeout))

const fetchDocument = Effect.fnUntraced(function* (url: string) {
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const response = yield* client.get(url, { acceptJson: true })
  const chunks = yield* response.stream.pipe(
    Stream.mapError((cause) => new NotFetched({ why: `${url}: ${cause.message}` })),
    Stream.limitBytes(maximumBytes, () => Stream.fail(new NotFetched({ why: `${url} has more than 256 KiB` }))),
    Stream.runCollect,
  )
  return Buffer.concat(chunks).toString()
})

/**
 * Whether documents and codes may be exchanged with this URL. Plain http is allowed only on loopback, for an issuer
 * that itself uses plain http.
 */
const isTrusted = (issuer: string, url: string): boolean =>
  URL.canParse(url) &&
  (url.startsWith("https://") || (issuer.startsWith("http://") && url.startsWith("http://") && isLoopback(url)))
