/** GET /docs: the reference page. It loads nothing else: its program, its style and the document are inside. */
import { Context, Effect, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { openApiText } from "./OpenApiText.ts"

export const path = "/docs"

const scalar = {
  withDefaultFonts: false,
  hideTestRequestButton: true,
  showOperationId: true,
  // The page's own samples fill every optional field with nothing; the document's (OpenApiSamples) are run by a test.
  hiddenClients: true,
}

/** An empty contract, because the document has been made (OpenApiText). */
const referenceOf = (document: Uint8Array) => {
  const spec = JSON.parse(new TextDecoder().decode(document))
  return HttpApiScalar.layer(
    HttpApi.make("parley").annotate(OpenApi.Transform, () => spec),
    { path, scalar },
  )
}

/**
 * Made for the first reader and then kept. If every process made it at its start, the page's program would take 12 MB
 * of each.
 */
export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const own = Context.make(Scope.Scope, yield* Effect.scope)
    const page = yield* Effect.cached(
      openApiText.pipe(
        Effect.flatMap(({ bytes }) => HttpRouter.toHttpEffect(referenceOf(bytes))),
        Effect.updateContext((_: Context.Context<never>) => own),
        Effect.flatten,
        Effect.map(withPolicy),
      ),
    )
    // The page is kept, but not a failure to make the document.
    yield* router.add("GET", path, Effect.andThen(openApiText, page))
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
