/** Answers a request to the router in tRPC's own protocol: single calls, batches, and streams of server-sent events. */
import { resolveResponse } from "@trpc/server/http"
import { invalid } from "../domain/Refusals.ts"
import type { Caller } from "./Caller.ts"
import { appRouter } from "./Router.ts"

/** The most calls in one request. Each counts against the limit of requests. */
export const largestBatch = 100
/**
 * The most calls in a request that tRPC itself handles. The limit is lower because tRPC runs them all at the same time.
 */
const largestOfTrpc = 20

/**
 * The parts of a web request that tRPC uses. To build a complete one takes half the time of a read
 * (docs/benchmarks.md).
 */
export interface Call extends Pick<Request, "method" | "url" | "signal"> {
  readonly headers: Pick<Headers, "get" | "has">
  readonly json: () => Promise<unknown>
}

/** Headers by name, from a client that cannot send headers. */
export type Said = Readonly<Record<string, string | undefined>>

/**
 * `path` is the part after `/trpc/`: one procedure, or several with commas between them. A browser's EventSource cannot
 * send headers; its credentials are in the URL (`connectionParams`).
 */
export const answer = (call: Call, path: string, callerOf: (said: Said | null) => Caller): Promise<Response> =>
  resolveResponse({
    req: call as Request,
    path,
    router: appRouter,
    createContext: async ({ info }) => {
      const caller = callerOf(info.connectionParams)
      return info.calls.length > 1 && call.headers.has("idempotency-key") ? { ...caller, fault: inBatch } : caller
    },
    allowMethodOverride: true,
    maxBatchSize: largestOfTrpc,
    error: null,
  })

const inBatch = invalid("/headers/idempotency-key", "applies to one call; send that call without others")
