/** Shared parts of all resources' contracts: ETag and Location, `If-Match`, read-only fields. */
import { Effect, Schema, SchemaGetter } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { etagOf } from "../../domain/Revision.ts"
import { encoderOf, jsonBytes } from "../../offload/WideAnswer.ts"
import { PathPrefix } from "./RequestId.ts"

const etag = Schema.String.annotate({ description: "The revision of the resource, for `If-Match`." })

/** A resource that is read or changed: 200 with its ETag. */
export const Tagged = <S extends Schema.Top>(schema: S) => HttpApiSchema.WithHeaders(schema, { etag })

/** A resource that was made: 201 with its ETag and its place. */
export const Created = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(201)), {
    etag,
    location: Schema.String.annotate({ description: "The path of the new resource." }),
  })

/** The answer to a create of something that never changes, such as a key: 201 with its location. */
export const Placed = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(201)), {
    location: Schema.String.annotate({ description: "The path of the new resource." }),
  })

/** `If-Match` of a change or a deletion; a revision other than the present one is a 412. */
export const ifMatch = {
  "if-match": Schema.optionalKey(
    Schema.String.annotate({
      description: "Do this only if the resource still has this ETag; otherwise the request fails with a 412.",
    }),
  ),
}

/** The answer with a row: its ETag is the revision, which leaves the body. */
export const withEtag = <A extends object>({ revision, ...body }: A & { readonly revision: number }) =>
  HttpApiSchema.withHeaders({ body: body as Omit<A, "revision">, headers: { etag: etagOf(revision) } })

/** The answer to a create: `collection` is the path of the list; the new resource's id is appended. */
export const asCreated = <A extends { readonly id: string }>(
  collection: string,
  { revision, ...body }: A & { readonly revision: number },
) =>
  Effect.map(addPrefix(`${collection}/${body.id}`), (location) =>
    HttpApiSchema.withHeaders({ body: body as Omit<A, "revision">, headers: { etag: etagOf(revision), location } }),
  )

/** The answer to a create of something without a revision. */
export const withLocation = <A extends object>(path: string, body: A) =>
  Effect.map(addPrefix(path), (location) => HttpApiSchema.withHeaders({ body, headers: { location } }))

/** Makes a writer of pages, or of other answers with a list, which encodes and writes item by item. */
export const answerWriter = <A, Wire>(schema: Schema.Codec<A, Wire>) => {
  const encode = encoderOf(schema)
  return Effect.fnUntraced(function* <E, R>(answer: Effect.Effect<A, E, R>) {
    const bytes = yield* jsonBytes(yield* encode(yield* answer), levelsToItems)
    return HttpServerResponse.uint8Array(bytes, { contentType: "application/json" })
  })
}

/** The depth of the items in `{"items":[…]}`. */
const levelsToItems = 2

/** A path under the prefix that the request came with. */
export const addPrefix = (path: string) => Effect.map(PathPrefix, (prefix) => prefix + path)

/**
 * The payload of a create or an update: the writable fields, and the read-only fields with any value, which are dropped
 * while the body is read (clients read, edit and write). Any other field is a 400.
 */
export const writable = <Fields extends Schema.Struct.Fields>(fields: Fields, readOnly: ReadonlyArray<string>) =>
  Schema.Struct({ ...Object.fromEntries(readOnly.map((name) => [name, ignored])), ...fields } as Fields)

const ignored = Schema.optionalKey(Schema.Any.annotate({ description: "Read-only. The value is ignored." })).pipe(
  Schema.decodeTo(Schema.optionalKey(Schema.Never), { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() }),
)
