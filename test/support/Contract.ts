/** The types of response bodies by method and path, derived from the contract in src/http. Types only, no code. */
import type { Schema } from "effect"
import type { HttpApi, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import type { Api } from "../../src/http/Api.ts"
import type { Obstacle } from "../../src/domain/AgentVersion.ts"
import type { Issue } from "../../src/domain/Refusals.ts"
import type { Document } from "./OpenApi.ts"

type Endpoint = typeof Api extends HttpApi.HttpApi<string, infer Groups> ? HttpApiGroup.Endpoints<Groups> : never

/** The fixed segments of the contract's paths. */
type Word = Exclude<SegmentOf<Endpoint["path"]>, `:${string}`>
type SegmentOf<Path> = Path extends `${infer Head}/${infer Tail}` ? Head | SegmentOf<Tail> : Path

/**
 * A path with `:` in place of each parameter: `/api/agents/:id`, `/api/agents/${string}` and `/api/agents/Rosa` all
 * become `/api/agents/:`. A value that equals a fixed segment of the contract (`/api/tools/tools`) is not recognised as
 * a parameter.
 */
type Shape<Path> = Path extends `${infer Head}/${infer Tail}`
  ? `${Head extends Word ? Head : ":"}/${Shape<Tail>}`
  : Path extends Word
    ? Path
    : ":"

/** The JSON body of a success. A file or a stream is text, and a 204 has no body. */
type Wire<Success> =
  Success extends HttpApiSchema.WithHeaders<infer Body, infer _Headers>
    ? Wire<Body>
    : Success extends HttpApiSchema.StreamSchema
      ? string
      : Success extends Schema.toCodecJson<infer Body>
        ? Content<Body["Encoded"]>
        : never
type Content<Encoded> = Encoded extends Uint8Array ? string : Encoded extends void ? undefined : Encoded

type Operations = {
  [E in Endpoint as `${E["method"]} ${Shape<E["path"]>}`]: Wire<E["~Success"]>
}

type WithoutQuery<Path> = Path extends `${infer Before}?${string}` ? Before : Path
type WithoutPrefix<Path> = Path extends `/hub-api/${infer Rest}` ? `/${Rest}` : Path

/** Bodies of paths outside the contract: the OpenAPI document, the router and static files. */
type Beside<Path> = Path extends "/openapi.json"
  ? Document
  : Path extends `/trpc/${string}`
    ? RpcBody
    : Path extends "/widget.js" | `/widget/${string}` | `/console/${string}`
      ? string
      : unknown

/**
 * The body of a success of this operation. `unknown` if the path's type does not name one operation, such as a plain
 * `string`. Declare a path that is kept in a constant `as const`.
 */
export type BodyOf<Method extends string, Path extends string> = Path extends unknown
  ? `${Method} ${Shape<WithoutPrefix<WithoutQuery<Path>>>}` extends infer Operation extends keyof Operations
    ? Operations[Operation]
    : Beside<Path>
  : never

/** The router's answer to one call: the procedure's result, or a problem. */
export interface RpcBody {
  readonly result?: { readonly data: Readonly<Record<string, unknown>> }
  readonly error?: { readonly data: Problem }
}

/**
 * The body of a refusal (RFC 9457; decisions §1, Errors). Each optional field belongs to some kinds of refusal only.
 */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly request_id: string
  /** The faults of the request. */
  readonly errors?: ReadonlyArray<typeof Issue.Encoded>
  /** Of `invalid_state`. */
  readonly state?: string
  /** Of `budget_exceeded`. */
  readonly requested?: number
  readonly in_use?: number
  readonly concurrent_max?: number
  /** Of caps, paces and limits. */
  readonly limit?: number
  readonly used?: number
  readonly resets_at?: string
  readonly calls_per_second?: number
  readonly limited_by?: string
  readonly held_by?: string
  readonly what?: string
  /** Of `rule`. */
  readonly opens_at?: string
  /** Of `missing_scope`. */
  readonly required?: string | null
  /** Of `account_elsewhere`. */
  readonly cell?: string
  /** Of `not_restorable`. */
  readonly obstacles?: ReadonlyArray<Obstacle>
}
