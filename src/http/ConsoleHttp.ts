/**
 * Serves the console below /console/. Browsers keep files with a hash in their names for ever; the page that names them
 * is fetched each time, with a policy that allows only our own scripts and hosts.
 */
import { Config, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { randomUUID } from "node:crypto"
import { DevelopmentLogin } from "../identity/DevelopmentLogin.ts"
import { OidcKeys } from "../identity/OidcKeys.ts"
import { OidcSettings } from "../identity/OidcSettings.ts"
import { type BuiltFile, packedFor, readBuilt } from "./BuiltFiles.ts"
import { typeOf } from "./edge/Problem.ts"

export const paths = ["/", "/console", "/console/*"] as const

const base = "/console/"

/** A placeholder in the built page; each answer replaces it with a nonce of its own. */
const noncePlace = "__CSP_NONCE__"

/** A page waits no longer than this for a slow issuer; without it the page works, but cannot sign in. */
const issuerWithin = "1 second"

const policy = (nonce: string, issuer: ReadonlyArray<string>) =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src ${["'self'", ...issuer].join(" ")}`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ")

const guarded = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
}

const answerWith = (file: BuiltFile, accepted: string) => {
  const packed = packedFor(file, accepted)
  return HttpServerResponse.uint8Array(packed?.bytes ?? file.plain, {
    contentType: file.contentType,
    headers: {
      ...guarded,
      ...(packed === undefined ? {} : { "content-encoding": packed.encoding }),
      "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      vary: "accept-encoding",
    },
  })
}

const notFound = HttpServerResponse.jsonUnsafe(
  {
    type: typeOf("route_not_found"),
    title: "No such path",
    status: 404,
    code: "route_not_found",
    detail: "There is no such file in this build of the console.",
  },
  { status: 404, contentType: ProblemDetails.contentType },
)
const toBase = HttpServerResponse.redirect(base, { status: 302 })

/** The origins that sign-in needs: the issuer's, and that of its token endpoint. */
const originsOf = (issuer: string, tokenEndpoint: OidcKeys["Service"]["tokenEndpoint"]) =>
  tokenEndpoint.pipe(
    Effect.timeout(issuerWithin),
    Effect.orElseSucceed(() => undefined),
    Effect.map((endpoint) => {
      const own = new URL(issuer).origin
      return [...new Set([own, endpoint?.origin ?? own])]
    }),
  )

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const files = readBuilt("console")
    const issuer = Option.getOrUndefined(yield* OidcSettings)
    const clientId = yield* Config.option(Config.NonEmptyString("OIDC_CLIENT_ID"))
    const development = Option.isSome(yield* DevelopmentLogin)
    const { tokenEndpoint } = yield* OidcKeys
    const origins = issuer === undefined ? Effect.succeed([]) : originsOf(issuer.issuer, tokenEndpoint)
    const page = Buffer.from(files.get("index.html")?.plain ?? []).toString()

    /**
     * What a login page needs before sign-in. Without OIDC_CLIENT_ID the client id is the first audience, because an ID
     * token is issued to the client that asks for it.
     */
    const settings = HttpServerResponse.jsonUnsafe(
      {
        oidc:
          issuer === undefined
            ? null
            : { issuer: issuer.issuer, client_id: Option.getOrElse(clientId, () => issuer.audience[0]) },
        development_login: development,
      },
      { headers: { ...guarded, "cache-control": "no-cache" } },
    )

    const index = Effect.map(origins, (origins) => {
      const nonce = randomUUID()
      return HttpServerResponse.text(page.replaceAll(noncePlace, nonce), {
        contentType: "text/html; charset=utf-8",
        headers: {
          ...guarded,
          "cache-control": "no-cache",
          "content-security-policy": policy(nonce, origins),
        },
      })
    })

    const isBuilt = page !== ""
    const answer = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
      const pathname = url.split("?", 1)[0] ?? ""
      if (!pathname.startsWith(base)) return Effect.succeed(isBuilt ? toBase : notFound)
      const path = pathname.slice(base.length)
      if (path === "settings.json") return Effect.succeed(settings)
      const file = path === "index.html" ? undefined : files.get(path)
      if (file !== undefined) return Effect.succeed(answerWith(file, headers["accept-encoding"] ?? ""))
      // Other paths are routes of the console's own router; but a missing file is a 404.
      return !isBuilt || path.startsWith("assets/") ? Effect.succeed(notFound) : index
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/", isBuilt ? toBase : notFound),
      // This also matches /console without the slash.
      HttpRouter.add("GET", "/console/*", answer),
    )
  }),
)
