/** Paths, queries, headers and bodies that do not fit their schema become one kind of 400, with a pointer for each fault. */
import { Effect, JsonPointer, Layer, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Invalid } from "../../domain/Refusals.ts"
import * as Problems from "./Problems.ts"

export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()("http/InvalidRequest", {
  error: Problems.invalid,
}) {
  static readonly layer: Layer.Layer<InvalidRequest> = Layer.suspend(() => layer)
}

const sentences = {
  MissingKey: "is required",
  UnexpectedKey: "is not a known field",
} as const

const asDemand = (sentence: string): string => sentence.replace(/^Expected /, "must be ")

const issues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) =>
    issue._tag === "MissingKey" || issue._tag === "UnexpectedKey"
      ? sentences[issue._tag]
      : asDemand(SchemaIssue.defaultLeafHook(issue)),
  checkHook: (issue) => {
    const sentence = SchemaIssue.defaultCheckHook(issue)
    return sentence === undefined ? undefined : asDemand(sentence)
  },
})

/** What *we* send wrong (an answer that does not fit its own schema) is a bug: it dies and becomes a 500. */
const layer = HttpApiMiddleware.layerSchemaErrorTransform(InvalidRequest, (error) =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.die(error)
    : Effect.fail(
        new Invalid({
          errors: issues(error.cause.issue).issues.map(({ path = [], message }) => ({
            pointer: [...(error.kind === "Payload" ? [] : [error.kind.toLowerCase()]), ...path.map(keyOf)]
              .map((key) => `/${JsonPointer.escapeToken(key)}`)
              .join(""),
            detail: message,
          })),
        }),
      ),
)

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof segment === "object" ? segment.key : segment)
