/**
 * A POST that creates or changes: 201 with the location of a new resource, 200 for an existing one (decisions §2,
 * Enablement).
 */
import { Effect, type Schema } from "effect"
import { Placed, withLocation } from "./Resource.ts"

/** The plain answer comes first, because a value without headers takes the first schema that it fits. */
export const Upserted = <S extends Schema.Top>(schema: S) => [schema, Placed(schema)] as const

type Made<A extends object> = Effect.Success<ReturnType<typeof withLocation<A>>>

/** `path` is the path that a new resource gets. */
export const asUpserted = <A extends object>(path: string, body: A, isNew: boolean): Effect.Effect<Made<A> | A> =>
  isNew ? withLocation(path, body) : Effect.succeed(body)
