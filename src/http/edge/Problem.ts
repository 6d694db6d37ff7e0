/**
 * The form of a refusal over HTTP: an RFC 9457 problem with a stable `code`. Problems.ts is the only table of statuses.
 */
import { Effect, Predicate, Schema, SchemaTransformation } from "effect"
import { ProblemDetails } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { RequestId } from "./RequestId.ts"

interface RefusalClass extends Schema.Constraint {
  readonly Type: { readonly message: string }
  readonly fields: Schema.Struct.Fields
  new (body: never): this["Type"]
}

interface ProblemKind {
  readonly status: number
  readonly code: string
  readonly title: string
}

export const typeOf = (code: string): string => `https://parley.dev/problems/${code.replaceAll("_", "-")}`

/** The descriptions of the fields that every problem has. */
export const described = {
  type: { description: "Identifies the kind of problem, like `code`." },
  title: { description: "What happened, in a few words." },
  status: { description: "The HTTP status." },
  code: { description: "The stable name of the kind of problem (docs/errors.md)." },
  detail: { description: "What is wrong with this request, as a sentence for people." },
  request_id: { description: "The id of the request, also in the header `X-Request-Id`." },
}

/**
 * Adds the refusal's own fields to `type`, `title`, `status`, `code`, `detail` and `request_id`. A refusal with its own
 * `code` (each cap has one) says which of its kinds it is, and `type` follows it.
 */
export const asProblem =
  (kind: ProblemKind) =>
  <E extends RefusalClass>(refusal: E) => {
    const { _tag, ...own } = refusal.fields
    const wire = Schema.Struct({
      type: ("code" in own ? Schema.String : Schema.tag(typeOf(kind.code))).annotate(described.type),
      title: Schema.tag(kind.title).annotate(described.title),
      status: Schema.tag(kind.status).annotate(described.status),
      code: Schema.tag(kind.code).annotate(described.code),
      detail: Schema.String.annotate(described.detail),
      request_id: Schema.String.annotate(described.request_id),
      ...own,
    })
    return wire.pipe(
      Schema.decodeTo(
        Schema.toType(refusal),
        SchemaTransformation.transformEffect<E["Type"], typeof wire.Type>({
          decode: (body) => Effect.succeed(new refusal(body as never)),
          encode: (error) =>
            Effect.map(RequestId, (request_id) =>
              wire.make({ ...typeOfOwn(error), ...error, detail: error.message, request_id } as never),
            ),
        }),
      ),
      HttpApiSchema.asJson({ contentType: ProblemDetails.contentType }),
      HttpApiSchema.status(kind.status),
    )
  }

const typeOfOwn = (error: object) =>
  Predicate.hasProperty(error, "code") ? { type: typeOf(String(error.code)) } : undefined
