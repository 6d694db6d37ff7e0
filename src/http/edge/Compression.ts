/**
 * Content codings (RFC 9110 §8.4): JSON, CSV and pages are sent as br or gzip to a client that accepts them. zlib works
 * in Node's thread pool, never on the event loop. An event stream, which clients read piece by piece, stays as it is,
 * and so do files that are already packed.
 */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Semaphore, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib"
import { varyBy } from "./Vary.ts"

type Response = HttpServerResponse.HttpServerResponse
type Coding = "br" | "gzip"

/** A smaller answer fits into one packet without compression. */
const smallestBytes = 1024

/**
 * How many answers are compressed at the same time, each by one of the pool's four threads. Files and name look-ups use
 * the others.
 */
const atOnce = Semaphore.makeUnsafe(2)

/** As fast as gzip, and smaller. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const pack = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, brotli),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
} as const
const packer = { br: () => createBrotliCompress(brotli), gzip: () => createGzip() } as const

const isText = (contentType: string): boolean =>
  /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?json\b|application\/javascript\b|image\/svg\+xml\b)/.test(
    contentType,
  )

/** Compresses the answer, if it is worth it and the client accepts it. */
export const compress = Effect.fnUntraced(function* (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  response: Response,
): Effect.fn.Return<Response> {
  const { body } = response
  if (body._tag !== "Uint8Array" && body._tag !== "Stream") return response
  if (!isText(body.contentType) || response.headers["content-encoding"] !== undefined) return response
  const varied = varyBy(response, "Accept-Encoding")
  const coding = codingFor(headers["accept-encoding"] ?? "")
  if (coding === undefined || method === "HEAD") return varied
  const { contentType } = body
  const { status } = response
  const packed = { status, contentType, headers: { ...varied.headers, "content-encoding": coding } }
  if (body._tag === "Stream") {
    const stream = Stream.orDie(body.stream).pipe(NodeStream.pipeThroughSimple(packer[coding]))
    return HttpServerResponse.stream(stream, packed)
  }
  if (body.body.length < smallestBytes) return varied
  const bytes = yield* Effect.promise(() => pack[coding](body.body)).pipe(atOnce.withPermits(1))
  return HttpServerResponse.uint8Array(bytes, packed)
})

/** The coding that the client prefers; br among equals. `*` counts as gzip: few clients that send it mean br. */
export const codingFor = (accepted: string): Coding | undefined => {
  const weights = new Map<string, number>()
  for (const item of accepted.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim())
    const weight = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
    // A weight that is no number excludes its coding, and leaves the others to be chosen.
    weights.set(name === "x-gzip" ? "gzip" : name, Number.isNaN(weight) ? 0 : weight)
  }
  const br = weights.get("br") ?? 0
  // `*` means the codings that are not named, so `gzip;q=0, *` excludes gzip.
  const gzip = weights.get("gzip") ?? weights.get("*") ?? 0
  if (br > 0 && br >= gzip) return "br"
  return gzip > 0 ? "gzip" : undefined
}
