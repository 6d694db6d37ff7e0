/** The server's typed router, for one account. */
import { createTRPCClient, createWSClient, httpBatchLink, splitLink, type TRPCLink, wsLink } from "@trpc/client"
import { observable } from "@trpc/server/observable"
import { createTRPCContext } from "@trpc/tanstack-react-query"
import type { AppRouter } from "../../../src/rpc/Router.ts"
import { end } from "../session/Session.ts"
import { LiveSocket } from "./LiveSocket.ts"
import { problemOf } from "./Problem.ts"
import { asMember } from "./Rest.ts"

export const {
  TRPCProvider: RpcProvider,
  useTRPC: useRpc,
  useTRPCClient: useRpcClient,
} = createTRPCContext<AppRouter>()

export type RpcClient = ReturnType<typeof rpcClient>

/** A 401 ends the session. The frame of the pages then leads to the sign-in. */
const untilSignedOut: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) =>
      next(op).subscribe({
        ...observer,
        error: (error) => {
          if (problemOf(error).status === 401) end()
          observer.error(error)
        },
      }),
    )

/** Detects a dead connection within ten seconds, since pages follow calls in progress. */
const keepAlive = { enabled: true, intervalMs: 5_000, pongTimeoutMs: 5_000 }

/** Milliseconds before a reconnect, at most five seconds, since a user is watching. */
const retryDelayMs = (attempt: number) => (attempt === 0 ? 0 : Math.min(500 * 2 ** attempt, 5_000))

/** A query without an answer after these milliseconds is aborted and retried. A mutation is sent once. */
const readWithin = 20_000
type Fetch = NonNullable<Parameters<typeof httpBatchLink<AppRouter>>[0]["fetch"]>
const patient: Fetch = (url, init) => {
  const { signal, ...options } = (init ?? {}) as RequestInit
  const late = options.method === "POST" ? [] : [AbortSignal.timeout(readWithin)]
  return fetch(url, { ...options, signal: AbortSignal.any([...(signal ? [signal] : []), ...late]) })
}

export const rpcClient = (account: string) =>
  createTRPCClient<AppRouter>({
    links: [
      untilSignedOut,
      splitLink({
        condition: (op) => op.type === "subscription",
        // One socket for all of a page's subscriptions: a browser opens at most six connections for HTTP/1.1 streams.
        true: wsLink({
          client: createWSClient({
            url: `${location.origin.replace(/^http/, "ws")}/trpc-ws`,
            connectionParams: () => asMember(account),
            lazy: { enabled: true, closeMs: 10_000 },
            keepAlive,
            retryDelayMs,
            WebSocket: LiveSocket,
          }),
        }),
        false: httpBatchLink({ url: "/trpc", headers: () => asMember(account), maxItems: 20, fetch: patient }),
      }),
    ],
  })
