/** The server's router for a platform administrator, without an account. */
import { QueryClientProvider } from "@tanstack/react-query"
import { createTRPCClient, httpBatchLink } from "@trpc/client"
import { type ReactNode, useState } from "react"
import type { AppRouter } from "../../../src/rpc/Router.ts"
import { currentToken } from "../session/Session.ts"
import { newQueryClient } from "./Queries.ts"
import { RpcProvider } from "./Rpc.ts"

const adminClient = () =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: "/trpc",
        headers: () => ({ authorization: `Bearer ${currentToken() ?? ""}`, "x-admin": "true" }),
        maxItems: 20,
      }),
    ],
  })

export const AdminProvider = ({ children }: { readonly children: ReactNode }) => {
  const [queries] = useState(newQueryClient)
  const [client] = useState(adminClient)
  return (
    <QueryClientProvider client={queries}>
      <RpcProvider trpcClient={client} queryClient={queries}>
        {children}
      </RpcProvider>
    </QueryClientProvider>
  )
}
