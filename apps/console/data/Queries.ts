/** How answers are kept: for each account in a cache of its own, and beside them what is of no account. */
import { QueryClient } from "@tanstack/react-query"
import { isPassing, problemOf } from "./Problem.ts"

export const newQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Asked though the browser thinks that there is no network: the page says itself that it lost the server.
        networkMode: "always",
        // What the server refuses, it refuses again.
        retry: (failures, error) => failures < 3 && isPassing(problemOf(error)),
        retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 8_000),
      },
      mutations: { networkMode: "always" },
    },
  })

/** Who is signed in, and what the server tells everybody. */
export const platformQueries = newQueryClient()
