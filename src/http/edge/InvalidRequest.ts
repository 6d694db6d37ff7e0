/**
 * Turns paths, queries, headers and bodies that do not fit their schema into one kind of 400, with a pointer for each
 * fault.
 */
import { Effect, JsonPointer, Layer, SchemaAST, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { faultsOf } from "../../domain/Faults.ts"
import { Invalid } from "../../domain/Refusals.ts"
import * as Problems from "./Problems.ts"

export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()("http/InvalidRequest", {
  error: Problems.invalid,
}) {
  static readonly layer = Layer.succeed(this, (httpEffect, { endpoint }) =>
    Effect.andThen(
      refuseUnknownParameters(endpoint),
      Effect.catch(httpEffect, (error): Effect.Effect<never, Invalid | Types.unhandled> =>
        HttpApiError.HttpApiSchemaError.is(error) ? refuse(error) : Effect.fail(error),
      ),
    ),
  )
}

/** An answer that does not fit its own schema is a bug of ours: a defect, and so a 500. */
const refuse = (error: HttpApiError.HttpApiSchemaError) =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.die(error)
    : Effect.fail(
        new Invalid({
          errors: faultsOf(error.cause.issue, error.kind === "Payload" ? "" : `/${error.kind.toLowerCase()}`),
        }),
      )

/** A misspelt filter must not answer with everything (decisions §2, Updates). */
const refuseUnknownParameters = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top) {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const mark = url.indexOf("?")
  if (mark < 0) return
  const known = parametersOf(endpoint)
  const unknown = [...new Set(new URLSearchParams(url.slice(mark)).keys())].filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const taken = known.size === 0 ? "takes none" : `takes ${[...known].join(", ")}`
  return yield* new Invalid({
    errors: unknown.map((name) => ({
      pointer: `/query/${JsonPointer.escapeToken(name)}`,
      detail: `is not a query parameter of this operation, which ${taken}`,
    })),
  })
})

const parameters = new WeakMap<HttpApiEndpoint.Top, ReadonlySet<string>>()

const parametersOf = (endpoint: HttpApiEndpoint.Top): ReadonlySet<string> => {
  const known = parameters.get(endpoint) ?? namesIn(endpoint)
  parameters.set(endpoint, known)
  return known
}

const namesIn = ({ query }: HttpApiEndpoint.Top): ReadonlySet<string> => {
  const ast = query === undefined ? undefined : SchemaAST.toEncoded(query.ast)
  return new Set(ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : [])
}
