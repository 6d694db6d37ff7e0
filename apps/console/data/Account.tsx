/** The account of the page. Its slug is in the path, and every component below makes its requests for it. */
import { QueryClientProvider } from "@tanstack/react-query"
import { createContext, type ReactNode, useContext, useState } from "react"
import { type Role, useOrganisation } from "../session/Organisation.ts"
import { newQueryClient } from "./Queries.ts"
import { rpcClient, RpcProvider } from "./Rpc.ts"

export interface Account {
  readonly slug: string
  readonly name: string
  readonly role: Role
}

const Present = createContext<Account | null>(null)

export const useAccount = (): Account => {
  const account = useContext(Present)
  if (account === null) throw new Error("No account is open here")
  return account
}

/** False for viewers, who may only look. */
export const useMayChange = (): boolean => useAccount().role !== "viewer"

/** True for owners. Only they manage keys, webhooks and settings. */
export const useMayManage = (): boolean => useAccount().role === "owner"

/** Keyed by account: each account has its own cache, so that no account's data is shown in another. */
export const AccountProvider = ({ children, slug }: { readonly slug: string; readonly children: ReactNode }) => {
  const [queries] = useState(newQueryClient)
  const [client] = useState(() => rpcClient(slug))
  const { data } = useOrganisation()
  const found = data?.accounts.find((account) => account.slug === slug)
  const account: Account = { slug, name: found?.name ?? slug, role: found?.role ?? "viewer" }
  return (
    <Present value={account}>
      <QueryClientProvider client={queries}>
        <RpcProvider trpcClient={client} queryClient={queries}>
          {children}
        </RpcProvider>
      </QueryClientProvider>
    </Present>
  )
}
