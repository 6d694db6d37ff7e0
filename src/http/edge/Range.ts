/** Parts of an answer whose length is known (RFC 9110 §14): one range of bytes; several are answered with the whole. */
import { Effect, Schema, type Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { whileAdmitted } from "./Download.ts"
import { asProblem } from "./Problem.ts"

/** The range begins after the last byte. */
class RangeNotSatisfiable extends Schema.TaggedError<RangeNotSatisfiable>()("RangeNotSatisfiable", {
  bytes: Schema.Int.annotate({ description: "The length of the content, in bytes." }),
}) {
  override get message() {
    return `The range is outside of the content, which has ${this.bytes} bytes.`
  }
}

/** Answered with `Content-Range`, which has the length. */
export const rangeNotSatisfiable = RangeNotSatisfiable.pipe(
  asProblem({ status: 416, code: "range_not_satisfiable", title: "Range not satisfiable" }),
)

export interface Ranged {
  readonly bytes: number
  readonly etag: string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  /** Reads from the byte `first` to the byte `last`, both included. */
  readonly read: (first: number, last: number) => Stream.Stream<Uint8Array>
}

export type Part =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Part"; readonly first: number; readonly last: number }
  | { readonly _tag: "Unsatisfiable" }

const whole: Part = { _tag: "Whole" }

/** The part of a file of this many bytes that a `Range` header asks for. A header that is not understood is ignored. */
export const partOf = (range: string | undefined, bytes: number): Part => {
  const [, from = "", to = ""] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(range ?? "") ?? []
  if (from === "" && to === "") return whole
  if (from === "") {
    const length = Math.min(Number(to), bytes)
    return length === 0 ? { _tag: "Unsatisfiable" } : { _tag: "Part", first: bytes - length, last: bytes - 1 }
  }
  if (to !== "" && Number(to) < Number(from)) return whole
  if (Number(from) >= bytes) return { _tag: "Unsatisfiable" }
  return { _tag: "Part", first: Number(from), last: to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1) }
}

/** The answer to a GET or a HEAD. `If-Range` with another ETag asks for the whole. */
export const answerRanged = Effect.fnUntraced(function* ({ bytes, contentType, etag, headers, read }: Ranged) {
  const { headers: asked, method } = yield* HttpServerRequest.HttpServerRequest
  const ifRange = asked["if-range"]
  const part =
    method === "GET" && (ifRange === undefined || ifRange.trim() === etag) ? partOf(asked["range"], bytes) : whole
  const common = { ...headers, etag, "accept-ranges": "bytes" }
  if (part._tag === "Unsatisfiable") return yield* new RangeNotSatisfiable({ bytes })
  const { first, last } = part._tag === "Part" ? part : { first: 0, last: bytes - 1 }
  return HttpServerResponse.stream(yield* whileAdmitted(read(first, last)), {
    status: part._tag === "Part" ? 206 : 200,
    contentType,
    contentLength: last - first + 1,
    headers: part._tag === "Part" ? { ...common, "content-range": `bytes ${first}-${last}/${bytes}` } : common,
  })
})
