/** The query caches: one for each account, and one for queries without an account. */
import { QueryClient } from "@tanstack/react-query"
import { isPassing, problemOf } from "./Problem.ts"

export const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Queries run even if the browser reports no network: the page itself shows that the server is unreachable.
        networkMode: "always",
        // Only failures are retried. A refusal would be repeated.
        retry: (failures, error) => failures < 3 && isPassing(problemOf(error)),
        retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8_000),
      },
      mutations: { networkMode: "always" },
    },
  })

/** The cache for the session and the server's public settings. */
export const platformQueries = newQueryClient()
