/** An identity provider whose keys, documents and failures a test controls. It counts the requests it gets. */
import { Effect } from "effect"
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export const newKey = (kid: string, alg: "RS256" | "ES256" | "EdDSA" = "ES256") =>
  Effect.promise(async (): Promise<SigningKey> => {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } }
  })

export interface Issuer {
  readonly url: string
  /** The keys in the JWKS document. */
  published: ReadonlyArray<JWK>
  /** Answers requests instead of the provider. If undefined, the provider itself answers. */
  instead: ((path: string, response: ServerResponse) => void) | undefined
  /** The count of requests for each path. */
  readonly asked: Map<string, number>
  /** Signs valid claims, which `claims` and `header` override. `now` is in seconds since 1970. */
  readonly sign: (
    key: SigningKey,
    now: number,
    claims?: JWTPayload,
    header?: Record<string, unknown>,
  ) => Effect.Effect<string>
}

export const jwksPath = "/jwks"
const discoveryPath = "/.well-known/openid-configuration"

/** Starts the provider. It listens until the scope closes. */
export const make = Effect.acquireRelease(
  Effect.callback<{ issuer: Issuer; close: () => void }>((resume) => {
    const asked = new Map<string, number>()
    const server = createServer((request, response) => {
      const path = request.url ?? "/"
      asked.set(path, (asked.get(path) ?? 0) + 1)
      if (issuer.instead !== undefined) return issuer.instead(path, response)
      const documents: Record<string, unknown> = {
        [discoveryPath]: { issuer: issuer.url, jwks_uri: `${issuer.url}${jwksPath}` },
        [jwksPath]: { keys: issuer.published },
      }
      json(response, documents[path])
    })
    let issuer: Issuer
    server.listen(0, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      issuer = {
        url,
        published: [],
        instead: undefined,
        asked,
        sign: (key, now, claims = {}, header = {}) =>
          Effect.promise(() =>
            new SignJWT({ iss: url, aud: "parley", sub: "ada", iat: now, exp: now + 300, ...claims })
              .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "JWT", ...header })
              .sign(key.privateKey),
          ),
      }
      resume(
        Effect.succeed({
          issuer,
          close: () => {
            server.closeAllConnections()
            server.close()
          },
        }),
      )
    })
  }),
  ({ close }) => Effect.sync(close),
).pipe(Effect.map(({ issuer }) => issuer))

export const json = (response: ServerResponse, document: unknown) => {
  response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
  response.end(JSON.stringify(document ?? {}))
}
