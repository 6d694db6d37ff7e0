/** GET /docs: the reference page. It loads nothing else: its program, its style and the document are inside. */
import { Context, Effect, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import { Api } from "./Api.ts"

export const path = "/docs"

const scalar = {
  withDefaultFonts: false,
  hideTestRequestButton: true,
  showOperationId: true,
  // The page's own samples fill every optional field with nothing; the document's (OpenApiSamples) are run by a test.
  hiddenClients: true,
}

const reference = HttpApiScalar.layer(Api, { path, scalar })

/**
 * Made for the first reader and then kept. If every process made it at its start, the page's program would take 12 MB
 * of each.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const own = Context.make(Scope.Scope, yield* Effect.scope)
    const page = yield* Effect.cached(
      HttpRouter.toHttpEffect(reference).pipe(
        Effect.updateContext((_: Context.Context<never>) => own),
        Effect.flatten,
        Effect.map(withPolicy),
      ),
    )
    yield* router.add("GET", path, page)
  }),
)

/** Allows the page's own scripts by their hashes, and no other host. The program writes styles itself. */
const withPolicy = (page: HttpServerResponse.HttpServerResponse) => {
  const text = page.body._tag === "Uint8Array" ? new TextDecoder().decode(page.body.body) : ""
  const scripts = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  )
  // Without an icon in the page, a browser asks for /favicon.ico.
  const withIcon = text.replace("<title>", '<link rel="icon" href="data:,"><title>')
  return HttpServerResponse.setHeaders(HttpServerResponse.html(withIcon), {
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${scripts.join(" ")}`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  })
}
