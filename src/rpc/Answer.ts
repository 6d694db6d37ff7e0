/** Answers a request to the router in tRPC's own protocol: single calls, batches, and streams of server-sent events. */
import { resolveResponse } from "@trpc/server/http"
import { invalid } from "../domain/Refusals.ts"
import type { Caller } from "./Caller.ts"
import { appRouter } from "./Router.ts"

/** Calls in one request; each counts against the limit of requests. */
export const largestBatch = 100
/** Calls in one request that is left to tRPC, which answers them all at the same time. */
const largestOfTrpc = 20

/** As much of a web request as tRPC looks at. A whole one costs half of a read (docs/benchmarks.md). */
export interface Call extends Pick<Request, "method" | "url" | "signal"> {
  readonly headers: Pick<Headers, "get" | "has">
  readonly json: () => Promise<unknown>
}

/** What a caller says of itself where it can send no headers, by the headers' names. */
export type Said = Readonly<Record<string, string | undefined>>

/**
 * `path` is what follows `/trpc/`: one procedure, or several with commas between them. A browser's EventSource sends no
 * headers of its own; what it says of its sender stands in the URL (`connectionParams`).
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

const inBatch = invalid("/headers/idempotency-key", "is for one call; send that one without others")
