/** Clients of the typed router, set up like those of Parley's own apps. */
import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, TRPCClientError } from "@trpc/client"
import { EventSource } from "eventsource"
import type { AppRouter } from "../../src/rpc/Router.ts"
import type { Client } from "./TestServer.ts"

export const headersOf = ({ account, token }: Pick<Client, "account" | "token">) => ({
  authorization: `Bearer ${token}`,
  "x-account-id": account,
})

/** A client that sends one call per request. */
export const single = (url: string, headers: Record<string, string> = {}, prefix = "") =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${url}${prefix}/trpc`, headers })] })

export type ProblemOf = { readonly [key: string]: unknown; readonly code: string; readonly status: number }

/** The problem with which a call was refused. */
export const refusalOf = async (call: Promise<unknown>): Promise<ProblemOf> => {
  try {
    const answer = await call
    throw new Error(`It answered ${JSON.stringify(answer)}`)
  } catch (error) {
    if (!(error instanceof TRPCClientError) || error.data === undefined || error.data === null) throw error
    return error.data
  }
}

/** A client that reads live streams over server-sent events, and sends calls one by one. */
export const live = (url: string, headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({ url: `${url}/trpc`, connectionParams: headers, EventSource }),
        false: httpLink({ url: `${url}/trpc`, headers }),
      }),
    ],
  })
