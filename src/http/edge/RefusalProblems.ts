/** The problem of any refusal in the contract, for callers outside of it, exactly as REST answers. */
import { Cause, Effect, Option, Schema } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { RequestId } from "./RequestId.ts"
import { answerTo, type ProblemBody, problemOf } from "./Trouble.ts"

type Encode = (refusal: unknown) => Effect.Effect<unknown, Schema.SchemaError>

/**
 * `api` and `others` declare how each refusal is answered; an undeclared error is a failure of our own, and is logged.
 */
export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  others: ReadonlyArray<Schema.Top> = [],
) => {
  const declared = new Set(others)
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ errors }) => {
      for (const schemas of errors.values()) for (const schema of schemas) declared.add(schema)
    },
  })
  /** Encoders by the refusal's class. Each is found when a refusal of its class is first met. */
  const encoders = new Map<unknown, Encode | undefined>()
  const encoderOf = (refusal: object): Encode | undefined => {
    if (!encoders.has(refusal.constructor)) {
      const schema = [...declared].find((schema) => Schema.is(schema as Schema.Codec<unknown>)(refusal))
      const encode = schema === undefined ? undefined : Schema.encodeUnknownEffect(schema as Schema.Codec<unknown>)
      encoders.set(refusal.constructor, encode)
    }
    return encoders.get(refusal.constructor)
  }

  return Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
    const refusal = Option.getOrUndefined(Cause.findErrorOption(cause))
    const encode = typeof refusal === "object" && refusal !== null ? encoderOf(refusal) : undefined
    if (encode !== undefined) return (yield* Effect.orDie(encode(refusal))) as ProblemBody & Told
    const { status } = yield* answerTo(cause)
    return { ...problemOf(status), request_id: yield* RequestId }
  })
}

interface Told {
  readonly request_id: string
}
