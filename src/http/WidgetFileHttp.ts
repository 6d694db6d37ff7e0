/**
 * The widget's scripts, for any page: the widget itself and its audio worklet; in development also a test page. Their
 * addresses never change, so browsers revalidate them; under `?v=` with its own tag a script is kept for ever.
 */
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, ProblemDetails } from "effect/http"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DevelopmentLogin } from "../identity/DevelopmentLogin.ts"
import { type BuiltFile, packedFor, readBuilt } from "./BuiltFiles.ts"
import { typeOf } from "./edge/Problem.ts"

export const paths = ["/widget.js", "/widget/audio.js", "/widget/demo"] as const

const demo = join(import.meta.dirname, "../../apps/widget/demo.html")

const notFound = HttpServerResponse.jsonUnsafe(
  {
    type: typeOf("route_not_found"),
    title: "No such path",
    status: 404,
    code: "route_not_found",
    detail: "This file does not exist.",
  },
  { status: 404, contentType: ProblemDetails.contentType },
)

const script = (file: BuiltFile | undefined) => {
  const tag = createHash("sha256")
    .update(file?.plain ?? "")
    .digest("hex")
    .slice(0, 16)
  return Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
    if (file === undefined) return notFound
    const packed = packedFor(file, headers["accept-encoding"] ?? "")
    const isPinned = new URLSearchParams(url.split("?")[1]).get("v") === tag
    return HttpServerResponse.uint8Array(packed?.bytes ?? file.plain, {
      contentType: file.contentType,
      headers: {
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        "cache-control": isPinned
          ? "public, max-age=31536000, immutable"
          : "public, max-age=300, stale-while-revalidate=86400",
        etag: `"${tag}"`,
        vary: "accept-encoding",
        ...(packed === undefined ? {} : { "content-encoding": packed.encoding }),
      },
    })
  })
}

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const files = readBuilt("widget")
    const page = Option.isSome(yield* DevelopmentLogin) ? readFileSync(demo, "utf8") : undefined

    const demonstration =
      page === undefined
        ? notFound
        : HttpServerResponse.text(page, {
            contentType: "text/html; charset=utf-8",
            headers: { "cache-control": "no-cache", "x-content-type-options": "nosniff", "x-frame-options": "DENY" },
          })
    return Layer.mergeAll(
      HttpRouter.add("GET", "/widget.js", script(files.get("widget.js"))),
      HttpRouter.add("GET", "/widget/audio.js", script(files.get("audio.js"))),
      HttpRouter.add("GET", "/widget/demo", demonstration),
    )
  }),
)
